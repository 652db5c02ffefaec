#include "session/placement/linked_fill.h"

namespace trellis {
LinkedFill::LinkedFill(PlacementContext& context, const SearchRow& row,
                       std::span<const NodeId> nodes, FitMode mode, SearchBudget& budget)
    : context_(context),
      row_(row),
      nodes_(nodes),
      mode_(mode),
      budget_(budget),
      kept_(nodes.data() == context.snapshot().all_nodes().node_order().data() &&
            nodes.size() == context.snapshot().all_nodes().node_order().size()),
      scored_(context.fits().scores_links(row.pod_class)),
      ranking_(&own_) {
  if (kept_) {
    ranking_ = &context_.fits().linked_ranking(row_.pod_class, mode_);
  } else {
    budget_.spend(kRankWork * nodes_.size());
    own_ = context_.fits().rank_linked(row_.pod_class, mode_, nodes_);
  }
}

size_t LinkedFill::run() {
  if (!budget_.go_on(0)) return 0;
  FitCache& fits = context_.fits();
  uint64_t epoch = fits.affinity_epoch();
  if (scored_) score_groups();
  while (placed_ < row_.pods.size() && budget_.go_on(kVerdictWork)) {
    uint32_t group = ranking_->best_group();
    if (group == LinkedRanking::kNone) break;
    NodeId node = nodes_[ranking_->best_in(group)];
    if (!scored_ && !fits.link_verdict(row_.pod_class, mode_, node).passes()) {
      set_aside(group);
      continue;
    }
    size_t before = placed_;
    place_next(group);
    if (scored_) {
      score_groups();
    } else if (placed_ > before && fits.affinity_epoch() != epoch) {
      epoch = fits.affinity_epoch();
      take_back_in();
    }
  }
  leave_as_found();
  return placed_;
}

void LinkedFill::place_next(uint32_t group) {
  uint32_t position = ranking_->best_in(group);
  int64_t followers = static_cast<int64_t>(row_.pods.size() - placed_) - 1;
  if (context_.statement().place(row_.pods[placed_], nodes_[position], mode_, followers)) {
    ++placed_;
    follow(position);
  } else {
    refused_.push_back(position);
    ranking_->update(position, NodeRanking::kUnfit, 0);
  }
}

void LinkedFill::follow(uint32_t position) {
  FitCache& fits = context_.fits();
  if (kept_) {
    ranking_ = &fits.linked_ranking(row_.pod_class, mode_);
    return;
  }
  NodeId node = nodes_[position];
  int32_t fit = fits.fit_now(row_.pod_class, mode_, node);
  double score = NodeRanking::kUnfit;
  if (fit > 0) fits.score(row_.pod_class, mode_, {&node, 1}, {&score, 1});
  ranking_->update(position, score, fit);
}

// Scores the groups that pass against each other.
void LinkedFill::score_groups() {
  FitCache& fits = context_.fits();
  budget_.spend(kScoreWork * ranking_->groups());
  std::vector<NodeId> open;
  std::vector<uint32_t> groups;
  for (uint32_t group = 0; group < ranking_->groups(); ++group) {
    uint32_t best = ranking_->best_in(group);
    if (best == LinkedRanking::kNone) continue;
    if (!fits.link_verdict(row_.pod_class, mode_, nodes_[best]).passes()) continue;
    open.push_back(nodes_[best]);
    groups.push_back(group);
  }
  std::vector<double> scores(open.size(), 0.0);
  fits.score_links(row_.pod_class, mode_, open, scores);
  std::vector<double> bonuses(ranking_->groups(), NodeRanking::kUnfit);
  for (size_t i = 0; i < groups.size(); ++i) bonuses[groups[i]] = scores[i];
  ranking_->set_bonuses(bonuses);
}

void LinkedFill::set_aside(uint32_t group) {
  aside_.push_back(group);
  ranking_->set_bonus(group, NodeRanking::kUnfit);
}

void LinkedFill::take_back_in() {
  budget_.spend(aside_.size());
  for (uint32_t group : aside_) ranking_->set_bonus(group, 0.0);
  aside_.clear();
}

void LinkedFill::leave_as_found() {
  if (!kept_) return;
  take_back_in();
  if (scored_) ranking_->set_bonuses(std::vector<double>(ranking_->groups(), 0.0));
  kept_ = false;  // recompute each, whatever the change log contains
  for (uint32_t position : refused_) follow(position);
}

}  // namespace trellis
