#include "actions/waiting/order_search.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <tuple>
#include <utility>

#include "framework/topology_levels.h"
#include "session/placement/gang_needs.h"

namespace trellis {
namespace {

// How many domains the level has that the gang, or a part of it, requires.
uint32_t required_domains(const Session& session, GangId id) {
  const Gang& gang = session.cluster().gangs()[id];
  const StringTable& strings = session.cluster().vocabulary().strings;
  uint32_t most = 0;
  auto consider = [&](const TopologyConstraint& constraint) {
    if (!constraint.required.valid()) return;
    TopologyId topology = session.cluster().find_topology(strings.view(constraint.topology));
    if (!topology.valid()) return;
    const Topology& record = session.cluster().topologies()[topology];
    int level = resolve_levels(record, constraint, strings).required;
    if (level >= 0) most = std::max(most, session.snapshot().trees()[topology].level(level).size());
  };
  consider(gang.topology);
  for (const Subgroup& subgroup : gang.subgroups) consider(subgroup.topology);
  return most;
}

int64_t requested_gpus(const Session& session, GangId gang) {
  int64_t gpus = 0;
  for (PodId pod : next_pods(session, gang)) {
    PodClassId pod_class = session.snapshot().key(pod).pod_class;
    const QueueLedger& queues = session.snapshot().queues();
    gpus += queues.amounts(session.cluster(), pod_class, NodeId())[QueueResource::Gpu];
  }
  return gpus;
}

}  // namespace

OrderSearch::OrderSearch(const OrderTrial::Input& input, std::vector<GangTurn>& run)
    : session_(input.session),
      run_(run),
      trial_(input, run),
      values_(input.session),
      head_(run.front().gang()),
      head_promised_(is_promised(head_)),
      plain_(order_of_run()),
      plain_waits_(waiting_of_run()),
      best_(plain_),
      best_value_(values_.of(run)),
      best_waits_(plain_waits_) {}

OrderSearch::Order OrderSearch::order_of_run() const {
  Order order;
  for (const GangTurn& turn : run_) order.push_back(turn.gang());
  return order;
}

std::vector<GangTurn> OrderSearch::waiting_of_run() const {
  std::vector<GangTurn> waiting;
  std::ranges::copy_if(run_, std::back_inserter(waiting), &GangTurn::waits);
  return waiting;
}

bool OrderSearch::is_promised(GangId gang) const {
  return std::ranges::any_of(session_.statement().decisions(), [&](const Decision& decision) {
    bool its = session_.snapshot().key(decision.pod).gang == gang;
    return its && decision.kind == Decision::Kind::Pipeline;
  });
}

bool OrderSearch::head_kept() const {
  auto head = std::ranges::find(run_, head_, &GangTurn::gang);
  return head->placed() && (head_promised_ || !is_promised(head_));
}

// An order can only help gangs that have a place before all others.
void OrderSearch::set_aside_hopeless() {
  best_waits_.clear();
  for (const GangTurn& turn : plain_waits_) {
    GangId gang = turn.gang();
    bool helps = trial_.run(std::span(&gang, 1)) && run_.front().placed();
    (helps ? best_waits_ : hopeless_).push_back(turn);
  }
  for (const GangTurn& turn : hopeless_) std::erase(best_, turn.gang());
}

bool OrderSearch::try_order(const Order& order) {
  if (!trial_.run(order) || !head_kept()) return false;
  OrderValue value = values_.of(run_);
  if (!values_.better(value, best_value_, value)) return false;
  best_ = order;
  best_value_ = std::move(value);
  best_waits_ = waiting_of_run();
  return true;
}

std::vector<OrderSearch::Demand> OrderSearch::demands(const Order& order) {
  trial_.restore({}, {});
  std::vector<Demand> demands;
  for (GangId gang : order) {
    demands.push_back({gang, requested_gpus(session_, gang), required_domains(session_, gang)});
  }
  return demands;
}

// The largest first, and those that are bound to the smallest domains first; both also behind the
// head.
void OrderSearch::try_sorted() {
  std::vector<Demand> sorted = demands(best_);
  auto try_both = [&] {
    Order order;
    for (const Demand& demand : sorted) order.push_back(demand.gang);
    try_order(order);
    auto head = std::ranges::find(order, head_);
    std::rotate(order.begin(), head, head + 1);
    try_order(order);
  };
  std::ranges::stable_sort(sorted, std::greater(), &Demand::gpus);
  try_both();
  std::ranges::stable_sort(sorted, std::greater(), &Demand::domains);
  try_both();
}

// Puts a gang that waits before gangs that have a place; false: no such order is better.
bool OrderSearch::promote_one() {
  Order base = best_;
  for (const GangTurn& turn : std::vector<GangTurn>(best_waits_)) {
    GangId gang = turn.gang();
    auto from = std::ranges::find(base, gang);
    for (auto to = base.begin(); to != from; ++to) {
      Order order(base.begin(), to);
      order.push_back(gang);
      order.insert(order.end(), to, from);
      order.insert(order.end(), from + 1, base.end());
      if (try_order(order)) return true;
      if (trial_.spent()) return false;
    }
  }
  return false;
}

void OrderSearch::search() {
  set_aside_hopeless();
  if (best_waits_.empty()) return trial_.restore(plain_, plain_waits_);
  const Order before = best_;
  try_sorted();
  while (!best_waits_.empty() && promote_one()) {
  }
  if (best_ == before) return trial_.restore(plain_, plain_waits_);
  for (const GangTurn& turn : hopeless_) best_.push_back(turn.gang());
  best_waits_.insert(best_waits_.end(), hopeless_.begin(), hopeless_.end());
  trial_.restore(best_, best_waits_);
}

// Ranks are compared before any of the gangs has a place, because places change them.
OrderSearch::Order OrderSearch::cut_at_rank() {
  trial_.restore({}, {});
  auto first = std::ranges::find_if(plain_, [&](GangId gang) {
    return std::ranges::any_of(session_.hooks().gang_orders, [&](const auto& order) {
      return order.point->compare(head_, gang) != 0;
    });
  });
  Order others(first, plain_.end());
  plain_.erase(first, plain_.end());
  return others;
}

std::vector<GangId> OrderSearch::improve() {
  Order others = cut_at_rank();
  if (!others.empty()) {
    trial_.restore(plain_, plain_waits_);
    plain_waits_ = waiting_of_run();
    best_ = plain_;
    best_value_ = values_.of(run_);
    if (plain_waits_.empty()) return others;
  }
  search();
  return others;
}

}  // namespace trellis
