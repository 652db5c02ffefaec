// Which flavors suit pods, by taints and node labels (Kueue's flavorassigner.go), and which of them
// a ClusterQueue prefers (flavorFungibility).
#pragma once

#include <span>

#include "framework/cluster_queue.h"
#include "framework/flavor.h"
#include "framework/pod.h"
#include "framework/quota_rules.h"
#include "framework/string_table.h"

namespace trellis {

// The first taint of the flavor that neither the pods nor the flavor itself tolerate; nullptr: no
// taint.
const Taint* taint_against(const Flavor& flavor, const PodSpec& spec);

// Whether the flavor's labels satisfy what the pods require of the labels `keys` (sorted): the
// labels of any flavor of the group. Requirements on other labels are left to the nodes.
bool labels_suit(const Flavor& flavor, const PodSpec& spec, std::span<const StrId> keys,
                 const StringTable& strings);

// How an amount fits a flavor's quota, and at which borrowing height.
struct FlavorGrade {
  FlavorMode mode = FlavorMode::NoFit;
  int borrowing = 0;
  bool operator==(const FlavorGrade&) const = default;
};

// Negative: a is better.
int compare(const FlavorGrade& a, const FlavorGrade& b, const FlavorFungibility& fungibility);

// Whether flavors after this one are ignored.
bool ends_search(const FlavorGrade& grade, const FlavorFungibility& fungibility);

}  // namespace trellis
