#include "plugins/quota/fair_walk.h"

#include <compare>
#include <numeric>

namespace trellis {
namespace {

std::span<const QuotaAmount> held_by(const View& view, const Candidate& candidate) {
  return (*view.quota_holdings)[candidate.workload].amounts;
}

}  // namespace

std::vector<FairStrategy> parse_fair_strategies(std::string_view names) {
  std::vector<FairStrategy> strategies;
  while (!names.empty()) {
    std::string_view name = names.substr(0, names.find(','));
    names.remove_prefix(std::min(names.size(), name.size() + 1));
    if (name == "LessThanOrEqualToFinalShare") {
      strategies.push_back(FairStrategy::LessThanOrEqualToFinalShare);
    }
    if (name == "LessThanInitialShare") strategies.push_back(FairStrategy::LessThanInitialShare);
  }
  if (!strategies.empty()) return strategies;
  return {FairStrategy::LessThanOrEqualToFinalShare, FairStrategy::LessThanInitialShare};
}

bool share_allows(const View& view, const Contest& contest, const Candidate& candidate,
                  FairStrategy strategy, QuotaTrial& trial) {
  const QuotaTree& tree = *view.quota_tree;
  Sides side = sides(tree, contest.node, candidate.node);
  QuotaShare own = quota_share(tree, trial.usage(), side.a);
  if (strategy == FairStrategy::LessThanInitialShare) {
    return std::is_lt(compare(own, quota_share(tree, trial.usage(), side.b)));
  }
  trial.take(candidate.node, held_by(view, candidate));
  QuotaShare left = quota_share(tree, trial.usage(), side.b);
  trial.add(candidate.node, held_by(view, candidate));
  return std::is_lteq(compare(own, left));
}

FairWalk::FairWalk(const View& view, const Contest& contest, std::span<const Candidate> candidates,
                   QuotaTrial& trial)
    : view_(view),
      tree_(*view.quota_tree),
      contest_(contest),
      candidates_(candidates),
      trial_(trial),
      of_queue_(tree_.node_count()),
      exhausted_(tree_.node_count(), 0),
      above_own_(tree_.node_count(), 0) {
  root_ = contest.node;
  for (QuotaNodeId at = tree_.parent(root_); at.valid(); at = tree_.parent(at)) {
    above_own_[at] = 1;
    root_ = at;
  }
}

Departures FairWalk::run(std::span<const FairStrategy> strategies, Until until) {
  until_ = until;
  trial_.add(contest_.node, contest_.amounts);
  std::vector<uint32_t> all(candidates_.size());
  std::iota(all.begin(), all.end(), 0);
  sort_in(all);
  bool done = first_pass(strategies.front());
  if (!done && strategies.size() > 1) {
    sort_in(spared_);
    done = second_pass();
  }
  trial_.take(contest_.node, contest_.amounts);
  departures_.fits = done;
  return std::move(departures_);
}

void FairWalk::sort_in(std::span<const uint32_t> candidates) {
  for (Candidates& own : of_queue_) own = {};
  exhausted_.assign(tree_.node_count(), 0);
  for (uint32_t i : candidates) of_queue_[candidates_[i].node].candidates.push_back(i);
}

uint32_t FairWalk::pop(QuotaNodeId queue) {
  Candidates& own = of_queue_[queue];
  return own.candidates[own.next++];
}

bool FairWalk::first_pass(FairStrategy strategy) {
  for (QuotaNodeId queue = next_target(); queue.valid(); queue = next_target()) {
    const Candidates& own = of_queue_[queue];
    bool by_share = candidates_[own.candidates[own.next]].kind == CandidateKind::ByShare;
    if (by_share ? lose_by_share(queue, strategy) : leave(pop(queue))) return true;
  }
  return false;
}

bool FairWalk::second_pass() {
  for (QuotaNodeId queue = next_target(); queue.valid(); queue = next_target()) {
    uint32_t next = pop(queue);
    exhausted_[queue] = 1;  // one candidate a queue
    if (share_allows(view_, contest_, candidates_[next], FairStrategy::LessThanInitialShare,
                     trial_) &&
        leave(next)) {
      return true;
    }
  }
  return false;
}

// The first candidate of the queue that may leave does; then shares have changed, and another queue
// may come next.
bool FairWalk::lose_by_share(QuotaNodeId queue, FairStrategy strategy) {
  while (!of_queue_[queue].empty()) {
    uint32_t next = pop(queue);
    if (share_allows(view_, contest_, candidates_[next], strategy, trial_)) return leave(next);
    spared_.push_back(next);
  }
  return false;
}

bool FairWalk::leave(uint32_t candidate) {
  trial_.take(candidates_[candidate].node, held_by(view_, candidates_[candidate]));
  departures_.order.push_back(candidate);
  return until_ == Until::Fit && fits_now();
}

bool FairWalk::fits_now() {
  trial_.take(contest_.node, contest_.amounts);
  bool fit = fits(tree_, trial_.usage(), contest_, Borrowing::Allowed);
  trial_.add(contest_.node, contest_.amounts);
  return fit;
}

// kNone: no workload is left.
QuotaNodeId FairWalk::next_target() {
  if (root_ == contest_.node) return of_queue_[root_].empty() ? QuotaNodeId() : root_;
  QuotaNodeId at = root_;
  while (exhausted_[root_] == 0) {
    QuotaNodeId highest = highest_child(at);
    if (highest.valid() && tree_.queue(highest).valid()) return highest;
    if (!highest.valid()) exhausted_[at] = 1;
    at = highest.valid() ? highest : root_;
  }
  return {};
}

// Of equal shares, a Cohort comes first, or the queue whose next candidate leaves first.
QuotaNodeId FairWalk::highest_child(QuotaNodeId cohort) {
  QuotaNodeId highest;
  QuotaShare share_of_highest;
  QuotaTree::Nodes children = tree_.children(cohort);
  for (uint32_t i = 0; i < children.count; ++i) {
    QuotaNodeId child = children[i];
    if (exhausted_[child] != 0) continue;
    QuotaShare share = quota_share(tree_, trial_.usage(), child);
    if (is_exhausted(child, share)) {
      exhausted_[child] = 1;
      continue;
    }
    auto order = highest.valid() ? compare(share, share_of_highest) : std::weak_ordering::greater;
    if (std::is_gt(order) || (std::is_eq(order) && loses_first(child, highest))) {
      highest = child;
      share_of_highest = share;
    }
  }
  return highest;
}

// A node that borrows nothing loses nothing, except the workload's own queue and the Cohorts above
// it.
bool FairWalk::is_exhausted(QuotaNodeId node, const QuotaShare& share) const {
  if (!tree_.queue(node).valid()) return !share.borrowing && above_own_[node] == 0;
  return of_queue_[node].empty() || (!share.borrowing && node != contest_.node);
}

bool FairWalk::loses_first(QuotaNodeId a, QuotaNodeId b) const {
  if (!tree_.queue(a).valid() || !tree_.queue(b).valid()) return false;  // Cohorts come first
  const Candidate& of_a = candidates_[of_queue_[a].candidates[of_queue_[a].next]];
  const Candidate& of_b = candidates_[of_queue_[b].candidates[of_queue_[b].next]];
  if (a == contest_.node || b == contest_.node) return b == contest_.node;
  return leaves_before(view_, of_a, of_b);
}

}  // namespace trellis
