#include "actions/workloads/workload_slots.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace trellis {

void sort_domains(TopologyAssignment& assignment, const StringTable& strings) {
  size_t levels = assignment.levels.size();
  std::vector<std::string_view> names;
  names.reserve(assignment.values.size());
  for (StrId value : assignment.values) names.push_back(strings.view(value));
  auto before = [&](uint32_t a, uint32_t b) {
    return std::ranges::lexicographical_compare(std::span(names).subspan(a * levels, levels),
                                                std::span(names).subspan(b * levels, levels));
  };
  std::vector<uint32_t> order(assignment.size());
  std::iota(order.begin(), order.end(), 0U);
  if (std::is_sorted(order.begin(), order.end(), before)) return;
  std::stable_sort(order.begin(), order.end(), before);

  TopologyAssignment sorted{.levels = std::move(assignment.levels)};
  sorted.values.reserve(assignment.values.size());
  sorted.counts.reserve(assignment.counts.size());
  for (uint32_t domain : order) {
    auto path = std::span(assignment.values).subspan(domain * levels, levels);
    sorted.values.insert(sorted.values.end(), path.begin(), path.end());
    sorted.counts.push_back(assignment.counts[domain]);
  }
  assignment = std::move(sorted);
}

namespace {

// The free slots of each domain.
class FreeSlots {
 public:
  FreeSlots(std::span<const SlotDomain> domains, std::span<const SlotPod> pods) {
    for (const SlotDomain& domain : domains) free_.push_back(int64_t{domain.slots} - domain.taken);
    for (const SlotPod& pod : pods) {
      if (!pod.waits && pod.domain != kNoDomain) --free_[pod.domain];
    }
    for (size_t i = 0; i < domains.size(); ++i) {
      if (domains[i].closed) free_[i] = 0;
    }
  }

  bool take(int32_t domain) {
    if (free_[domain] <= 0) return false;
    --free_[domain];
    return true;
  }

 private:
  std::vector<int64_t> free_;  // below 0 where there are more pods than were assigned
};

// Indexes of all pods by rank, pods without a rank last.
std::vector<uint32_t> by_rank(std::span<const SlotPod> pods) {
  std::vector<uint32_t> order(pods.size());
  for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  auto key = [&](uint32_t i) {
    return pods[i].rank == kNoRank ? std::numeric_limits<int32_t>::max() : pods[i].rank;
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return key(a) < key(b); });
  return order;
}

// The domain that each pod has by its rank; empty when ranks cannot be trusted.
std::vector<int32_t> domains_of_ranks(std::span<const SlotDomain> domains,
                                      std::span<const SlotPod> pods,
                                      std::span<const uint32_t> order) {
  std::vector<int32_t> result(pods.size(), kNoDomain);
  int32_t before = kNoRank;
  size_t domain = 0;
  int64_t end = domains.empty() ? 0 : domains[0].slots;  // one past the last slot of the domain
  for (uint32_t i : order) {
    const SlotPod& pod = pods[i];
    if (pod.rank == kNoRank || pod.rank == before) return {};
    before = pod.rank;
    while (pod.rank >= end) {
      if (++domain >= domains.size()) return {};
      end += domains[domain].slots;
    }
    result[i] = static_cast<int32_t>(domain);
    if (!pod.waits && pod.domain != result[i]) return {};
  }
  return result;
}

}  // namespace

int32_t rank_of(const RankRule& rule, int32_t index, int32_t sub_group) {
  int64_t rank = int64_t{index} - rule.offset;
  if (index < 0) return kNoRank;
  if (rule.sub_groups > 0) {
    int32_t part = rule.pods / rule.sub_groups;
    if (sub_group < 0 || sub_group >= rule.sub_groups || index >= part) return kNoRank;
    rank += int64_t{sub_group} * part;
  }
  bool within = rank >= 0 && rank < rule.pods;
  return within ? static_cast<int32_t>(rank) : kNoRank;
}

std::vector<int32_t> assign_slots(std::span<const SlotDomain> domains,
                                  std::span<const SlotPod> pods) {
  FreeSlots free(domains, pods);
  std::vector<uint32_t> order = by_rank(pods);
  std::vector<int32_t> ranked = domains_of_ranks(domains, pods, order);
  std::vector<int32_t> result(pods.size(), kNoDomain);
  int32_t domain = 0;
  auto end = static_cast<int32_t>(domains.size());
  for (uint32_t i : order) {
    if (!pods[i].waits) continue;
    if (!ranked.empty()) {
      if (free.take(ranked[i])) result[i] = ranked[i];
      continue;
    }
    while (domain < end && !free.take(domain)) ++domain;
    if (domain == end) break;
    result[i] = domain;
  }
  return result;
}

}  // namespace trellis
