// How the pods of a service are divided among nodes: an ordered list of preferences, the most
// important first.
//
// Words: a label preference divides groups of nodes by the label's values: the first one divides
// the whole cluster, a later one each group that the preferences before it made. Nodes without the
// label are one ordinary group. A preference over nodes or over a resource orders the nodes of the
// last groups and ends the list. A *service* is pods that count together: the pods of a PodGroup,
// of an owner, or of a label `app`.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "framework/ids.h"

namespace trellis {

struct LabelWeight {
  StrId value;
  int32_t weight = 1;
  auto operator<=>(const LabelWeight&) const = default;
};

struct PlacementPreference {
  enum class Way : uint8_t { Spread, Pack };
  enum class Over : uint8_t { Label, Node, Resource };
  static constexpr int32_t kMostWeight = 1'000'000;

  Way way = Way::Spread;
  Over over = Over::Label;
  StrId label;                       // Over::Label
  ResourceId resource;               // Over::Resource: the part of it in use counts, not pods
  std::vector<LabelWeight> weights;  // spread over a label; 1..kMostWeight, not given: 1
  // Hard spread over a label: no group may have more than this many pods more than another. 0: the
  // spread is only preferred.
  int32_t max_skew = 0;
  auto operator<=>(const PlacementPreference&) const = default;
};

struct PlacementPreferences {
  StrId service;  // whose pods count; kNone: no preference needs one
  std::vector<PlacementPreference> list;
  int32_t max_pods_per_node = 0;  // of the service; 0: any number
  bool any() const { return !list.empty() || max_pods_per_node > 0; }
  auto operator<=>(const PlacementPreferences&) const = default;
};

// A number of pods for one node.
struct NodePods {
  NodeId node;
  int32_t pods = 0;
  bool operator==(const NodePods&) const = default;
};

}  // namespace trellis
