#include "actions/workloads/nomination.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/actions/workloads/workload_hall.h"

namespace trellis::nomination_test {
namespace {

using test::WorkloadHall;
using testing::IsEmpty;
using testing::SizeIs;
using Need = Nominator::Need;

TEST(Nominator, QuotaAloneAsksForNoRoom) {
  WorkloadHall hall({.quota = 4});
  hall.node("n1", 2);
  WorkloadId id = hall.add(hall.workload({{.count = 4}}));
  Session& session = hall.open();
  Nominator nominator(session);
  Nomination nomination;
  nominator.begin(id, hall.queue());
  EXPECT_TRUE(nominator.find(Need::Quota, nomination));
  EXPECT_TRUE(session.statement().clean()) << "quota is not taken, nor slots";
  nominator.begin(id, hall.queue());
  EXPECT_FALSE(nominator.find(Need::Fit, nomination));
  EXPECT_TRUE(session.statement().clean());
  EXPECT_THAT(nominator.reasons(), SizeIs(1));
}

TEST(Nominator, PodSetsOfOneWorkloadTakeQuotaTogether) {
  WorkloadHall hall({.quota = 5});
  hall.node("n1", 8);
  WorkloadId id = hall.add(hall.workload({{.count = 3}, {.count = 3}}));
  Session& session = hall.open();
  Nominator nominator(session);
  Nomination nomination;
  nominator.begin(id, hall.queue());
  EXPECT_FALSE(nominator.find(Need::Quota, nomination)) << "each has quota alone";
  ASSERT_THAT(nominator.reasons(), SizeIs(1));
  EXPECT_EQ(nominator.reasons()[0].subgroup, "set2");
  nominator.begin(id, hall.queue());
  EXPECT_THAT(nominator.reasons(), IsEmpty()) << "reasons are of the search since begin()";
  nominator.set_counts(std::vector<int32_t>{3, 2});
  ASSERT_TRUE(nominator.find(Need::Quota, nomination));
  ASSERT_THAT(nomination.amounts, SizeIs(1)) << "no cell twice";
  EXPECT_EQ(nomination.amounts[0].amount, 5 * kMilli);
}

TEST(Nominator, AnOptionThatIsNotAcceptedIsNoResult) {
  WorkloadHall hall({.quota = 4});
  hall.node("n1", 8);
  WorkloadId id = hall.add(hall.workload({{.count = 2}}));
  Session& session = hall.open();
  Nominator nominator(session);
  Nomination nomination;
  int asked = 0;
  nominator.begin(id, hall.queue());
  EXPECT_FALSE(nominator.find(Need::Quota, nomination, [&](const Nomination& offered) {
    ++asked;
    EXPECT_EQ(offered.workload, id);
    EXPECT_EQ(offered.counts, std::vector<int32_t>{2});
    return false;
  }));
  EXPECT_EQ(asked, 1);
}

}  // namespace
}  // namespace trellis::nomination_test
