#include "server/plan/plan_search.h"

#include <algorithm>
#include <set>
#include <utility>

#include "server/plan/node_estimate.h"
#include "server/view/gang_summary.h"

namespace trellis {
namespace {

constexpr int kMostRounds = 6;           // of mending the first guess
constexpr int64_t kTrialWork = 400'000;  // nodes and pods of all trials
constexpr int64_t kLeastTrials = 24;
constexpr int64_t kMostTrials = 2'000;
constexpr size_t kStateWork = 2'000'000;  // offers of all states that the enumeration looks at
constexpr size_t kMostPairs = 4'000;      // of nodes that are replaced by one

int64_t trials_for(const Cluster& cluster) {
  auto size = static_cast<int64_t>(cluster.nodes().size() + cluster.pods().size());
  return std::clamp(kTrialWork / std::max<int64_t>(size, 1), kLeastTrials, kMostTrials);
}

}  // namespace

bool runs(const CycleRecord& record, GangId gang) { return is_placed(record.gangs[gang].status); }

bool all_run(const CycleRecord& record, std::span<const GangId> gangs) {
  return std::ranges::all_of(gangs, [&](GangId gang) { return runs(record, gang); });
}

PlanSearch::PlanSearch(Engine& engine, PlanTrial& trial, const NodeMarket& market,
                       const DemandRows& rows)
    : engine_(engine),
      trial_(trial),
      market_(market),
      rows_(rows),
      trials_left_(trials_for(engine.cluster())) {}

NodeCounts PlanSearch::first(std::vector<GangId>& wanted, std::vector<GangId>& refused) {
  NodeCounts counts(market_.offers.size());
  auto refuse = [&](GangId gang) {
    std::erase(wanted, gang);
    refused.push_back(gang);
  };
  for (int round = 0;; ++round) {
    std::shared_ptr<const CycleRecord> record = trial_.run(counts);
    std::vector<GangId> waiting = wanted;
    std::erase_if(waiting, [&](GangId gang) { return runs(*record, gang); });
    if (waiting.empty()) return counts;
    NodeEstimate estimate(engine_.scheduler().session(), market_, rows_, counts);
    for (GangId gang : waiting) {
      std::span<const Reason> reasons = record->gangs[gang].reasons;
      bool helps = !reasons.empty() && more_nodes_help(reasons.front().code);
      if (round >= kMostRounds || !helps || !estimate.add(gang)) refuse(gang);
    }
    NodeCounts more = estimate.counts();
    std::erase_if(waiting, [&](GangId gang) { return std::ranges::count(wanted, gang) == 0; });
    if (more == counts && !waiting.empty()) add_one_of_each(more);
    if (more == counts) std::ranges::for_each(waiting, refuse);
    counts = std::move(more);
  }
}

// What a gang lacks may be nothing that counts show.
void PlanSearch::add_one_of_each(NodeCounts& counts) const {
  for (int64_t& count : counts) {
    ++count;
    if (!within_limits(market_, counts)) --count;
  }
}

PlanSearch::Result PlanSearch::improve(NodeCounts counts, const PlanBound& bound,
                                       std::span<const GangId> wanted) {
  best_ = std::move(counts);
  bound_ = &bound;
  wanted_ = wanted;
  known_.clear();
  drop_unused();
  shrink();
  replace();
  bool all_tried = enumerate();
  return {best_, all_tried || price_of(market_, best_) <= bound.price_micro()};
}

bool PlanSearch::suffices(const NodeCounts& counts) {
  if (!within_limits(market_, counts) || !bound_->may_suffice(counts)) return false;
  auto known = known_.find(counts);
  if (known != known_.end()) return known->second;
  if (trials_left_ <= 0) return false;
  --trials_left_;
  bool enough = all_run(*trial_.run(counts), wanted_);
  known_.emplace(counts, enough);
  return enough;
}

bool PlanSearch::is_better(const NodeCounts& counts) const {
  return std::pair(price_of(market_, counts), sum_of(counts)) <
         std::pair(price_of(market_, best_), sum_of(best_));
}

bool PlanSearch::take(const NodeCounts& counts) {
  if (!is_better(counts) || !suffices(counts)) return false;
  best_ = counts;
  return true;
}

void PlanSearch::drop_unused() {
  constexpr int kMostTimes = 3;
  for (int i = 0; i < kMostTimes; ++i) {
    std::shared_ptr<const CycleRecord> record = trial_.run(best_);
    std::set<NodeId> used;
    const Cluster& cluster = engine_.cluster();
    for (PodId pod : cluster.pods_by_name()) {
      const PodOutcome& outcome = record->pods[pod];
      if (outcome.node.valid() && !has_finished(outcome.status)) used.insert(outcome.node);
    }
    NodeCounts fewer(best_.size());
    for (size_t offer = 0; offer < best_.size(); ++offer) {
      for (int64_t number = 0; number < best_[offer]; ++number) {
        if (used.contains(trial_.node(offer, number))) ++fewer[offer];
      }
    }
    if (!take(fewer)) return;
  }
}

// The most expensive nodes first.
void PlanSearch::shrink() {
  std::vector<size_t> offers;
  for (size_t i = 0; i < best_.size(); ++i) {
    if (best_[i] > 0) offers.push_back(i);
  }
  std::ranges::stable_sort(offers, [&](size_t a, size_t b) {
    return saturating_product(market_.price_of(a), best_[a]) >
           saturating_product(market_.price_of(b), best_[b]);
  });
  for (size_t offer : offers) {
    int64_t too_few = -1;
    while (too_few + 1 < best_[offer]) {
      NodeCounts fewer = best_;
      // One node less is the likeliest to fail: whether that does is asked first.
      bool begins = too_few < 0;
      fewer[offer] = begins ? best_[offer] - 1 : (too_few + best_[offer]) / 2;
      int64_t tried = fewer[offer];
      if (!take(fewer)) too_few = tried;
      if (begins && too_few < 0) {
        NodeCounts none = best_;
        none[offer] = 0;
        if (!take(none)) too_few = 0;
      }
    }
  }
  if (!offers.empty()) rise(offers.front());
}

// More nodes can lead the cycle to other places, so that fewer may do where bisection found that
// they do not: the fewest that may suffice are tried first.
void PlanSearch::rise(size_t offer) {
  int64_t tries = trials_left_ / 2;
  for (int64_t count = 0; count < best_[offer] && tries > 0; ++count) {
    NodeCounts fewer = best_;
    fewer[offer] = count;
    if (!bound_->may_suffice(fewer)) continue;
    --tries;
    if (take(fewer)) return;
  }
}

void PlanSearch::replace() {
  bool better = price_of(market_, best_) > bound_->price_micro();
  size_t pairs = 0;
  while (better && trials_left_ > 0) {
    better = false;
    for (size_t one = 0; one < best_.size(); ++one) {
      for (size_t two = one; two < best_.size() && pairs < kMostPairs; ++two) {
        bool has = best_[one] > 0 && best_[two] > 0;
        if (!has) continue;
        ++pairs;
        better = replace_one(one, two) || better;
      }
    }
  }
}

// A cheaper node instead of one, or of two.
bool PlanSearch::replace_one(size_t sold, size_t also_sold) {
  for (size_t bought = 0; bought < best_.size(); ++bought) {
    if (best_[sold] == 0 || best_[also_sold] == 0) return false;
    NodeCounts other = best_;
    --other[sold];
    ++other[bought];
    if (sold == also_sold && take(other)) return true;
    if (other[also_sold] == 0) continue;
    --other[also_sold];
    if (take(other)) return true;
  }
  return false;
}

// Tries all counts that are better than the best, in order of price and number; true: none suffices
// but the best.
bool PlanSearch::enumerate() {
  struct State {
    int64_t price = 0;
    int64_t nodes = 0;
    size_t last = 0;  // only this offer and later ones are added
    NodeCounts counts;
    auto operator<=>(const State&) const = default;
  };
  std::set<State> open = {{.counts = NodeCounts(best_.size())}};
  size_t work = 0;
  while (!open.empty()) {
    State state = std::move(open.extract(open.begin()).value());
    if (!is_better(state.counts)) return true;
    bool may = state.price >= bound_->price_micro() && bound_->may_suffice(state.counts);
    if (may && trials_left_ <= 0 && !known_.contains(state.counts)) return false;
    if (may && take(state.counts)) return true;
    for (size_t i = state.last; i < best_.size(); ++i) {
      work += best_.size();
      if (work > kStateWork) return false;
      State next{.nodes = state.nodes + 1, .last = i, .counts = state.counts};
      ++next.counts[i];
      next.price = price_of(market_, next.counts);
      if (is_better(next.counts) && within_limits(market_, next.counts)) {
        open.insert(std::move(next));
      }
    }
  }
  return true;
}

}  // namespace trellis
