// The amounts in the status of a pod on a node, whose resources may be resized in place: what the
// node agreed to keep for the pod (allocated) and what the pod has at this moment (actual).
//
// Such a pod counts with the largest of these amounts and the requests of its spec, so that room is
// not given away before it is really free. A pod without a node counts with the requests of its
// spec: its status is not read.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <string_view>

#include "server/document/document.h"

namespace trellis {

class PodResize {
 public:
  // An empty status: the spec alone counts.
  PodResize() = default;
  PodResize(Value spec, Value status);

  // False: the spec alone counts.
  bool counts() const { return counts_; }
  // The node can never provide what the spec requests: the spec does not count.
  bool infeasible() const { return infeasible_; }

  // Amounts by resource; absent: the status has none, so that the spec counts if it is feasible.
  struct Amounts {
    Value allocated;
    Value actual;
  };
  Amounts of_container(std::string_view name) const;
  // The amounts of the pod as a whole, overhead included. Where the status has both, those of its
  // containers do not count.
  Amounts of_pod() const;

 private:
  bool counts_ = false;
  bool infeasible_ = false;
  Value status_;
  absl::flat_hash_map<std::string_view, Value> containers_;  // and init containers, by name
};

}  // namespace trellis
