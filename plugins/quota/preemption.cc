#include "plugins/quota/preemption.h"

#include <algorithm>
#include <utility>

#include "framework/cluster_queue.h"

namespace trellis {
namespace {

// Without borrowing all candidates may leave; with it, all except those that only leave for a
// workload that does not borrow.
bool may_be_tried(const Candidate& candidate, Borrowing borrowing) {
  return borrowing == Borrowing::Forbidden || candidate.kind != CandidateKind::WithoutBorrowing;
}

Contest contest_of(const QuotaTree& tree, const WorkloadTurn& turn,
                   std::span<const QuotaCellId> contested) {
  return {turn.workload, turn.queue, tree.node(turn.queue), turn.amounts, contested};
}

// The turn's contested cells; where the turn lists none, the cells of which too little is left for
// it.
std::vector<QuotaCellId> contested_cells(const View& view, const WorkloadTurn& turn) {
  std::vector<QuotaCellId> cells(turn.contested.begin(), turn.contested.end());
  if (!cells.empty()) return cells;
  QuotaNodeId node = view.quota_tree->node(turn.queue);
  for (const QuotaAmount& amount : turn.amounts) {
    if (amount.amount > available(*view.quota_tree, *view.quota_usage, node, amount.cell)) {
      cells.push_back(amount.cell);
    }
  }
  return cells;
}

}  // namespace

void QuotaPreemption::open(const View& view, std::vector<FairStrategy> strategies) {
  view_ = &view;
  strategies_ = std::move(strategies);
  holders_.open(view);
}

std::vector<Candidate> QuotaPreemption::candidates(const Contest& contest) {
  return shares_fairly() ? fair_candidates(*view_, holders_, contest)
                         : classical_candidates(*view_, holders_, contest);
}

std::vector<Borrowing> QuotaPreemption::ways(const Contest& contest,
                                             std::span<const Candidate> candidates) const {
  auto any = [&](auto is) { return std::any_of(candidates.begin(), candidates.end(), is); };
  bool others = any([](const Candidate& c) { return c.kind != CandidateKind::OwnQueue; });
  if (shares_fairly() || !others) return {Borrowing::Allowed};
  if ((*view_->cluster_queues)[contest.queue].preemption.borrows) {
    return {Borrowing::Allowed, Borrowing::Forbidden};
  }
  bool under_nominal =
      std::all_of(contest.contested.begin(), contest.contested.end(), [&](QuotaCellId cell) {
        return (*view_->quota_usage)[view_->quota_tree->index(contest.node, cell)] <
               view_->quota_tree->nominal(contest.node, cell);
      });
  if (!under_nominal) return {Borrowing::Allowed};
  bool hierarchical = any([](const Candidate& c) { return c.kind == CandidateKind::Hierarchical; });
  if (hierarchical) return {Borrowing::Allowed, Borrowing::Forbidden};
  return {Borrowing::Forbidden, Borrowing::Allowed};
}

bool QuotaPreemption::still_borrows(const Contest& contest, const Candidate& candidate,
                                    QuotaUsage usage) const {
  const QuotaTree& tree = *view_->quota_tree;
  QuotaNodeId top = sides(tree, contest.node, candidate.node).b;
  for (QuotaNodeId at = candidate.node;; at = tree.parent(at)) {
    if (within_quota(tree, usage, at, contest.contested)) return false;
    if (at == top) return true;
  }
}

Departures QuotaPreemption::classical_departures(const Contest& contest,
                                                 std::span<const Candidate> candidates,
                                                 Borrowing borrowing, Until until,
                                                 QuotaTrial& trial) const {
  Departures departures;
  for (uint32_t i = 0; i < candidates.size(); ++i) {
    const Candidate& candidate = candidates[i];
    if (!may_be_tried(candidate, borrowing)) continue;
    bool own = candidate.kind == CandidateKind::OwnQueue;
    if (!own && !still_borrows(contest, candidate, trial.usage())) continue;
    trial.take(candidate.node, held_by(candidate));
    departures.order.push_back(i);
    if (until == Until::Fit && fits(*view_->quota_tree, trial.usage(), contest, borrowing)) {
      departures.fits = true;
      break;
    }
  }
  return departures;
}

Departures QuotaPreemption::departures(const Contest& contest,
                                       std::span<const Candidate> candidates, Borrowing borrowing,
                                       Until until, QuotaTrial& trial) const {
  if (!shares_fairly()) return classical_departures(contest, candidates, borrowing, until, trial);
  return FairWalk(*view_, contest, candidates, trial).run(strategies_, until);
}

void QuotaPreemption::fill_back(const Contest& contest, std::span<const Candidate> candidates,
                                Borrowing borrowing, std::vector<uint32_t>& order,
                                QuotaTrial& trial) const {
  for (size_t i = order.size() - 1; i-- > 0;) {
    const Candidate& candidate = candidates[order[i]];
    trial.add(candidate.node, held_by(candidate));
    if (fits(*view_->quota_tree, trial.usage(), contest, borrowing)) {
      order.erase(order.begin() + static_cast<ptrdiff_t>(i));
    } else {
      trial.take(candidate.node, held_by(candidate));
    }
  }
}

FlavorGrade QuotaPreemption::grade_with_others_gone(ClusterQueueId queue, WorkloadId workload,
                                                    QuotaAmount amount) {
  const QuotaTree& tree = *view_->quota_tree;
  QuotaNodeId node = tree.node(queue);
  FlavorGrade alone{FlavorMode::NoCandidates,
                    covering_subtree(tree, *view_->quota_usage, node, amount).height};
  const WorkloadPreemption& policy = (*view_->cluster_queues)[queue].preemption;
  if (policy.within_queue == PreemptWithin::Never && policy.within_cohort == ReclaimWithin::Never) {
    return alone;
  }
  Contest contest{workload, queue, node, {&amount, 1}, {&amount.cell, 1}};
  std::vector<Candidate> found = candidates(contest);
  if (found.empty()) return alone;
  for (Borrowing borrowing : ways(contest, found)) {
    QuotaTrial trial(tree, *view_->quota_usage);
    Departures leaving = departures(contest, found, borrowing, Until::Fit, trial);
    if (!leaving.fits) continue;
    fill_back(contest, found, borrowing, leaving.order, trial);
    bool own = std::any_of(leaving.order.begin(), leaving.order.end(),
                           [&](uint32_t i) { return found[i].kind == CandidateKind::OwnQueue; });
    return {own ? FlavorMode::Preempt : FlavorMode::Reclaim,
            covering_subtree(tree, trial.usage(), node, amount).height};
  }
  return alone;
}

std::vector<PreemptionAttempt> QuotaPreemption::attempts(const WorkloadTurn& turn) {
  const QuotaTree& tree = *view_->quota_tree;
  std::vector<QuotaCellId> contested = contested_cells(*view_, turn);
  Contest contest = contest_of(tree, turn, contested);
  std::vector<Candidate> found = candidates(contest);
  std::vector<PreemptionAttempt> attempts;
  if (found.empty()) return attempts;
  for (Borrowing borrowing : ways(contest, found)) {
    PreemptionAttempt& attempt = attempts.emplace_back();
    attempt.borrowing = borrowing == Borrowing::Allowed;
    attempt.contested = contested;
    QuotaTrial trial(tree, *view_->quota_usage);
    Departures leaving = departures(contest, found, borrowing, Until::End, trial);
    std::vector<bool> listed(found.size());
    auto list = [&](uint32_t i) {
      attempt.victims.push_back({found[i].workload, cause_of(found[i].kind)});
      listed[i] = true;
    };
    for (uint32_t i : leaving.order) list(i);
    attempt.in_order = attempt.victims.size();
    for (uint32_t i = 0; i < found.size(); ++i) {
      if (!listed[i] && may_be_tried(found[i], borrowing)) list(i);
    }
  }
  return attempts;
}

bool QuotaPreemption::may_lose_share(const Contest& contest, const Candidate& candidate) const {
  const QuotaTree& tree = *view_->quota_tree;
  QuotaTrial trial(tree, *view_->quota_usage);
  trial.add(contest.node, contest.amounts);
  QuotaNodeId top = sides(tree, contest.node, candidate.node).b;
  for (QuotaNodeId at = candidate.node;; at = tree.parent(at)) {
    if (!quota_share(tree, trial.usage(), at).borrowing) return false;
    if (at == top) break;
  }
  if (candidate.kind == CandidateKind::Entitled) return true;
  return std::any_of(strategies_.begin(), strategies_.end(), [&](FairStrategy strategy) {
    return share_allows(*view_, contest, candidate, strategy, trial);
  });
}

bool QuotaPreemption::may_leave(const WorkloadTurn& turn, const PreemptionAttempt& attempt,
                                const WorkloadVictim& victim) const {
  if (victim.cause == PreemptionCause::InClusterQueue) return true;
  const QuotaTree& tree = *view_->quota_tree;
  Contest contest = contest_of(tree, turn, attempt.contested);
  bool by_share = victim.cause == PreemptionCause::InCohortFairSharing;
  Candidate candidate{victim.workload, tree.node((*view_->quota_holdings)[victim.workload].queue),
                      by_share ? CandidateKind::ByShare : CandidateKind::Entitled};
  return shares_fairly() ? may_lose_share(contest, candidate)
                         : still_borrows(contest, candidate, *view_->quota_usage);
}

bool QuotaPreemption::fits_after(const WorkloadTurn& turn, const PreemptionAttempt& attempt) const {
  Contest contest = contest_of(*view_->quota_tree, turn, attempt.contested);
  return fits(*view_->quota_tree, *view_->quota_usage, contest,
              attempt.borrowing ? Borrowing::Allowed : Borrowing::Forbidden);
}

}  // namespace trellis
