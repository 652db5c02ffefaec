#include "actions/waiting/look_ahead.h"

#include <algorithm>
#include <utility>

#include "actions/waiting/order_search.h"

namespace trellis {
namespace {

std::vector<GangId> placed_gangs(std::span<const GangTurn> run) {
  std::vector<GangId> placed;
  for (const GangTurn& turn : run) {
    if (turn.placed()) placed.push_back(turn.gang());
  }
  return placed;
}

bool contains(const std::vector<GangId>& gangs, GangId gang) {
  return std::ranges::find(gangs, gang) != gangs.end();
}

}  // namespace

// Pods above a minimum keep their turn, and so does a gang that has waited for limits.reserveAfter.
bool LookAhead::may_change(GangId gang) const {
  if (session_.config().limits.look_ahead < 2 || session_.has_minimum(gang)) return false;
  TimeUs after = session_.config().limits.reserve_after_us;
  if (after <= 0) return true;
  TimeUs since = session_.waiting_since(gang);
  return since == kNoTime || session_.now() - since < after;
}

bool LookAhead::joins(std::span<const GangTurn> run) {
  if (!run.front().may_change || !run.front().placed()) return false;
  if (static_cast<int64_t>(run.size()) >= session_.config().limits.look_ahead) return false;
  GangId gang = queue_.next();
  if (!queue_.same_queue(run.front().gang(), gang) || !may_change(gang)) return false;
  // A gang that is behind the head, though the head has its minimum by now, differs in rank.
  bool behind = std::ranges::any_of(session_.hooks().gang_orders, [&](const auto& order) {
    return order.point->compare(run.front().gang(), gang) < 0;
  });
  if (behind) return false;
  // Pods that follow above a minimum have their turn before the gang, or after it.
  return std::ranges::all_of(run, [&](const GangTurn& turn) {
    bool grows = turn.placed() && session_.snapshot().gang_counts()[turn.gang()].waiting > 0;
    return !grows || session_.gang_before(gang, turn.gang());
  });
}

void LookAhead::improve(std::vector<GangTurn>& run) {
  if (std::ranges::none_of(run, &GangTurn::waits) || run.size() < 2) return;
  std::vector<GangId> before = placed_gangs(run);
  for (GangId gang : OrderSearch({session_, search_, queue_, work_}, run).improve()) {
    queue_.push(gang);
    std::erase(before, gang);
  }
  std::vector<GangId> after = placed_gangs(run);
  auto first = std::ranges::find_if(after, [&](GangId gang) { return !contains(before, gang); });
  if (first == after.end()) return;
  for (GangId gang : before) {
    if (!contains(after, gang)) passed_.push_back({gang, *first});
  }
}

void LookAhead::add_reasons() {
  for (const Passed& passed : passed_) {
    Reason reason;
    reason.code = ReasonCode::PassedOver;
    const Gang& other = session_.cluster().gangs()[passed.by];
    reason.subject = session_.cluster().vocabulary().strings.view(other.name_space);
    reason.subject += "/" + other.name;
    session_.add_reason(passed.gang, std::move(reason));
  }
}

}  // namespace trellis
