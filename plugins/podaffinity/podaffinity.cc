#include "plugins/podaffinity/podaffinity.h"

#include <algorithm>
#include <limits>

#include "plugins/scores/score_magnitudes.h"

namespace trellis {
namespace {

bool holds(const std::vector<PodSelectorId>& matched, PodSelectorId selector) {
  return selector.valid() && std::binary_search(matched.begin(), matched.end(), selector);
}

}  // namespace

void PodAffinity::open(const View& view, Hooks& hooks) {
  view_ = &view;
  cells_.open(view);
  hooks.node_counters.push_back({this, name()});
  hooks.pod_links.push_back({this, name()});
  double weight = view.config->plugin("podaffinity").weight;
  hooks.link_scorers.push_back({this, name(), weight * kKubernetesScale});
  hooks.listeners.push_back({this, name()});
}

const PodAffinity::Terms& PodAffinity::terms(PodClassId pod_class) const {
  if (!terms_.contains(pod_class)) terms_.resize(view_->pod_classes->size());
  Terms& known = terms_[pod_class];
  if (!known.known) read_terms(pod_class, known);
  return known;
}

void PodAffinity::read_terms(PodClassId pod_class, Terms& terms) const {
  const PodSpec& pod = spec(pod_class);
  terms.known = true;
  terms.attracted = !pod.pod_affinity.empty();
  terms.attracts_itself = terms.attracted;
  std::vector<PodSelectorId> all;
  for (const PodTerm& term : pod.pod_affinity) {
    terms.unmeetable = terms.unmeetable || !term.selector.valid();
    terms.attracts_itself = terms.attracts_itself && holds(pod.matched, term.selector);
    all.push_back(term.selector);
  }
  if (!terms.unmeetable) {
    // Kubernetes counts the pods that meet all the terms, for each term's key.
    for (const PodTerm& term : pod.pod_affinity) {
      terms.affinity.push_back(cells_.table(PodCells::Kind::Selected, all, term.key));
    }
  }
  for (const PodTerm& term : pod.pod_anti_affinity) {
    if (!term.selector.valid()) continue;
    terms.anti.push_back(cells_.table(PodCells::Kind::Selected, {term.selector}, term.key));
    if (holds(pod.matched, term.selector)) terms.self_anti.push_back(term.key);
  }
  for (const WeightedPodTerm& weighted : pod.preferred_pods) {
    if (!weighted.term.selector.valid()) continue;
    terms.preferred.emplace_back(
        cells_.table(PodCells::Kind::Selected, {weighted.term.selector}, weighted.term.key),
        weighted.weight);
  }
}

template <class Use>
void PodAffinity::each_repeller(PodClassId pod_class, Use use) const {
  for (PodSelectorId selector : spec(pod_class).matched) {
    for (CellTableId id : cells_.owners(PodCells::Kind::RepellingOwners, selector)) use(id);
  }
}

template <class Use>
void PodAffinity::each_attractor(PodClassId pod_class, Use use) const {
  for (PodSelectorId selector : spec(pod_class).matched) {
    for (CellTableId id : cells_.owners(PodCells::Kind::WeightedOwners, selector)) use(id);
  }
}

bool PodAffinity::applies(PodClassId pod_class) const {
  if (!terms(pod_class).anti.empty()) return true;
  bool repelled = false;
  each_repeller(pod_class,
                [&](CellTableId id) { repelled = repelled || cells_.values(id).single; });
  return repelled;
}

void PodAffinity::count_fit(PodClassId pod_class, FitMode mode, std::span<const NodeId> nodes,
                            std::span<int32_t> counts) const {
  const Terms& mine = terms(pod_class);
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (counts[i] <= 0) continue;
    if (refusal(pod_class, mode, nodes[i]) != ReasonCode::None) counts[i] = 0;
    for (StrId key : mine.self_anti) {
      bool has_key = view_->node_values->of(key).of_node[nodes[i]] != KeyValues::kNone;
      if (has_key) counts[i] = std::min(counts[i], 1);
    }
  }
}

ReasonCode PodAffinity::refusal(PodClassId pod_class, FitMode mode, NodeId node) const {
  for (CellTableId id : terms(pod_class).anti) {
    if (cells_.values(id).single && cells_.at(id, node).in_the_way(mode) > 0) {
      return ReasonCode::PodAntiAffinityConflict;
    }
  }
  bool repelled = false;
  each_repeller(pod_class, [&](CellTableId id) {
    repelled = repelled || (cells_.values(id).single && cells_.at(id, node).in_the_way(mode) > 0);
  });
  return repelled ? ReasonCode::ExistingPodAntiAffinity : ReasonCode::None;
}

bool PodAffinity::links(PodClassId pod_class) const {
  const Terms& mine = terms(pod_class);
  if (mine.attracted) return true;
  bool linked = false;
  auto look = [&](CellTableId id) { linked = linked || !cells_.values(id).single; };
  for (CellTableId id : mine.anti) look(id);
  each_repeller(pod_class, look);
  return linked;
}

void PodAffinity::link_keys(PodClassId pod_class, std::vector<StrId>& keys) const {
  for (const PodTerm& term : spec(pod_class).pod_affinity) keys.push_back(term.key);
  auto add = [&](CellTableId id) {
    if (!cells_.values(id).single) keys.push_back(cells_.key(id));
  };
  for (CellTableId id : terms(pod_class).anti) add(id);
  each_repeller(pod_class, add);
}

// Whether no pod that meets all the terms is on a node that has a term's key.
bool PodAffinity::alone(const Terms& terms, FitMode mode) const {
  return std::all_of(terms.affinity.begin(), terms.affinity.end(),
                     [&](CellTableId id) { return cells_.total(id).present(mode) == 0; });
}

ReasonCode PodAffinity::affinity_verdict(const Terms& terms, FitMode mode, NodeId node) const {
  if (!terms.attracted) return ReasonCode::None;
  if (terms.unmeetable) return ReasonCode::PodAffinityMismatch;
  bool company = true;
  for (CellTableId id : terms.affinity) {
    bool has_key = cells_.values(id).of_node[node] != KeyValues::kNone;
    if (!has_key) return ReasonCode::PodAffinityMismatch;
    company = company && cells_.at(id, node).present(mode) > 0;
  }
  // The first of pods that require affinity to each other may go anywhere.
  if (company || (terms.attracts_itself && alone(terms, mode))) return ReasonCode::None;
  return ReasonCode::PodAffinityMismatch;
}

ReasonCode PodAffinity::link_verdict(PodClassId pod_class, FitMode mode, NodeId node) const {
  const Terms& mine = terms(pod_class);
  if (ReasonCode code = affinity_verdict(mine, mode, node); code != ReasonCode::None) return code;
  for (CellTableId id : mine.anti) {
    if (!cells_.values(id).single && cells_.at(id, node).in_the_way(mode) > 0) {
      return ReasonCode::PodAntiAffinityConflict;
    }
  }
  bool repelled = false;
  each_repeller(pod_class, [&](CellTableId id) {
    repelled = repelled || (!cells_.values(id).single && cells_.at(id, node).in_the_way(mode) > 0);
  });
  return repelled ? ReasonCode::ExistingPodAntiAffinity : ReasonCode::None;
}

bool PodAffinity::order_matters(PodClassId pod_class) const { return terms(pod_class).attracted; }

void PodAffinity::binding_keys(PodClassId pod_class, FitMode mode, std::vector<StrId>& keys) const {
  const Terms& mine = terms(pod_class);
  if (!mine.attracts_itself || mine.unmeetable || !alone(mine, mode)) return;
  for (CellTableId id : mine.affinity) keys.push_back(cells_.key(id));
}

void PodAffinity::exclusive_keys(PodClassId pod_class, std::vector<StrId>& keys) const {
  const std::vector<StrId>& mine = terms(pod_class).self_anti;
  keys.insert(keys.end(), mine.begin(), mine.end());
}

bool PodAffinity::meets_affinity(PodClassId pod_class, PodClassId other) const {
  const PodSpec& mine = spec(pod_class);
  const std::vector<PodSelectorId>& matched = spec(other).matched;
  return !mine.pod_affinity.empty() &&
         std::all_of(mine.pod_affinity.begin(), mine.pod_affinity.end(),
                     [&](const PodTerm& term) { return holds(matched, term.selector); });
}

bool PodAffinity::scores_links(PodClassId pod_class) const {
  if (!terms(pod_class).preferred.empty()) return true;
  bool attracted = false;
  each_attractor(pod_class, [&](CellTableId id) { attracted = attracted || !cells_.empty(id); });
  return attracted;
}

void PodAffinity::score_keys(PodClassId pod_class, std::vector<StrId>& keys) const {
  for (const auto& [id, weight] : terms(pod_class).preferred) keys.push_back(cells_.key(id));
  each_attractor(pod_class, [&](CellTableId id) { keys.push_back(cells_.key(id)); });
}

void PodAffinity::score_links(PodClassId pod_class, FitMode mode, std::span<const NodeId> nodes,
                              double weight, std::span<double> out) const {
  const Terms& mine = terms(pod_class);
  std::vector<CellTableId> attractors;
  each_attractor(pod_class, [&](CellTableId id) {
    if (!cells_.empty(id)) attractors.push_back(id);
  });
  std::vector<int64_t> raw(nodes.size(), 0);
  int64_t least = std::numeric_limits<int64_t>::max();
  int64_t most = std::numeric_limits<int64_t>::min();
  for (size_t i = 0; i < nodes.size(); ++i) {
    for (const auto& [id, factor] : mine.preferred) {
      raw[i] += factor * cells_.at(id, nodes[i]).in_the_way(mode);
    }
    for (CellTableId id : attractors) raw[i] += cells_.at(id, nodes[i]).in_the_way(mode);
    least = std::min(least, raw[i]);
    most = std::max(most, raw[i]);
  }
  if (nodes.empty() || most == least) return;
  for (size_t i = 0; i < nodes.size(); ++i) {
    // Kubernetes' scores are whole numbers, 0 to 100.
    double share =
        100.0 * (static_cast<double>(raw[i] - least) / static_cast<double>(most - least));
    out[i] += weight * static_cast<double>(static_cast<int64_t>(share));
  }
}

}  // namespace trellis
