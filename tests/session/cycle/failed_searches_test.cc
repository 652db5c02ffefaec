#include "session/cycle/failed_searches.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/world.h"

namespace trellis::failed_searches_test {
namespace {

constexpr int64_t kBudget = 50'000;

// Nodes of nearly 7 CPUs, no two alike, for pods of 4 and of 3: each kind fits by count, and both
// by what they request together, but no node takes one of each. More ways have to be ruled out than
// the budget allows.
class FailedSearchesTest : public testing::Test {
 protected:
  FailedSearchesTest() {
    world_.config.limits.search_budget = kBudget;
    for (int i = 0; i < 14; ++i) world_.node("n" + std::to_string(i), {.cpu = 6.5 + 0.01 * i});
    world_.gang("g", {.min_member = 20});
    for (int i = 0; i < 9; ++i) world_.pod("g-a" + std::to_string(i), "g", {.cpu = 4});
    for (int i = 0; i < 11; ++i) world_.pod("g-b" + std::to_string(i), "g", {.cpu = 3});
  }

  GangStep step() {
    Session& session = world_.scheduler().open(0);
    GangSearch search(session);
    uint64_t before = session.snapshot().changes().end();
    GangStep step = GangProgress(world_.gang_id("g")).next(session, search);
    searched_ = session.snapshot().changes().end() != before;
    return step;
  }

  World world_;
  bool searched_ = false;  // by the last step
};

TEST_F(FailedSearchesTest, WorkIsBounded) {
  GangStep failed = step();
  EXPECT_EQ(failed.result, GangStep::Result::Waits);
  EXPECT_EQ(failed.code, ReasonCode::SearchBudgetExhausted);
  EXPECT_TRUE(failed.ran_out);
  EXPECT_GT(failed.work, kBudget);
  EXPECT_LT(failed.work, kBudget + kBudget / 10);
}

TEST_F(FailedSearchesTest, NotTriedAgainUntilSomethingIsDifferent) {
  GangStep failed = step();
  EXPECT_TRUE(searched_);
  GangStep again = step();
  EXPECT_FALSE(searched_);
  EXPECT_EQ(again.code, failed.code);
  EXPECT_EQ(again.needed, failed.needed);
  EXPECT_EQ(again.work, failed.work);

  world_.gang("late", {.count = 1, .pod = {.cpu = 100}});
  step();
  EXPECT_FALSE(searched_) << "a gang that waits beside it takes nothing";
  world_.node("n0", {.cpu = 6.9});
  step();
  EXPECT_TRUE(searched_) << "a node is different";
  step();
  EXPECT_FALSE(searched_);
  world_.gang("small", {.count = 1});
  world_.cycle();
  step();
  EXPECT_TRUE(searched_) << "a pod stands somewhere";
  step();
  EXPECT_FALSE(searched_);
  world_.pod("g-c", "g", {.cpu = 1});
  step();
  EXPECT_TRUE(searched_) << "the gang is different";
}

TEST_F(FailedSearchesTest, ReasonsAreKeptWithThem) {
  world_.cycle();
  std::vector<Reason> reasons = world_.gang_outcome("g").reasons;
  ASSERT_EQ(reasons.size(), 1U);
  EXPECT_EQ(reasons.front().code, ReasonCode::SearchBudgetExhausted);
  world_.gang("late", {.count = 1, .pod = {.cpu = 100}});
  world_.cycle();
  EXPECT_EQ(world_.gang_outcome("g").reasons, reasons);
}

TEST_F(FailedSearchesTest, TheBudgetHalvesAsItIsUsedUp) {
  Session& session = world_.scheduler().open(0);
  GangId gang = world_.gang_id("g");
  EXPECT_EQ(session.search_work(gang), kBudget);
  session.count_exhausted(3 * kBudget);
  EXPECT_EQ(session.search_work(gang), kBudget);
  session.count_exhausted(kBudget);
  EXPECT_EQ(session.search_work(gang), kBudget / 2);
  session.count_exhausted(4 * kBudget);
  EXPECT_EQ(session.search_work(gang), kBudget / 4);
  session.count_exhausted(1'000 * kBudget);
  EXPECT_EQ(session.search_work(gang), 2 * 14 + 64 * 20);
}

}  // namespace
}  // namespace trellis::failed_searches_test
