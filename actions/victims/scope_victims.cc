#include "actions/victims/scope_victims.h"

#include <algorithm>
#include <tuple>

namespace trellis {

bool ScopeVictims::Worse::operator()(const Offer& a, const Offer& b) const {
  VictimCost x = a.cost;
  VictimCost y = b.cost;
  x.broken *= b.gain;
  y.broken *= a.gain;
  return std::tie(y, b.position) < std::tie(x, a.position);
}

int64_t ScopeVictims::recount(NodeId node) {
  if (!scope_.contains(node)) return 0;
  uint32_t at = scope_.tree->position(node) - scope_.range.first;
  int32_t fit = context_.fits().fit_now(pod_class_, FitMode::Future, node);
  int64_t change = fit - fits_[at];
  fits_[at] = fit;
  return change;
}

// How many more pods fit, when the victims have left, on all nodes in the scope where they run.
int64_t ScopeVictims::gain_of(const NodeVictims& victims, NodeId offered) {
  if (wanted_ - room_ == 1) return 1;
  // Several units that all run on this node are just enough for one more pod.
  bool here = victims.units.size() > 1;
  for (const VictimUnit& unit : victims.units) {
    here = here && std::all_of(unit.pods.begin(), unit.pods.end(), [&](PodId pod) {
             return context_.snapshot().pod(pod).node == offered;
           });
  }
  if (here) return 1;
  Statement::Checkpoint start = context_.statement().checkpoint();
  size_t size = set_.size();
  std::vector<NodeId> nodes;
  for (const VictimUnit& unit : victims.units) {
    if (!set_.take(unit)) continue;
    for (PodId pod : unit.pods) nodes.push_back(context_.snapshot().pod(pod).node);
  }
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  int64_t gain = 0;
  for (NodeId node : nodes) {
    if (!scope_.contains(node)) continue;
    uint32_t at = scope_.tree->position(node) - scope_.range.first;
    gain += context_.fits().fit_now(pod_class_, FitMode::Future, node) - fits_[at];
  }
  set_.shrink(size);
  context_.statement().rollback(start);
  return std::clamp<int64_t>(gain, 1, std::max<int64_t>(1, wanted_ - room_));
}

void ScopeVictims::look_at(uint32_t position) {
  std::optional<NodeVictims> victims = finder_.find(pod_class_, scope_.nodes()[position]);
  if (!victims) return;
  NodeId node = scope_.nodes()[position];
  offers_.push({victims->cost, gain_of(*victims, node), position, versions_[position]});
}

// Takes the offer's victims as they are by now; false when they are no longer those of the offer.
bool ScopeVictims::take(const Offer& offer) {
  std::optional<NodeVictims> victims = finder_.find(pod_class_, scope_.nodes()[offer.position]);
  if (!victims) return false;
  if (victims->cost != offer.cost) {
    offers_.push({victims->cost, gain_of(*victims, scope_.nodes()[offer.position]), offer.position,
                  versions_[offer.position]});
    return false;
  }
  std::vector<NodeId> touched;
  for (const VictimUnit& unit : victims->units) {
    if (!set_.take(unit)) return false;
    for (PodId pod : unit.pods) touched.push_back(context_.snapshot().pod(pod).node);
  }
  std::sort(touched.begin(), touched.end());
  touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
  for (NodeId node : touched) {
    if (!scope_.contains(node)) continue;
    room_ += recount(node);
    uint32_t at = scope_.tree->position(node) - scope_.range.first;
    ++versions_[at];
    if (room_ < wanted_) look_at(at);
  }
  return true;
}

bool ScopeVictims::gather(const RowPods& row, const Scope& scope, int64_t& nodes_left) {
  pod_class_ = row.pod_class;
  scope_ = scope;
  wanted_ = static_cast<int64_t>(row.pods.size());
  room_ = 0;
  offers_ = {};
  std::span<const NodeId> nodes = scope.nodes();
  fits_.assign(nodes.size(), 0);
  versions_.assign(nodes.size(), 0);
  for (NodeId node : nodes) room_ += recount(node);
  if (room_ >= wanted_) return true;
  int64_t offered = room_;
  for (uint32_t i = 0; i < nodes.size(); ++i) {
    // Of very many nodes some are enough to choose from.
    if (nodes_left-- <= 0 || (i >= kMostNodes && offered >= 2 * wanted_)) break;
    size_t before = offers_.size();
    look_at(i);
    offered += static_cast<int64_t>(offers_.size() - before);
  }
  while (room_ < wanted_ && !offers_.empty()) {
    Offer best = offers_.top();
    offers_.pop();
    if (best.version == versions_[best.position]) take(best);
  }
  return room_ >= wanted_;
}

}  // namespace trellis
