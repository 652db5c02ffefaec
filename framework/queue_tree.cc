#include "framework/queue_tree.h"

#include <algorithm>
#include <map>
#include <string_view>

namespace trellis {

QueueTree::QueueTree(const IndexedVector<QueueId, Queue>& queues, Shape shape,
                     const StringTable& strings) {
  std::map<std::string_view, QueueId> by_name;
  for (uint32_t i = 0; i < queues.size(); ++i) {
    if (!queues[QueueId(i)].name.empty()) by_name.emplace(queues[QueueId(i)].name, QueueId(i));
  }
  if (by_name.empty()) return;
  nodes_.resize(queues.size() + 1);
  for (const auto& [name, queue] : by_name) {
    Maybe<StrId> parent = queues[queue].parent;
    if (!parent) {
      roots_.push_back(queue);
      continue;
    }
    auto found = by_name.find(strings.view(*parent));
    if (found == by_name.end()) continue;
    nodes_[queue].parent = found->second;
    nodes_[found->second].children.push_back(queue);
  }
  roots_.push_back(open_queue());
  // From the roots down, so that cycles are never reached.
  order_ = roots_;
  for (size_t i = 0; i < order_.size(); ++i) {
    Node& node = nodes_[order_[i]];
    node.inside = true;
    for (QueueId child : node.children) {
      nodes_[child].depth = node.depth + 1;
      order_.push_back(child);
    }
  }
  if (shape == Shape::Full) return;
  std::erase_if(order_, [&](QueueId queue) { return !is_leaf(queue); });
  for (Node& node : nodes_) node.inside = false;
  for (QueueId queue : order_) nodes_[queue] = {QueueId(), {}, 0, true};
  roots_ = order_;
}

std::pair<QueueId, QueueId> QueueTree::siblings(QueueId a, QueueId b) const {
  while (nodes_[a].depth > nodes_[b].depth && parent(a) != b) a = parent(a);
  while (nodes_[b].depth > nodes_[a].depth && parent(b) != a) b = parent(b);
  if (parent(a) == b) return {b, b};
  if (parent(b) == a) return {a, a};
  while (a != b && parent(a) != parent(b)) {
    a = parent(a);
    b = parent(b);
  }
  return {a, b};
}

}  // namespace trellis
