#include "plugins/topologyspread/spread_counts.h"

#include <algorithm>
#include <utility>

namespace trellis {
namespace {

bool meets_node_affinity(const PodSpec& spec, const Node& node, const StringTable& strings) {
  for (const Label& wanted : spec.node_selector) {
    if (find_label(node.labels, wanted.key) != wanted.value) return false;
  }
  if (!spec.has_required_affinity) return true;
  return std::any_of(
      spec.required_affinity.begin(), spec.required_affinity.end(),
      [&](const SelectorTerm& term) { return matches(term, node.labels, node.name, strings); });
}

}  // namespace

SpreadCounts::SpreadCounts(const View& view, PodClassId pod_class,
                           const SpreadConstraint& constraint, std::vector<StrId> all_keys)
    : view_(&view),
      spec_(&(*view.pod_classes)[pod_class]),
      constraint_(&constraint),
      all_keys_(std::move(all_keys)),
      values_(&view.node_values->of(constraint.key)) {
  is_domain_.assign(static_cast<size_t>(values_->count), false);
  for (uint32_t i = 0; i < view.nodes->size(); ++i) {
    int32_t value = values_->of_node[NodeId(i)];
    if (value == KeyValues::kNone || is_domain_[static_cast<size_t>(value)]) continue;
    if (!eligible(NodeId(i))) continue;
    is_domain_[static_cast<size_t>(value)] = true;
    ++domains_;
  }
}

bool SpreadCounts::eligible(NodeId node) const {
  for (StrId key : all_keys_) {
    if (view_->node_values->of(key).of_node[node] == KeyValues::kNone) return false;
  }
  const Node& record = (*view_->nodes)[node];
  if (constraint_->honors_affinity &&
      !meets_node_affinity(*spec_, record, view_->vocabulary->strings)) {
    return false;
  }
  return !constraint_->honors_taints || untolerated(record.taints, spec_->tolerations) == nullptr;
}

bool SpreadCounts::change(NodeId node, int64_t by) {
  int64_t before = minimum();
  int64_t& count = counts_[values_->of_node[node]];
  auto recount = [&](int64_t of, int64_t step) {
    if (of == 0) return;
    int64_t& domains = domains_with_[of];
    domains += step;
    if (domains == 0) domains_with_.erase(of);
  };
  recount(count, -1);
  count += by;
  recount(count, 1);
  if (count == 0) counts_.erase(values_->of_node[node]);
  return minimum() != before;
}

// The emptiest domain can be filled no further than its room, and no other gets more than maxSkew
// ahead of it.
int64_t SpreadCounts::most(std::span<const NodeId> nodes, std::span<const int32_t> fits) const {
  std::vector<int64_t> room(is_domain_.size(), 0);
  int64_t uncounted = 0;
  for (size_t i = 0; i < nodes.size(); ++i) {
    int32_t value = values_->of_node[nodes[i]];
    if (value == KeyValues::kNone || fits[i] <= 0) continue;
    if (eligible(nodes[i])) {
      room[static_cast<size_t>(value)] += fits[i];
    } else {
      uncounted += fits[i];
    }
  }
  auto count_of = [&](size_t value) {
    auto found = counts_.find(static_cast<int32_t>(value));
    return found == counts_.end() ? 0 : found->second;
  };
  int64_t emptiest = domains_ < constraint_->min_domains ? 0 : INT64_MAX;
  for (size_t value = 0; value < room.size(); ++value) {
    if (is_domain_[value]) emptiest = std::min(emptiest, count_of(value) + room[value]);
  }
  int64_t most = uncounted;
  for (size_t value = 0; value < room.size(); ++value) {
    int64_t ahead = emptiest == INT64_MAX ? 0 : emptiest + constraint_->max_skew - count_of(value);
    most += std::clamp<int64_t>(ahead, 0, room[value]);
  }
  return most;
}

int64_t SpreadCounts::at(NodeId node) const {
  auto found = counts_.find(values_->of_node[node]);
  return found == counts_.end() ? 0 : found->second;
}

int64_t SpreadCounts::minimum() const {
  if (domains_ < constraint_->min_domains) return 0;
  if (static_cast<int64_t>(counts_.size()) < domains_ || domains_with_.empty()) return 0;
  return domains_with_.begin()->first;
}

}  // namespace trellis
