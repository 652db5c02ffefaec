#include "plugins/topologyspread/topologyspread.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "framework/topology.h"
#include "plugins/scores/score_magnitudes.h"

namespace trellis {
namespace {

bool selects_itself(const PodSpec& spec, const SpreadConstraint& constraint) {
  if (constraint.counts_nothing) return true;  // an empty selector does select the pod itself
  return constraint.selector.valid() &&
         std::binary_search(spec.matched.begin(), spec.matched.end(), constraint.selector);
}

bool lacks_a_key(const std::vector<SpreadCounts>& constraints, NodeId node) {
  return std::any_of(constraints.begin(), constraints.end(), [&](const SpreadCounts& counts) {
    return counts.values().of_node[node] == KeyValues::kNone;
  });
}

}  // namespace

void TopologySpread::open(const View& view, Hooks& hooks) {
  view_ = &view;
  hostname_ = view.vocabulary->strings.find(kHostname);
  // SpreadCounts point to specs, which move when classes are added.
  bool stale =
      generation_ != view.node_values->generation() || classes_read_ != view.pod_classes->size();
  generation_ = view.node_values->generation();
  for (; classes_read_ < view.pod_classes->size(); ++classes_read_) {
    PodClassId pod_class(classes_read_);
    for (PodSelectorId selector : spec(pod_class).matched) {
      if (!classes_of_.contains(selector)) classes_of_.resize(selector.value + 1);
      classes_of_[selector].push_back(pod_class);
    }
  }
  if (stale) {
    counted_.clear();
    watchers_.clear();
  }
  hooks.pod_links.push_back({this, name()});
  double weight = view.config->plugin("topologyspread").weight;
  hooks.link_scorers.push_back({this, name(), weight * kKubernetesScale});
  hooks.listeners.push_back({this, name()});
}

std::vector<SpreadCounts> TopologySpread::count(PodClassId pod_class, bool required) const {
  std::vector<StrId> keys;
  for (const SpreadConstraint& constraint : spec(pod_class).spread) {
    if (constraint.required == required) keys.push_back(constraint.key);
  }
  std::vector<SpreadCounts> all;
  for (const SpreadConstraint& constraint : spec(pod_class).spread) {
    if (constraint.required != required) continue;
    SpreadCounts& counts = all.emplace_back(*view_, pod_class, constraint, keys);
    PodSelectorId selector = constraint.selector;
    if (!selector.valid()) continue;
    if (!watchers_.contains(selector)) watchers_.resize(selector.value + 1);
    watchers_[selector].push_back({pod_class, required, all.size() - 1});
    if (!classes_of_.contains(selector)) continue;
    for (PodClassId other : classes_of_[selector]) {
      for (const auto& [node, pods] : placed_.of(other)) {
        int64_t number = pods.stays + pods.promised;
        if (number != 0 && counts.eligible(NodeId(node))) counts.change(NodeId(node), number);
      }
    }
  }
  return all;
}

TopologySpread::Counted& TopologySpread::counted(PodClassId pod_class) const {
  if (!counted_.contains(pod_class)) {
    while (counted_.size() < view_->pod_classes->size()) counted_.push_back(nullptr);
  }
  std::unique_ptr<Counted>& known = counted_[pod_class];
  if (!known) {
    known = std::make_unique<Counted>();
    known->required = count(pod_class, true);
    known->preferred = count(pod_class, false);
  }
  return *known;
}

void TopologySpread::change(PodClassId pod_class, NodeId node, Presence presence, int64_t by) {
  placed_.add(pod_class, node, presence, by);
  if (presence != Presence::Stays && presence != Presence::Promised) return;
  for (PodSelectorId selector : spec(pod_class).matched) {
    if (!watchers_.contains(selector)) continue;
    for (const Watcher& watcher : watchers_[selector]) {
      Counted& constraints = *counted_[watcher.pod_class];
      auto& list = watcher.required ? constraints.required : constraints.preferred;
      SpreadCounts& counts = list[watcher.index];
      if (counts.eligible(node) && counts.change(node, by)) ++affinity_epoch_;
    }
  }
}

bool TopologySpread::links(PodClassId pod_class) const {
  const auto& spread = spec(pod_class).spread;
  return std::any_of(spread.begin(), spread.end(),
                     [](const SpreadConstraint& constraint) { return constraint.required; });
}

void TopologySpread::link_keys(PodClassId pod_class, std::vector<StrId>& keys) const {
  for (const SpreadConstraint& constraint : spec(pod_class).spread) {
    if (constraint.required) keys.push_back(constraint.key);
  }
}

ReasonCode TopologySpread::link_verdict(PodClassId pod_class, FitMode, NodeId node) const {
  if (!links(pod_class)) return ReasonCode::None;
  const PodSpec& pod = spec(pod_class);
  for (const SpreadCounts& counts : counted(pod_class).required) {
    if (counts.values().of_node[node] == KeyValues::kNone) {
      return ReasonCode::TopologySpreadLabelMissing;
    }
    int64_t itself = selects_itself(pod, counts.constraint()) ? 1 : 0;
    int64_t skew = counts.at(node) + itself - counts.minimum();
    if (skew > counts.constraint().max_skew) return ReasonCode::TopologySpreadSkew;
  }
  return ReasonCode::None;
}

int64_t TopologySpread::most_alone(PodClassId pod_class, std::span<const NodeId> nodes,
                                   std::span<const int32_t> fits) const {
  int64_t most = INT64_MAX;
  if (!links(pod_class)) return most;
  for (const SpreadCounts& counts : counted(pod_class).required) {
    bool itself = counts.constraint().selector.valid() &&
                  selects_itself(spec(pod_class), counts.constraint());
    if (itself) most = std::min(most, counts.most(nodes, fits));
  }
  return most;
}

bool TopologySpread::scores_links(PodClassId pod_class) const {
  const auto& spread = spec(pod_class).spread;
  return std::any_of(spread.begin(), spread.end(),
                     [](const SpreadConstraint& constraint) { return !constraint.required; });
}

void TopologySpread::score_keys(PodClassId pod_class, std::vector<StrId>& keys) const {
  for (const SpreadConstraint& constraint : spec(pod_class).spread) {
    if (!constraint.required) keys.push_back(constraint.key);
  }
}

// The number of pods on the node itself that the constraint's selector selects.
int64_t TopologySpread::on_node(const SpreadConstraint& constraint, NodeId node) const {
  int64_t pods = 0;
  if (!constraint.selector.valid() || !classes_of_.contains(constraint.selector)) return pods;
  for (PodClassId pod_class : classes_of_[constraint.selector]) {
    const PlacedPods::ByNode& nodes = placed_.of(pod_class);
    auto found = nodes.find(node.value);
    if (found != nodes.end()) pods += found->second.stays + found->second.promised;
  }
  return pods;
}

int64_t TopologySpread::raw_score(const Counted& constraints, std::span<const double> factors,
                                  NodeId node) const {
  double score = 0;
  for (size_t i = 0; i < factors.size(); ++i) {
    const SpreadCounts& counts = constraints.preferred[i];
    const SpreadConstraint& constraint = counts.constraint();
    int64_t pods = constraint.key == hostname_ ? on_node(constraint, node) : counts.at(node);
    score += static_cast<double>(pods) * factors[i] + static_cast<double>(constraint.max_skew - 1);
  }
  return std::llround(score);
}

void TopologySpread::score_links(PodClassId pod_class, FitMode, std::span<const NodeId> nodes,
                                 double weight, std::span<double> out) const {
  if (!scores_links(pod_class)) return;
  const Counted& constraints = counted(pod_class);
  // Larger topologies weigh more, by the logarithm of their size.
  std::vector<double> factors;
  for (const SpreadCounts& counts : constraints.preferred) {
    std::vector<bool> seen(static_cast<size_t>(counts.values().count), false);
    int64_t size = 0;
    bool by_node = counts.constraint().key == hostname_;
    for (NodeId node : nodes) {
      if (lacks_a_key(constraints.preferred, node)) continue;
      size_t value = static_cast<size_t>(counts.values().of_node[node]);
      if (by_node || !seen[value]) ++size;
      seen[value] = true;
    }
    factors.push_back(std::log(static_cast<double>(size + 2)));
  }
  constexpr int64_t kIgnored = -1;
  std::vector<int64_t> raw(nodes.size(), kIgnored);
  int64_t least = std::numeric_limits<int64_t>::max();
  int64_t most = 0;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (lacks_a_key(constraints.preferred, nodes[i])) continue;
    raw[i] = raw_score(constraints, factors, nodes[i]);
    least = std::min(least, raw[i]);
    most = std::max(most, raw[i]);
  }
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (raw[i] == kIgnored) continue;
    // Kubernetes divides whole numbers.
    int64_t score = most == 0 ? 100 : 100 * (most + least - raw[i]) / most;
    out[i] += weight * static_cast<double>(score);
  }
}

}  // namespace trellis
