#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/quota_world.h"

namespace trellis::preemption_test {
namespace {

using Names = std::vector<std::string>;

struct ContestWorld : QuotaWorld {
  WorkloadId workload;
  std::vector<QuotaAmount> amounts;
  WorkloadTurn turn;

  // The workload whose turn it is, asking for `amount`.
  void ask(ClusterQueueId queue, int64_t amount, const WorkloadArgs& args = {}) {
    workload = waiting("new", args);
    amounts = {{cell("main"), amount}};
    turn = {workload, queue, 0, amounts, {}};
  }
  std::string name(const WorkloadVictim& victim) { return workloads[victim.workload].name; }

  // Who leaves by the first attempt that makes room, as Kueue would choose; sorted.
  Names leaving() {
    const QuotaRules& rules = this->rules();
    for (const PreemptionAttempt& attempt : rules.attempts(turn)) {
      std::vector<WorkloadVictim> gone;
      bool fit = false;
      for (size_t i = 0; i < attempt.in_order && !fit; ++i) {
        EXPECT_TRUE(rules.may_leave(turn, attempt, attempt.victims[i])) << name(attempt.victims[i]);
        hold(attempt.victims[i].workload, -1);
        gone.push_back(attempt.victims[i]);
        fit = rules.fits_after(turn, attempt);
      }
      Names found = fit ? fill_back(rules, attempt, gone) : Names();
      for (const WorkloadVictim& victim : gone) {
        if (holdings[victim.workload].held == 0) hold(victim.workload, 1);
      }
      if (fit) return found;
    }
    return {};
  }
  // The names of the first attempt's victims in order, and how many of them Kueue takes.
  Names order(size_t& in_order) {
    std::vector<PreemptionAttempt> attempts = rules().attempts(turn);
    Names found;
    if (attempts.empty()) return found;
    in_order = attempts[0].in_order;
    for (const WorkloadVictim& victim : attempts[0].victims) found.push_back(name(victim));
    return found;
  }
  PreemptionCause cause(const std::string& victim) {
    for (const PreemptionAttempt& attempt : rules().attempts(turn)) {
      for (const WorkloadVictim& found : attempt.victims) {
        if (name(found) == victim) return found.cause;
      }
    }
    ADD_FAILURE() << victim << " is no victim";
    return {};
  }
  FlavorOption option() {
    PodSpec spec;
    std::vector<const PodSpec*> specs = {&spec};
    std::vector<ResourceAmount> asked = {{kCpu, amounts[0].amount}};
    std::vector<FlavorOption> options;
    rules().options({turn.queue, workload, 0, specs, asked, {}, 0}, options);
    return options.at(0);
  }

 private:
  Names fill_back(const QuotaRules& rules, const PreemptionAttempt& attempt,
                  const std::vector<WorkloadVictim>& gone) {
    Names found = {name(gone.back())};
    for (size_t i = gone.size() - 1; i-- > 0;) {
      hold(gone[i].workload, 1);
      if (rules.fits_after(turn, attempt)) continue;
      hold(gone[i].workload, -1);
      found.push_back(name(gone[i]));
    }
    std::sort(found.begin(), found.end());
    return found;
  }
};

struct OneQueue : ContestWorld {
  ClusterQueueId a;
  explicit OneQueue(PreemptWithin policy) {
    flavor("main");
    a = queue("a", "", {{.nominal = 10}});
    queues[a].preemption.within_queue = policy;
    build();
  }
};

TEST(Preemption, NoWorkloadLeavesUnlessThePolicySaysSo) {
  OneQueue world(PreemptWithin::Never);
  world.running("low", world.a, 8, {.priority = 1});
  world.ask(world.a, 5, {.priority = 9});
  EXPECT_EQ(world.leaving(), Names());
  EXPECT_EQ(world.option().mode, FlavorMode::NoCandidates);
}

TEST(Preemption, LowerPriorityFirstThenTheLastToBeAdmitted) {
  OneQueue world(PreemptWithin::LowerPriority);
  world.running("low", world.a, 2, {.priority = 1, .reserved_at = 1});
  world.running("late", world.a, 2, {.priority = 2, .reserved_at = 5});
  world.running("early", world.a, 2, {.priority = 2, .reserved_at = 3});
  world.running("higher", world.a, 2, {.priority = 4, .reserved_at = 7});
  world.running("equal", world.a, 2, {.priority = 5, .reserved_at = 9});
  world.ask(world.a, 6, {.priority = 5});
  size_t in_order = 0;
  EXPECT_EQ(world.order(in_order), (Names{"low", "late", "early", "higher"}));
  EXPECT_EQ(in_order, 4u);
  EXPECT_EQ(world.leaving(), (Names{"early", "late", "low"}));
  EXPECT_EQ(world.cause("low"), PreemptionCause::InClusterQueue);
  EXPECT_EQ(world.option().mode, FlavorMode::Preempt);
}

TEST(Preemption, NewerOfEqualPriorityWhereThePolicySaysSo) {
  OneQueue world(PreemptWithin::LowerOrNewerEqualPriority);
  world.running("older", world.a, 5, {.queued = 1});
  world.running("newer", world.a, 5, {.queued = 3});
  world.ask(world.a, 5, {.queued = 2});
  EXPECT_EQ(world.leaving(), Names{"newer"});
  world.turn.amounts = world.amounts = {{world.cell("main"), 6}};
  EXPECT_EQ(world.leaving(), Names());
}

TEST(Preemption, WhoNeedNotLeaveComesBack) {
  OneQueue world(PreemptWithin::LowerPriority);
  world.running("small", world.a, 2, {.priority = 1});
  world.running("large", world.a, 8, {.priority = 2});
  world.ask(world.a, 8, {.priority = 5});
  EXPECT_EQ(world.leaving(), Names{"large"});
}

// a has 6, b has 6, c has 0; all of them lend.
struct Cohorts : ContestWorld {
  ClusterQueueId a;
  ClusterQueueId b;
  ClusterQueueId c;
  Cohorts() {
    flavor("main");
    a = queue("a", "team", {{.nominal = 6}});
    b = queue("b", "team", {{.nominal = 6}});
    c = queue("c", "team", {{.nominal = 0}});
    build();
  }
  WorkloadPreemption& policy() { return queues[a].preemption; }
};

TEST(Preemption, QueuesGiveBackWhatTheyBorrowedAndNoMore) {
  Cohorts world;
  world.policy().within_cohort = ReclaimWithin::Any;
  for (int i = 0; i < 4; ++i) {
    world.running("b" + std::to_string(i), world.b, 3, {.priority = 9, .reserved_at = i});
  }
  world.ask(world.a, 6);
  size_t in_order = 0;
  // Then b is back within its quota; the others could leave in their stead.
  EXPECT_EQ(world.order(in_order), (Names{"b3", "b2", "b1", "b0"}));
  EXPECT_EQ(in_order, 2u);
  EXPECT_EQ(world.leaving(), (Names{"b2", "b3"}));
  EXPECT_EQ(world.cause("b3"), PreemptionCause::InCohortReclamation);
  EXPECT_EQ(world.option().mode, FlavorMode::Reclaim);
  EXPECT_EQ(world.option().borrowing, 0);
  std::vector<PreemptionAttempt> attempts = world.rules().attempts(world.turn);
  WorkloadVictim another = attempts[0].victims[3];
  EXPECT_TRUE(world.rules().may_leave(world.turn, attempts[0], another));
  world.hold(attempts[0].victims[0].workload, -1);
  world.hold(attempts[0].victims[1].workload, -1);
  EXPECT_FALSE(world.rules().may_leave(world.turn, attempts[0], another));
}

TEST(Preemption, LowerPriorityInTheCohort) {
  Cohorts world;
  world.policy().within_cohort = ReclaimWithin::LowerPriority;
  world.running("high", world.c, 6, {.priority = 5});
  world.running("low", world.b, 6, {.priority = 1});
  world.ask(world.a, 6, {.priority = 3});
  EXPECT_EQ(world.leaving(), Names());
  world.workloads[WorkloadId(0)].priority = 2;
  EXPECT_EQ(world.leaving(), Names{"high"});
}

TEST(Preemption, OthersLeaveBeforeThoseOfTheOwnQueue) {
  Cohorts world;
  world.policy() = {PreemptWithin::LowerPriority, ReclaimWithin::Any, false, {}};
  world.running("own", world.a, 3, {.priority = 1});
  world.running("other", world.c, 9, {.priority = 9});
  world.ask(world.a, 3, {.priority = 5});
  EXPECT_EQ(world.leaving(), Names{"other"});
}

TEST(Preemption, WhoWouldBorrowTakesFromItsOwnQueueOnly) {
  Cohorts world;
  world.policy() = {PreemptWithin::LowerPriority, ReclaimWithin::Any, false, {}};
  world.running("own", world.a, 6, {.priority = 1});
  world.running("other", world.c, 6, {.priority = 1});
  world.ask(world.a, 8, {.priority = 5});
  // Without borrowing it could never fit, with it the others need not yield.
  EXPECT_EQ(world.leaving(), Names());
  world.turn.amounts = world.amounts = {{world.cell("main"), 6}};
  EXPECT_EQ(world.leaving(), Names{"own"});
}

TEST(Preemption, BorrowWithinCohortTakesFromThoseBelowTheThreshold) {
  Cohorts world;
  world.policy() = {PreemptWithin::LowerPriority, ReclaimWithin::LowerPriority, true, 2};
  world.running("own", world.a, 6, {.priority = 9});
  world.running("above", world.c, 3, {.priority = 3});
  world.running("below", world.c, 3, {.priority = 2});
  world.ask(world.a, 3, {.priority = 5});
  EXPECT_EQ(world.leaving(), Names{"below"});
  EXPECT_EQ(world.cause("below"), PreemptionCause::InCohortReclaimWhileBorrowing);
  world.turn.amounts = world.amounts = {{world.cell("main"), 6}};
  EXPECT_EQ(world.leaving(), Names());
  world.policy().max_borrow_priority = {};
  EXPECT_EQ(world.leaving(), (Names{"above", "below"}));
  EXPECT_EQ(world.option().mode, FlavorMode::Reclaim);
  EXPECT_EQ(world.option().borrowing, 1);
}

// Cohort near has 8, of which a has 2; far has another 8; c and d borrow.
struct Hierarchy : ContestWorld {
  ClusterQueueId a;
  ClusterQueueId c;
  ClusterQueueId d;
  Hierarchy() {
    flavor("main");
    a = queue("a", "near", {{.nominal = 2}});
    c = queue("c", "near", {{.nominal = 0}});
    d = queue("d", "far", {{.nominal = 0}});
    cohort("near", "all", {{.nominal = 6}});
    cohort("far", "all", {{.nominal = 8}});
    cohort("all", "");
    build();
    queues[a].preemption.within_cohort = ReclaimWithin::Any;
  }
};

TEST(Preemption, ASubtreeTakesBackItsQuotaFromOutsideWhileBorrowing) {
  Hierarchy world;
  world.running("outside", world.d, 16, {.priority = 9});
  world.ask(world.a, 8);
  // Above its own quota, but within that of near.
  EXPECT_EQ(world.leaving(), Names{"outside"});
  EXPECT_EQ(world.cause("outside"), PreemptionCause::InCohortReclamation);
  EXPECT_EQ(world.option().mode, FlavorMode::Reclaim);
  EXPECT_EQ(world.option().borrowing, 1);
}

TEST(Preemption, BesideTheQueueOnlyWithoutBorrowing) {
  Hierarchy world;
  world.running("beside", world.c, 8, {.priority = 9});
  world.running("fills", world.d, 8);
  world.ask(world.a, 3);
  EXPECT_EQ(world.leaving(), Names());
  world.turn.amounts = world.amounts = {{world.cell("main"), 2}};
  EXPECT_EQ(world.leaving(), Names{"beside"});
}

TEST(Preemption, WhatOneSubtreeCoversIsTakenBackFromAllAroundIt) {
  Hierarchy world;
  world.running("beside", world.c, 7);
  world.running("outside", world.d, 9);
  world.ask(world.a, 2);
  // Within a's own quota: no matter that near has none left.
  size_t in_order = 0;
  EXPECT_EQ(world.order(in_order), (Names{"beside", "outside"}));
  EXPECT_EQ(in_order, 2u);
}

// Cohort of 12 that no queue owns.
struct Shares : ContestWorld {
  ClusterQueueId a;
  ClusterQueueId b;
  ClusterQueueId c;
  explicit Shares(int64_t nominal = 0) {
    config.plugins["quota"].arguments["fairSharing"] = "true";
    flavor("main");
    a = queue("a", "team", {{.nominal = nominal}});
    b = queue("b", "team", {{.nominal = 0}});
    c = queue("c", "team", {{.nominal = 0}});
    cohort("team", "", {{.nominal = 12 - nominal}});
    build();
    queues[a].preemption = {PreemptWithin::LowerPriority, ReclaimWithin::Any, false, {}};
  }
  void strategies(const std::string& text) {
    config.plugins["quota"].arguments["preemptionStrategies"] = text;
  }
};

TEST(FairPreemption, TheGreatestShareLosesUntilSharesAreEqual) {
  Shares world;
  for (int i = 0; i < 8; ++i)
    world.running("b" + std::to_string(i), world.b, 1, {.reserved_at = i});
  for (int i = 0; i < 4; ++i)
    world.running("c" + std::to_string(i), world.c, 1, {.reserved_at = i});
  world.ask(world.a, 4);
  EXPECT_EQ(world.leaving(), (Names{"b4", "b5", "b6", "b7"}));
  EXPECT_EQ(world.cause("b7"), PreemptionCause::InCohortFairSharing);
  EXPECT_EQ(world.option().mode, FlavorMode::Reclaim);
}

TEST(FairPreemption, NoMoreThanTheShare) {
  Shares world;
  world.running("b0", world.b, 6);
  world.running("c0", world.c, 6);
  world.strategies("LessThanOrEqualToFinalShare");
  world.ask(world.a, 6);
  EXPECT_EQ(world.leaving(), Names());
  EXPECT_EQ(world.option().mode, FlavorMode::NoCandidates);
  world.ask(world.a, 5);
  EXPECT_EQ(world.leaving(), Names());
  world.strategies("LessThanOrEqualToFinalShare,LessThanInitialShare");
  EXPECT_EQ(world.leaving().size(), 1u);
}

TEST(FairPreemption, WithinItsQuotaAQueueTakesWhateverTheShares) {
  Shares world(4);
  world.running("b0", world.b, 12);
  world.strategies("LessThanOrEqualToFinalShare");
  world.ask(world.a, 4);
  EXPECT_EQ(world.leaving(), Names{"b0"});
  EXPECT_EQ(world.cause("b0"), PreemptionCause::InCohortReclamation);
  world.turn.amounts = world.amounts = {{world.cell("main"), 5}};
  EXPECT_EQ(world.leaving(), Names());
}

TEST(FairPreemption, WeightsMakeSharesUnequal) {
  Shares world;
  world.queues[world.b].weight = 3;
  world.build();
  for (int i = 0; i < 9; ++i)
    world.running("b" + std::to_string(i), world.b, 1, {.reserved_at = i});
  for (int i = 0; i < 3; ++i)
    world.running("c" + std::to_string(i), world.c, 1, {.reserved_at = i});
  world.strategies("LessThanOrEqualToFinalShare");
  world.ask(world.a, 3);
  // b's nine thirds are the same share as c's three; with 3 it would be a's.
  EXPECT_EQ(world.leaving(), Names());
  world.turn.amounts = world.amounts = {{world.cell("main"), 2}};
  EXPECT_EQ(world.leaving(), (Names{"b8", "c2"}));
  world.queues[world.c].weight = 0;
  world.tree = QuotaTree(world.queues, world.cohorts, world.names.strings);
  EXPECT_EQ(world.leaving(), (Names{"c1", "c2"}));
}

TEST(FairPreemption, TheOwnQueueLosesWhenItsShareIsGreatest) {
  Shares world;
  world.running("a0", world.a, 8, {.priority = 1});
  world.running("b0", world.b, 4);
  world.ask(world.a, 4, {.priority = 5});
  EXPECT_EQ(world.leaving(), Names{"a0"});
  EXPECT_EQ(world.option().mode, FlavorMode::Preempt);
}

TEST(FairPreemption, MayLeaveFollowsSharesAsTheyStand) {
  Shares world;
  world.running("b0", world.b, 4);
  world.running("b1", world.b, 4);
  world.running("c0", world.c, 4);
  world.ask(world.a, 4);
  std::vector<PreemptionAttempt> attempts = world.rules().attempts(world.turn);
  ASSERT_EQ(attempts.size(), 1u);
  ASSERT_EQ(attempts[0].victims.size(), 3u);
  auto may = [&](size_t i) {
    return world.rules().may_leave(world.turn, attempts[0], attempts[0].victims[i]);
  };
  EXPECT_TRUE(may(0));
  EXPECT_TRUE(may(1) || may(2));
  world.hold(WorkloadId(0), -1);
  EXPECT_FALSE(world.rules().may_leave(world.turn, attempts[0],
                                       {WorkloadId(1), PreemptionCause::InCohortFairSharing}));
}

}  // namespace
}  // namespace trellis::preemption_test
