// The tree of queues, with parents resolved.
//
// Words: a leaf is a queue without children; only gangs of leaves are placed. The *open* queue has
// no limits and holds the gangs without a queue; it is a root, with the last id.
// Guarantees: order() holds parents before their children. A queue whose parent does not exist, or
// that is its own ancestor, is not in the tree, and neither are the queues below it.
// Cost: building O(queues log queues); every look-up O(1), siblings() O(depth).
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "framework/ids.h"
#include "framework/indexed_vector.h"
#include "framework/queue.h"
#include "framework/string_table.h"

namespace trellis {

class QueueTree {
 public:
  enum class Shape { Full, Flat };  // Flat: leaves only, all of them roots

  QueueTree() = default;
  QueueTree(const IndexedVector<QueueId, Queue>& queues, Shape shape, const StringTable& strings);

  // No queue was read: nothing is counted.
  bool empty() const { return order_.empty(); }
  size_t size() const { return nodes_.size(); }  // the open queue included
  QueueId open_queue() const { return QueueId(nodes_.size() - 1); }
  bool is_open(QueueId queue) const { return queue == open_queue(); }
  bool contains(QueueId queue) const { return nodes_[queue].inside; }
  QueueId parent(QueueId queue) const { return nodes_[queue].parent; }  // kNone: a root
  bool is_leaf(QueueId queue) const { return nodes_[queue].children.empty(); }
  // In the order of names; with kNone the roots, the open queue last.
  std::span<const QueueId> children(QueueId queue) const {
    return queue.valid() ? std::span<const QueueId>(nodes_[queue].children) : roots_;
  }
  // Parents before their children.
  std::span<const QueueId> order() const { return order_; }
  // The ancestors of two queues, themselves included, that are siblings (or both roots). Equal
  // when one is above the other or they are the same.
  std::pair<QueueId, QueueId> siblings(QueueId a, QueueId b) const;

 private:
  struct Node {
    QueueId parent;
    std::vector<QueueId> children;
    int depth = 0;
    bool inside = false;
  };

  IndexedVector<QueueId, Node> nodes_;
  std::vector<QueueId> roots_;
  std::vector<QueueId> order_;
};

}  // namespace trellis
