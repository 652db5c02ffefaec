#include "plugins/numa/zone_book.h"

#include <algorithm>
#include <utility>

#include "framework/resources.h"

namespace trellis {
namespace {

// How often a pod's amounts count in each of the sums of a cell.
struct Times {
  int64_t now = 0;
  int64_t future = 0;
  int64_t freed = 0;
  int64_t stay = 0;
};

Times times_of(const ZonePod& pod) {
  bool leaves = pod.presence == Presence::Leaves || pod.presence == Presence::Evicted;
  int64_t stays = leaves ? 0 : 1;
  if (pod.reported) return {0, 0, 1 - stays, stays};
  if (pod.presence == Presence::Promised) return {0, 1, 0, 1};
  return {1, stays, 0, stays};
}

__extension__ using Wide = __int128;

int64_t within(Wide amount, int64_t most) {
  return static_cast<int64_t>(std::clamp<Wide>(amount, 0, most));
}

}  // namespace

template <class Match>
int32_t ZoneBook::find_last(PodId pod, Match matches) const {
  auto last = last_.find(pod);
  int32_t entry = last == last_.end() ? kNoEntry : last->second;
  while (entry != kNoEntry && !matches(pods_[static_cast<size_t>(entry)])) {
    entry = previous_[static_cast<size_t>(entry)];
  }
  return entry;
}

const ZonePod* ZoneBook::find(PodId pod) const {
  int32_t entry = find_last(
      pod, [](const ZonePod& one) { return one.there && one.presence != Presence::Evicted; });
  return entry == kNoEntry ? nullptr : &pods_[static_cast<size_t>(entry)];
}

const ZonePod* ZoneBook::find_evicted(PodId pod) const {
  int32_t entry = find_last(
      pod, [](const ZonePod& one) { return one.there && one.presence == Presence::Evicted; });
  return entry == kNoEntry ? nullptr : &pods_[static_cast<size_t>(entry)];
}

// REQUIRES: in pods_ the pod comes after all pods that were entered.
void ZoneBook::enter(PodId pod) {
  auto [last, first] = last_.try_emplace(pod, kNoEntry);
  auto entry = static_cast<int32_t>(previous_.size());
  previous_.push_back(std::exchange(last->second, entry));
}

void ZoneBook::enter_all() {
  last_.clear();
  previous_.clear();
  for (const ZonePod& pod : pods_) enter(pod.pod);
}

void ZoneBook::drop_last() {
  auto last = last_.find(pods_.back().pod);
  last->second = previous_.back();
  if (last->second == kNoEntry) last_.erase(last);
  previous_.pop_back();
  pods_.pop_back();
}

void ZoneBook::count(const ZonePod& pod, int64_t times) {
  if (!pod.reported) unreported_ += times;
  if (pod.presence == Presence::Promised && pod.pod.valid()) promises_ += times;
  Times counts = times_of(pod);
  for (const ZoneAmount& one : pod.amounts) {
    auto amount = static_cast<Wide>(one.amount) * times;
    Sums& sums = sums_[one.cell];
    sums.now += amount * counts.now;
    sums.future += amount * counts.future;
    sums.freed += amount * counts.freed;
    sums.stay += amount * counts.stay;
  }
}

void ZoneBook::recount() {
  sums_.assign(report->available.size(), Sums{});
  for (const ZoneAmount& one : left_) sums_[one.cell].freed += one.amount;
  unreported_ = 0;
  promises_ = 0;
  for (const ZonePod& pod : pods_) count(pod, 1);
}

void ZoneBook::add(ZonePod pod) {
  purge();
  count(pod, 1);
  enter(pod.pod);
  pods_.push_back(std::move(pod));
}

bool ZoneBook::leave(PodId pod, PodClassId pod_class, Presence presence) {
  int32_t entry = find_last(pod, [&](const ZonePod& one) {
    return one.there && one.pod_class == pod_class && one.presence == presence;
  });
  if (entry == kNoEntry) return false;
  ZonePod& found = pods_[static_cast<size_t>(entry)];
  count(found, -1);
  found.there = false;
  ++gone_;
  return true;
}

bool ZoneBook::come_back(PodId pod, Presence left, Presence presence) {
  if (gone_ == 0) return false;
  int32_t entry =
      find_last(pod, [&](const ZonePod& one) { return !one.there && one.presence == left; });
  if (entry == kNoEntry) return false;
  ZonePod& found = pods_[static_cast<size_t>(entry)];
  found.there = true;
  found.presence = presence;
  --gone_;
  count(found, 1);
  purge();
  return true;
}

void ZoneBook::sum_up(std::span<int64_t> now, std::span<int64_t> future) const {
  for (size_t cell = 0; cell < now.size(); ++cell) {
    int64_t available = report->available[cell];
    now[cell] = future[cell] = available;
    if (available == kUnlisted) continue;
    int64_t most = report->allocatable[cell];
    // Nothing is taken off a saturated amount.
    Sums sums = is_saturated(available) ? Sums{} : sums_[cell];
    Wide rest = available - sums.future;
    // The agent may have seen already that a pod leaves: what stays is not free in any case.
    if (sums.freed > 0) rest = std::max(rest, std::min(rest + sums.freed, most - sums.stay));
    future[cell] = within(rest, most);
    now[cell] = within(available - sums.now, future[cell]);
  }
}

void ZoneBook::purge() {
  // First drops the pods at the end of pods_ that left.
  for (; gone_ > 0 && !pods_.back().there; --gone_) drop_last();
  if (gone_ == 0) return;
  std::erase_if(pods_, [](const ZonePod& pod) { return !pod.there; });
  gone_ = 0;
  enter_all();
}

}  // namespace trellis
