// The pods that one spread constraint counts, by domain, and the least of all domains.
//
// Words: a domain is a value of the constraint's key on a node that is eligible for it.
// Cost: build O(nodes + pods counted); a change O(log counts); questions O(1).
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <map>
#include <vector>

#include "framework/node_values.h"
#include "framework/plugin.h"

namespace trellis {

class SpreadCounts {
 public:
  // `all_keys`: the keys of all the pod's constraints of the same kind (required or preferred).
  SpreadCounts(const View& view, PodClassId pod_class, const SpreadConstraint& constraint,
               std::vector<StrId> all_keys);

  const SpreadConstraint& constraint() const { return *constraint_; }
  const KeyValues& values() const { return *values_; }
  // Whether pods on the node count.
  bool eligible(NodeId node) const;
  // True when the least count of all domains changed.
  bool change(NodeId node, int64_t by);

  int64_t at(NodeId node) const;
  // Kubernetes' global minimum, with minDomains.
  int64_t minimum() const;
  // How many pods that count the nodes can take at most, when nothing else is placed.
  int64_t most(std::span<const NodeId> nodes, std::span<const int32_t> fits) const;

 private:
  const View* view_;
  const PodSpec* spec_;
  const SpreadConstraint* constraint_;
  std::vector<StrId> all_keys_;
  const KeyValues* values_;
  std::vector<bool> is_domain_;  // by value
  int64_t domains_ = 0;
  absl::flat_hash_map<int32_t, int64_t> counts_;  // by value; those above 0
  std::map<int64_t, int64_t> domains_with_;       // by count, 0 left out
};

}  // namespace trellis
