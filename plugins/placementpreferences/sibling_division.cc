#include "plugins/placementpreferences/sibling_division.h"

#include <algorithm>

namespace trellis {
namespace {

__extension__ using Wide = __int128;

// `under` times the sum of the targets at x = over / under.
int64_t scaled_targets(std::span<const Sibling> siblings, int64_t over, int64_t under) {
  int64_t sum = 0;
  for (const Sibling& one : siblings) {
    sum += std::clamp(over * one.weight, one.running * under, (one.running + one.room) * under);
  }
  return sum;
}

}  // namespace

// Whether `a` is packed before `b` while `rest` pods are left.
bool SiblingDivision::packs_before(const Sibling& a, const Sibling& b, int64_t rest) {
  if (a.failures != b.failures) return a.failures < b.failures;
  if (a.running != b.running) return a.running > b.running;
  bool a_holds = a.room >= rest;
  bool b_holds = b.room >= rest;
  if (a_holds != b_holds) return a_holds;
  if (a.room != b.room) return a_holds ? a.room < b.room : a.room > b.room;
  return load(a) < load(b);
}

// The greatest x at which the targets do not exceed `total`: a whole x, or an x between two whole
// ones where a sibling's target begins or stops growing. REQUIRES: not all siblings are full then.
SiblingDivision::Fraction SiblingDivision::level_below(std::span<const Sibling> siblings,
                                                       int64_t total) {
  int64_t most_running = 0;
  int64_t running = 0;
  bool weighted = false;
  for (const Sibling& one : siblings) {
    most_running = std::max(most_running, one.running);
    running += one.running;
    weighted = weighted || one.weight != 1;
  }
  int64_t low = 0;
  int64_t high = most_running + (total - running) + 1;
  while (high - low > 1) {
    int64_t middle = low + (high - low) / 2;
    (scaled_targets(siblings, middle, 1) <= total ? low : high) = middle;
  }
  if (!weighted) return {low, 1};

  turns_.clear();
  for (const Sibling& one : siblings) {
    for (int64_t amount : {one.running, one.running + one.room}) {
      bool inside = amount > low * one.weight && amount < (low + 1) * one.weight;
      if (inside) turns_.push_back({amount, one.weight});
    }
  }
  std::ranges::sort(turns_, [](const Fraction& a, const Fraction& b) {
    return a.over * b.under < b.over * a.under;
  });
  auto above = std::ranges::partition_point(turns_, [&](const Fraction& at) {
    return scaled_targets(siblings, at.over, at.under) <= total * at.under;
  });
  return above == turns_.begin() ? Fraction{low, 1} : *(above - 1);
}

void SiblingDivision::spread(std::span<const Sibling> siblings, int64_t pods,
                             std::span<int64_t> given) {
  int64_t room = 0;
  int64_t total = pods;
  for (const Sibling& one : siblings) {
    room += one.room;
    total += one.running;
  }
  if (pods == 0 || pods == room) {
    for (size_t i = 0; i < siblings.size(); ++i) given[i] = pods == 0 ? 0 : siblings[i].room;
    return;
  }
  Fraction level = level_below(siblings, total);
  auto grows = [&](const Sibling& one) {
    int64_t target = level.over * one.weight;
    return one.running * level.under <= target && target < (one.running + one.room) * level.under;
  };
  // From that level on, the siblings whose targets grow share what the others leave, by weight.
  int64_t shared = total;
  int64_t weights = 0;
  for (const Sibling& one : siblings) {
    if (grows(one)) {
      weights += one.weight;
    } else {
      bool full = (one.running + one.room) * level.under <= level.over * one.weight;
      shared -= one.running + (full ? one.room : 0);
    }
  }
  int64_t rest = pods;
  parts_.clear();
  for (size_t i = 0; i < siblings.size(); ++i) {
    const Sibling& one = siblings[i];
    if (grows(one)) {
      auto target = static_cast<Wide>(shared) * one.weight;
      given[i] = static_cast<int64_t>(target / weights) - one.running;
      auto fraction = static_cast<int64_t>(target % weights);
      if (fraction > 0) parts_.push_back({fraction, static_cast<uint32_t>(i), load(one)});
    } else {
      bool full = (one.running + one.room) * level.under <= level.over * one.weight;
      given[i] = full ? one.room : 0;
    }
    rest -= given[i];
  }
  give_remainder(rest, given);
}

void SiblingDivision::give_remainder(int64_t pods, std::span<int64_t> given) {
  if (pods == 0) return;
  auto before = [](const Part& a, const Part& b) {
    if (a.fraction != b.fraction) return a.fraction > b.fraction;
    return a.load != b.load ? a.load < b.load : a.index < b.index;
  };
  auto end = parts_.begin() + pods;
  if (end != parts_.end()) std::nth_element(parts_.begin(), end, parts_.end(), before);
  for (auto part = parts_.begin(); part != end; ++part) ++given[part->index];
}

void SiblingDivision::pack(std::span<const Sibling> siblings, int64_t pods,
                           std::span<int64_t> given) {
  std::ranges::fill(given, 0);
  if (pods == 0) return;
  size_t best = siblings.size();
  for (size_t i = 0; i < siblings.size(); ++i) {
    if (siblings[i].room == 0) continue;
    if (best == siblings.size() || packs_before(siblings[i], siblings[best], pods)) best = i;
  }
  given[best] = std::min(pods, siblings[best].room);
  int64_t rest = pods - given[best];
  if (rest == 0) return;

  order_.clear();
  for (uint32_t i = 0; i < siblings.size(); ++i) {
    if (siblings[i].room > 0 && i != best) order_.push_back(i);
  }
  auto alike = [&](uint32_t a, uint32_t b) {
    return siblings[a].failures == siblings[b].failures &&
           siblings[a].running == siblings[b].running;
  };
  // Alike siblings are ordered by room; of equal room the sibling to choose comes last.
  std::ranges::sort(order_, [&](uint32_t a, uint32_t b) {
    if (!alike(a, b)) return packs_before(siblings[a], siblings[b], 0);
    if (siblings[a].room != siblings[b].room) return siblings[a].room < siblings[b].room;
    bool same_load = load(siblings[a]) == load(siblings[b]);
    return same_load ? a > b : load(siblings[a]) > load(siblings[b]);
  });
  for (auto first = order_.begin(); rest > 0;) {
    auto last = std::find_if(first, order_.end(), [&](uint32_t i) { return !alike(i, *first); });
    for (auto left = last; left != first && rest > 0; --left) {
      // The chosen sibling has the least room that holds the rest, else the most room.
      auto room_of = [&](uint32_t i) { return siblings[i].room; };
      auto holds = std::ranges::lower_bound(first, left, rest, {}, room_of);
      int64_t room = siblings[holds != left ? *holds : *(left - 1)].room;
      uint32_t chosen = *(std::ranges::upper_bound(first, left, room, {}, room_of) - 1);
      given[chosen] = std::min(rest, room);
      rest -= given[chosen];
    }
    first = last;
  }
}

}  // namespace trellis
