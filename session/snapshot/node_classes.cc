#include "session/snapshot/node_classes.h"

#include <algorithm>

namespace trellis {

bool NodeClasses::add_key(ReadKey read) {
  auto at = std::lower_bound(keys_.begin(), keys_.end(), read.key,
                             [](const ReadKey& known, StrId key) { return known.key < key; });
  if (at == keys_.end() || at->key != read.key) {
    keys_.insert(at, read);
    return true;
  }
  if (at->by_value || !read.by_value) return false;
  at->by_value = true;
  return true;
}

// A label that is read by Exists counts only by its presence: each node may have a value of its
// own, as for kubernetes.io/hostname.
bool NodeClasses::add_keys(const PodSpec& spec) {
  bool grew = false;
  auto add_term = [&](const SelectorTerm& term) {
    for (const Requirement& requirement : term.labels) {
      bool presence =
          requirement.op == SelectorOp::Exists || requirement.op == SelectorOp::DoesNotExist;
      grew = add_key({requirement.key, !presence}) || grew;
    }
  };
  for (const Label& label : spec.node_selector) grew = add_key({label.key, true}) || grew;
  for (const SelectorTerm& term : spec.required_affinity) add_term(term);
  for (const PreferredTerm& preferred : spec.preferred_affinity) add_term(preferred.term);
  if (!features_.has_all(spec.features)) {
    features_.add(spec.features);
    grew = true;
  }
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
  NodeClass mine{{}, node.taints, node.ready, node.unschedulable, node.features.among(features_)};
  for (const ReadKey& read : keys_) {
    StrId value = find_label(node.labels, read.key);
    if (!value.valid()) continue;
    mine.labels.push_back({read.key, read.by_value ? value : StringTable::kEmpty});
  }
  auto [at, fresh] = ids_.try_emplace(mine, classes_.next_id());
  if (fresh) classes_.push_back(std::move(mine));
  of_node_[id] = at->second;
}

}  // namespace trellis
