#include "actions/workloads/workload_slots.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "tests/support/long_run.h"
#include "tests/support/random.h"

namespace trellis::workload_slots_test {
namespace {

using Domains = std::vector<SlotDomain>;
using Pods = std::vector<SlotPod>;
using Given = std::vector<int32_t>;

constexpr int32_t kNo = kNoDomain;

SlotPod waiting(int32_t rank) { return {.rank = rank}; }
SlotPod holding(int32_t rank, int32_t domain) {
  return {.rank = rank, .waits = false, .domain = domain};
}

Given assign(const Domains& domains, const Pods& pods) { return assign_slots(domains, pods); }

TEST(WorkloadSlots, RanksFromIndices) {
  RankRule plain{.pods = 4};
  EXPECT_EQ(rank_of(plain, 0, kNoRank), 0);
  EXPECT_EQ(rank_of(plain, 3, kNoRank), 3);
  EXPECT_EQ(rank_of(plain, 4, kNoRank), kNoRank);
  EXPECT_EQ(rank_of(plain, -1, kNoRank), kNoRank);

  RankRule workers{.pods = 3, .offset = 1};
  EXPECT_EQ(rank_of(workers, 0, kNoRank), kNoRank);
  EXPECT_EQ(rank_of(workers, 1, kNoRank), 0);
  EXPECT_EQ(rank_of(workers, 3, kNoRank), 2);
  EXPECT_EQ(rank_of(workers, 4, kNoRank), kNoRank);

  RankRule parts{.pods = 6, .sub_groups = 2};
  EXPECT_EQ(rank_of(parts, 2, 0), 2);
  EXPECT_EQ(rank_of(parts, 0, 1), 3);
  EXPECT_EQ(rank_of(parts, 3, 0), kNoRank);
  EXPECT_EQ(rank_of(parts, 0, 2), kNoRank);
  EXPECT_EQ(rank_of(parts, 0, kNoRank), kNoRank);
}

TEST(WorkloadSlots, ByRank) {
  Domains domains = {{2}, {1}, {2}};
  EXPECT_EQ(assign(domains, {waiting(4), waiting(0), waiting(2), waiting(3), waiting(1)}),
            (Given{2, 0, 1, 2, 0}));
  // Those that have not come yet keep their slots.
  EXPECT_EQ(assign(domains, {waiting(3), waiting(2)}), (Given{2, 1}));
  EXPECT_EQ(assign(domains, {holding(0, 0), waiting(4), holding(2, 1)}), (Given{kNo, 2, kNo}));
  EXPECT_EQ(assign({}, {waiting(0)}), (Given{kNo}));
  EXPECT_EQ(assign(domains, {}), Given{});
}

TEST(WorkloadSlots, GreedyWhenRanksCannotBeTrusted) {
  Domains domains = {{2}, {1}, {2}};
  // Missing.
  EXPECT_EQ(assign(domains, {waiting(4), waiting(kNoRank), waiting(3)}), (Given{0, 1, 0}));
  // Twice.
  EXPECT_EQ(assign(domains, {waiting(4), waiting(4), waiting(0)}), (Given{0, 1, 0}));
  // Beyond the slots.
  EXPECT_EQ(assign(domains, {waiting(5), waiting(1)}), (Given{0, 0}));
  // One that runs has left its rank, or runs elsewhere.
  EXPECT_EQ(assign(domains, {holding(0, 1), waiting(4)}), (Given{kNo, 0}));
  EXPECT_EQ(assign(domains, {holding(0, kNo), waiting(4)}), (Given{kNo, 0}));
  // The rank of one that runs is not known.
  EXPECT_EQ(assign(domains, {holding(kNoRank, 0), waiting(3), waiting(4)}), (Given{kNo, 0, 1}));
}

TEST(WorkloadSlots, NeverMoreThanAssigned) {
  Domains domains = {{1}, {2}};
  Pods many(5, waiting(kNoRank));
  EXPECT_EQ(assign(domains, many), (Given{0, 1, 1, kNo, kNo}));
  // More stand in a domain than were assigned to it.
  EXPECT_EQ(assign(domains, {holding(kNoRank, 0), holding(kNoRank, 0), waiting(kNoRank)}),
            (Given{kNo, kNo, 1}));
  domains[1].taken = 1;
  EXPECT_EQ(assign(domains, many), (Given{0, 1, kNo, kNo, kNo}));
  EXPECT_EQ(assign(domains, {waiting(0), waiting(1), waiting(2)}), (Given{0, 1, kNo}));
}

TEST(WorkloadSlots, ClosedDomainsTakeNone) {
  Domains domains = {{1}, {.slots = 2, .closed = true}, {1}};
  EXPECT_EQ(assign(domains, {waiting(0), waiting(1), waiting(3)}), (Given{0, kNo, 2}));
  EXPECT_EQ(assign(domains, Pods(3, waiting(kNoRank))), (Given{0, 2, kNo}));
}

struct RandomCase {
  Domains domains;
  Pods pods;
};

RandomCase random_case(Random& random) {
  RandomCase made;
  for (uint32_t left = random.below(6); left > 0; --left) {
    made.domains.push_back({.slots = static_cast<int32_t>(random.below(5)),
                            .taken = static_cast<int32_t>(random.chance(10) ? 1 : 0),
                            .closed = random.chance(10)});
  }
  auto some_domain = [&] {
    auto domains = static_cast<uint32_t>(made.domains.size());
    return static_cast<int32_t>(random.below(domains + 1)) - 1;
  };
  for (uint32_t left = random.below(20); left > 0; --left) {
    SlotPod pod{.rank = static_cast<int32_t>(random.below(20)) - 1};
    if (random.chance(20)) pod = holding(pod.rank, some_domain());
    made.pods.push_back(pod);
  }
  return made;
}

TEST(WorkloadSlots, RandomInvariants) {
  for (uint64_t seed = 0; seed < long_run(20000, 1000000); ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    RandomCase made = random_case(random);
    Given given = assign(made.domains, made.pods);
    std::vector<int32_t> free(made.domains.size());
    for (size_t i = 0; i < free.size(); ++i) {
      free[i] = made.domains[i].slots - made.domains[i].taken;
    }
    for (const SlotPod& pod : made.pods) {
      if (!pod.waits && pod.domain != kNo) --free[pod.domain];
    }
    int32_t room = 0;
    for (size_t i = 0; i < free.size(); ++i) {
      free[i] = made.domains[i].closed ? 0 : std::max(free[i], 0);
      room += free[i];
    }
    ASSERT_EQ(given.size(), made.pods.size());
    int32_t waiting_pods = 0;
    int32_t placed = 0;
    for (size_t i = 0; i < given.size(); ++i) {
      waiting_pods += made.pods[i].waits ? 1 : 0;
      if (given[i] == kNo) continue;
      ASSERT_TRUE(made.pods[i].waits);
      ASSERT_GT(free[given[i]]--, 0);
      ++placed;
    }
    bool all_ranked = std::all_of(made.pods.begin(), made.pods.end(),
                                  [](const SlotPod& pod) { return pod.rank != kNoRank; });
    // Without ranks there is no reason to wait but want of room.
    if (all_ranked) continue;
    ASSERT_EQ(placed, std::min(room, waiting_pods));
  }
}

// Nothing wrong with any rank: each pod gets the domain of its rank, whichever came before, in
// whatever order pods are listed and in however many steps they are let go.
TEST(WorkloadSlots, RandomRanksStayInOrder) {
  for (uint64_t seed = 0; seed < long_run(5000, 200000); ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Domains domains;
    Given of_rank;
    for (uint32_t left = 1 + random.below(6); left > 0; --left) {
      domains.push_back({.slots = static_cast<int32_t>(1 + random.below(5))});
      of_rank.resize(of_rank.size() + domains.back().slots,
                     static_cast<int32_t>(domains.size()) - 1);
    }
    std::vector<int32_t> ranks(of_rank.size());
    std::iota(ranks.begin(), ranks.end(), 0);
    random.shuffle(ranks);
    Pods pods;
    while (pods.size() < ranks.size()) {
      for (size_t more = 1 + random.below(4); more > 0 && pods.size() < ranks.size(); --more) {
        pods.push_back(waiting(ranks[pods.size()]));
      }
      Given given = assign(domains, pods);
      for (size_t i = 0; i < pods.size(); ++i) {
        ASSERT_EQ(given[i], pods[i].waits ? of_rank[pods[i].rank] : kNo);
        if (random.chance(70) && pods[i].waits) pods[i] = holding(pods[i].rank, given[i]);
      }
    }
  }
}

}  // namespace
}  // namespace trellis::workload_slots_test
