// What claims, of volumes and of devices, do to the pods that use them: where those may go, and
// that they wait.
#pragma once

#include <cstddef>
#include <vector>

#include "framework/pod.h"

namespace trellis {

// More alternatives than these are not written by hand.
inline constexpr size_t kMostNodeTerms = 1024;

// Holds the pod to one of `terms` and to those of its other claims; terms are alternatives, and
// without any it fits no node. False: that would be more than kMostNodeTerms; nothing changed.
bool require_terms(const std::vector<SelectorTerm>& terms, PodSpec& spec);

// A pod whose workload is not admitted is held by this first.
void hold_pod(Pod& pod, PodHold hold);

}  // namespace trellis
