// The values of a label on all nodes, numbered. Terms between pods compare nodes by these numbers.
//
// Guarantees: the values of a key are built on first use and valid until restart(). Numbers follow
// the order of node ids and carry no meaning.
// Cost: the first call for a key O(nodes); later ones O(1).
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <memory>

#include "framework/ids.h"
#include "framework/indexed_vector.h"
#include "framework/node.h"

namespace trellis {

struct KeyValues {
  static constexpr int32_t kNone = -1;

  IndexedVector<NodeId, int32_t> of_node;  // kNone: the node lacks the label
  int32_t count = 0;                       // values
  bool single = true;                      // no two nodes share a value
};

class NodeValues {
 public:
  explicit NodeValues(const IndexedVector<NodeId, Node>& nodes) : nodes_(nodes) {}

  // Nodes were added, removed or changed labels: earlier results of of() are no longer valid.
  void restart();
  // Grows with each restart.
  uint64_t generation() const { return generation_; }

  const KeyValues& of(StrId key) const;

 private:
  const IndexedVector<NodeId, Node>& nodes_;
  uint64_t generation_ = 1;
  // By key; never iterated.
  mutable absl::flat_hash_map<uint32_t, std::unique_ptr<KeyValues>> known_;
};

}  // namespace trellis
