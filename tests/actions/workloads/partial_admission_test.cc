#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "actions/workloads/admission.h"
#include "tests/actions/workloads/workload_hall.h"
#include "tests/support/random.h"

namespace trellis::partial_admission_test {
namespace {

using test::PodSetArgs;
using test::WorkloadHall;
using Counts = std::vector<int32_t>;

Counts shortened(const std::vector<PodSetArgs>& sets, int64_t less, int64_t most) {
  Counts counts;
  for (const PodSetArgs& set : sets) {
    int64_t spare = set.count - set.min_count.value_or(set.count);
    counts.push_back(static_cast<int32_t>(set.count - spare * less / most));
  }
  return counts;
}

// One after the other, the fewest pods left out first; nullopt: not even the minimum fits, or no
// PodSet may be shortened.
std::optional<Counts> longest_that_fits(const std::vector<PodSetArgs>& sets, int64_t room) {
  int64_t most = 0;
  for (const PodSetArgs& set : sets) most += set.count - set.min_count.value_or(set.count);
  for (int64_t less = 1; less <= most; ++less) {
    Counts counts = shortened(sets, less, most);
    int64_t pods = 0;
    for (int32_t count : counts) pods += count;
    if (pods <= room) return counts;
  }
  return std::nullopt;
}

int64_t slots_in(const std::vector<SlotFill>& fills) {
  int64_t slots = 0;
  for (const SlotFill& fill : fills) slots += fill.count;
  return slots;
}

void check(const std::vector<PodSetArgs>& sets, int64_t quota, int64_t room) {
  WorkloadHall hall({.quota = quota});
  hall.node("n1", static_cast<double>(room / 2));
  hall.node("n2", static_cast<double>(room - room / 2));
  WorkloadId id = hall.add(hall.workload(sets));
  Session& session = hall.open();
  Nominator nominator(session);
  bool admitted = admit_partly(session, nominator, id, hall.queue());
  std::optional<Counts> expected = longest_that_fits(sets, std::min(quota, room));
  ASSERT_EQ(admitted, expected.has_value());
  EXPECT_TRUE(session.statement().clean()) << "what was tried is undone or committed";
  if (!expected) {
    EXPECT_TRUE(session.workload_decisions().empty());
    EXPECT_EQ(WorkloadHall::usage(session), 0);
    return;
  }
  ASSERT_EQ(session.workload_decisions().size(), 1U);
  const WorkloadDecision& decision = session.workload_decisions().front();
  int64_t pods = 0;
  for (size_t i = 0; i < sets.size(); ++i) {
    EXPECT_EQ(decision.admission->pod_sets[i].count, (*expected)[i]);
    pods += (*expected)[i];
  }
  EXPECT_EQ(slots_in(decision.slots), pods);
  EXPECT_EQ(WorkloadHall::usage(session), pods);
}

TEST(PartialCounts, AsManyPodsAsFindQuotaAndRoom) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    std::vector<PodSetArgs> sets(1 + random.below(3));
    for (PodSetArgs& set : sets) {
      set.count = static_cast<int32_t>(1 + random.below(9));
      if (random.chance(70)) {
        set.min_count = static_cast<int32_t>(1 + random.below(static_cast<uint32_t>(set.count)));
      }
    }
    check(sets, 1 + random.below(20), 2 + random.below(20));
    if (testing::Test::HasFailure()) return;
  }
}

TEST(PartialCounts, WithoutAMinimumNothingIsTried) {
  check({{.count = 4}, {.count = 2, .min_count = 2}}, 3, 8);
}

}  // namespace
}  // namespace trellis::partial_admission_test
