// What the status of a pod on a node says of resources that may be resized in place: what its node
// agreed to keep for it (allocated) and what it has just now (actual).
//
// Such a pod counts as the most of that and of what its spec asks for, so that room is not given
// away before it is really free. A pod without a node counts as its spec: its status is not looked
// at.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <string_view>

#include "server/document/document.h"

namespace trellis {

class PodResize {
 public:
  // Nothing is said.
  PodResize() = default;
  PodResize(Value spec, Value status);

  // False: the spec says it all.
  bool counts() const { return counts_; }
  // What the spec asks for will never be on this node: it does not count.
  bool infeasible() const { return infeasible_; }

  // Amounts by resource; absent: nothing is said, so that the spec counts where it is feasible.
  struct Amounts {
    Value allocated;
    Value actual;
  };
  Amounts of_container(std::string_view name) const;
  // The pod as a whole, overhead included; where both are there, those of its containers do not
  // count.
  Amounts of_pod() const;

 private:
  bool counts_ = false;
  bool infeasible_ = false;
  Value status_;
  absl::flat_hash_map<std::string_view, Value> containers_;  // of both kinds, by name
};

}  // namespace trellis
