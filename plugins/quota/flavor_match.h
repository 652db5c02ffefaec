// Whether a flavor suits pods: its taints and its node labels (Kueue's flavorassigner.go).
#pragma once

#include <span>

#include "framework/flavor.h"
#include "framework/pod.h"
#include "framework/string_table.h"

namespace trellis {

// The first taint of the flavor that neither the pods nor the flavor itself tolerate; nullptr: no
// taint.
const Taint* taint_against(const Flavor& flavor, const PodSpec& spec);

// Whether the flavor's labels satisfy what the pods require of the labels `keys` (sorted): the
// labels of any flavor of the group. Requirements on other labels are left to the nodes.
bool labels_suit(const Flavor& flavor, const PodSpec& spec, std::span<const StrId> keys,
                 const StringTable& strings);

}  // namespace trellis
