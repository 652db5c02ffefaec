// The effect of claims, of volumes and of devices, on the pods that use them: claims restrict the
// pods to some nodes, or hold them.
#pragma once

#include <cstddef>
#include <vector>

#include "framework/pod.h"

namespace trellis {

// More alternatives than these are not written by hand.
inline constexpr size_t kMostNodeTerms = 1024;

// Restricts the pod to one of `terms`, besides those of its other claims; terms are alternatives,
// and without any term the pod fits no node. False: that would make more than kMostNodeTerms;
// nothing changed.
bool require_terms(const std::vector<SelectorTerm>& terms, PodSpec& spec);

// Sets the pod's hold; it replaces the hold of a workload that is not admitted, but no other hold.
void hold_pod(Pod& pod, PodHold hold);

}  // namespace trellis
