#include "session/node_classes.h"

#include <algorithm>

namespace trellis {

bool NodeClasses::add_keys(const PodSpec& spec) {
  bool grew = false;
  auto add = [&](StrId key) {
    auto at = std::lower_bound(keys_.begin(), keys_.end(), key);
    if (at != keys_.end() && *at == key) return;
    keys_.insert(at, key);
    grew = true;
  };
  auto add_term = [&](const SelectorTerm& term) {
    for (const Requirement& requirement : term.labels) add(requirement.key);
  };
  for (const Label& label : spec.node_selector) add(label.key);
  for (const SelectorTerm& term : spec.required_affinity) add_term(term);
  for (const PreferredTerm& preferred : spec.preferred_affinity) add_term(preferred.term);
  return grew;
}

bool NodeClasses::read_pod_classes(const IndexedVector<PodClassId, PodSpec>& pod_classes,
                                   const IndexedVector<NodeId, Node>& nodes) {
  bool grew = false;
  for (; pod_classes_read_ < pod_classes.size(); ++pod_classes_read_) {
    if (add_keys(pod_classes[PodClassId(pod_classes_read_)])) grew = true;
  }
  if (!grew) return false;
  classes_.clear();
  ids_.clear();
  for (uint32_t i = 0; i < nodes.size(); ++i) classify(NodeId(i), nodes[NodeId(i)]);
  return true;
}

void NodeClasses::classify(NodeId id, const Node& node) {
  if (!of_node_.contains(id)) of_node_.resize(id.value + 1);
  NodeClass mine{{}, node.taints, node.ready, node.unschedulable};
  for (StrId key : keys_) {
    if (StrId value = find_label(node.labels, key); value.valid())
      mine.labels.push_back({key, value});
  }
  auto [at, fresh] = ids_.try_emplace(mine, classes_.next_id());
  if (fresh) classes_.push_back(std::move(mine));
  of_node_[id] = at->second;
}

}  // namespace trellis
