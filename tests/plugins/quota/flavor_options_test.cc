#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/quota_world.h"

namespace trellis::flavor_options_test {
namespace {

struct FlavorsWorld : QuotaWorld {
  ClusterQueueId a;
  PodSpec spec;
  std::vector<QuotaAmount> taken;
  uint64_t left_out = 0;

  FlavorAsk ask(int64_t amount) {
    amounts_ = {{kCpu, amount}};
    specs_ = {&spec};
    return {a, WorkloadId(0), 0, specs_, amounts_, taken, left_out};
  }
  // The flavors by name, as they would be tried.
  std::vector<std::string> order(int64_t amount) {
    std::vector<FlavorOption> options;
    rules().options(ask(amount), options);
    std::vector<std::string> found;
    for (const FlavorOption& option : options) {
      found.push_back(option.flavor.valid() ? flavors[option.flavor].name : "?");
    }
    return found;
  }
  FlavorOption option(int64_t amount, const std::string& flavor) {
    std::vector<FlavorOption> options;
    rules().options(ask(amount), options);
    for (const FlavorOption& option : options) {
      if (option.flavor.valid() && flavors[option.flavor].name == flavor) return option;
    }
    return {};
  }
  Reason reason(int64_t amount, const std::string& flavor) {
    FlavorOption found = option(amount, flavor);
    return rules().reason(ask(amount), found);
  }

 private:
  std::vector<ResourceAmount> amounts_;
  std::vector<const PodSpec*> specs_;
};

using Names = std::vector<std::string>;

// x: 4, and 6 more of b's; y: 8 of its own.
struct TwoFlavors : FlavorsWorld {
  TwoFlavors() {
    flavor("x");
    flavor("y");
    a = queue("a", "team", {{.flavor = "x", .nominal = 4}, {.flavor = "y", .nominal = 8}});
    queue("b", "team", {{.flavor = "x", .nominal = 6}, {.flavor = "y", .nominal = 0}});
    build();
  }
};

TEST(FlavorOptions, TheFirstThatFitsIsFirstAndTheOthersFollow) {
  TwoFlavors world;
  EXPECT_EQ(world.order(3), (Names{"x", "y"}));
  EXPECT_EQ(world.option(3, "x").mode, FlavorMode::Fit);
  EXPECT_EQ(world.option(3, "x").borrowing, 0);
}

TEST(FlavorOptions, BorrowingEndsTheSearchUnlessTheQueueTriesTheNextFlavor) {
  TwoFlavors world;
  EXPECT_EQ(world.option(5, "x").borrowing, 1);
  EXPECT_EQ(world.order(5), (Names{"x", "y"}));
  world.queues[world.a].fungibility.borrow_before_next = false;
  EXPECT_EQ(world.order(5), (Names{"y", "x"}));
}

TEST(FlavorOptions, WhatDoesNotFitIsPassedOver) {
  TwoFlavors world;
  world.use(world.a, world.cell("x"), 4);
  world.use(world.a, world.cell("y"), 1);
  EXPECT_EQ(world.order(7), (Names{"y", "x"}));
  Reason reason = world.reason(7, "x");
  EXPECT_EQ(reason.code, ReasonCode::WaitingForQuota);
  EXPECT_EQ(reason.flavor, "x");
  EXPECT_EQ(reason.quota, (std::vector<QuotaShortage>{{"x", kCpu, 7, 6}}));
}

TEST(FlavorOptions, MoreThanThereCouldEverBe) {
  TwoFlavors world;
  EXPECT_EQ(world.order(9), (Names{"x", "y"}));
  Reason reason = world.reason(9, "y");
  EXPECT_EQ(reason.code, ReasonCode::ExceedsMaxQuota);
  EXPECT_EQ(reason.quota, (std::vector<QuotaShortage>{{"y", kCpu, 9, 8}}));
  EXPECT_EQ(world.option(9, "y").mode, FlavorMode::NoFit);
}

TEST(FlavorOptions, EarlierPodSetsOfTheWorkloadCount) {
  TwoFlavors world;
  world.taken = {{world.cell("x"), 4}};
  EXPECT_EQ(world.option(3, "x").borrowing, 1);
  EXPECT_EQ(world.option(7, "x").mode, FlavorMode::NoFit);
  EXPECT_EQ(world.option(7, "x").why, ReasonCode::ExceedsMaxQuota);
}

TEST(FlavorOptions, LeftOutFlavorsAreNotLookedAt) {
  TwoFlavors world;
  world.left_out = 1;
  EXPECT_EQ(world.order(3), (Names{"y"}));
}

TEST(FlavorOptions, AFlavorThatIsNotThereSaysSo) {
  FlavorsWorld world;
  world.a = world.queue("a", "", {{.flavor = "gone", .nominal = 8}});
  world.build();
  EXPECT_EQ(world.order(3), (Names{"?"}));
  std::vector<FlavorOption> options;
  world.rules().options(world.ask(3), options);
  Reason reason = world.rules().reason(world.ask(3), options[0]);
  EXPECT_EQ(reason.code, ReasonCode::FlavorNotFound);
  EXPECT_EQ(reason.flavor, "gone");
}

TEST(FlavorOptions, TaintsOfAFlavorAreToleratedByThePodsOrItself) {
  FlavorsWorld world;
  Taint taint{world.id("gpu"), world.id("yes"), TaintEffect::NoSchedule};
  FlavorId x = world.flavor("x", {}, {taint});
  world.a = world.queue("a", "", {{.flavor = "x", .nominal = 8}});
  world.build();
  Reason reason = world.reason(3, "x");
  EXPECT_EQ(reason.code, ReasonCode::NoMatchingFlavor);
  EXPECT_EQ(reason.subject, "untolerated taint gpu=yes:NoSchedule");
  Toleration toleration{world.id("gpu"), Toleration::Op::Exists};
  world.spec.tolerations = {toleration};
  EXPECT_EQ(world.option(3, "x").mode, FlavorMode::Fit);
  world.spec.tolerations = {};
  world.flavors[x].tolerations = {toleration};
  EXPECT_EQ(world.option(3, "x").mode, FlavorMode::Fit);
  world.flavors[x].tolerations = {};
  world.flavors[x].taints[0].effect = TaintEffect::PreferNoSchedule;
  EXPECT_EQ(world.option(3, "x").mode, FlavorMode::Fit);
}

struct LabelledFlavors : FlavorsWorld {
  StrId kind = id("kind");
  StrId zone = id("zone");

  LabelledFlavors() {
    flavor("x", {{kind, id("spot")}});
    flavor("y", {{kind, id("fixed")}});
    a = queue("a", "", {{.flavor = "x", .nominal = 8}, {.flavor = "y", .nominal = 8}});
    build();
  }
};

TEST(FlavorOptions, SelectorsChooseByTheLabelsOfFlavorsAlone) {
  LabelledFlavors world;
  world.spec.node_selector = {{world.kind, world.id("fixed")}, {world.zone, world.id("z1")}};
  EXPECT_EQ(world.order(3), (Names{"y", "x"}));
  Reason reason = world.reason(3, "x");
  EXPECT_EQ(reason.code, ReasonCode::NoMatchingFlavor);
  EXPECT_EQ(reason.subject, "node affinity");
}

TEST(FlavorOptions, AffinityChoosesByTheLabelsOfFlavorsAlone) {
  LabelledFlavors world;
  Requirement fixed{world.kind, SelectorOp::In, {world.id("fixed")}};
  Requirement elsewhere{world.zone, SelectorOp::In, {world.id("z1")}};
  world.spec.has_required_affinity = true;
  world.spec.required_affinity = {{{fixed, elsewhere}, {}}};
  EXPECT_EQ(world.option(3, "x").why, ReasonCode::NoMatchingFlavor);
  EXPECT_EQ(world.option(3, "y").why, ReasonCode::None);
  // One of the alternatives says nothing of flavors.
  world.spec.required_affinity.push_back({{elsewhere}, {}});
  EXPECT_EQ(world.option(3, "x").why, ReasonCode::None);
}

TEST(FlavorOptions, AResourceInNoGroupIsNamed) {
  TwoFlavors world;
  std::vector<ResourceAmount> amounts = {{kCpu, 1}, {kGpu, 1}};
  EXPECT_EQ(world.rules().uncovered(world.a, std::span(amounts).first(1)).code, ReasonCode::None);
  Reason reason = world.rules().uncovered(world.a, amounts);
  EXPECT_EQ(reason.code, ReasonCode::NoMatchingFlavor);
  EXPECT_EQ(reason.subject, "resource nvidia.com/gpu is not covered");
}

TEST(FlavorOptions, FitsSaysWhetherAmountsAreLeft) {
  TwoFlavors world;
  std::vector<QuotaAmount> amounts = {{world.cell("x"), 10}, {world.cell("y"), 8}};
  EXPECT_TRUE(world.rules().fits(world.a, amounts));
  world.use(world.a, world.cell("y"), 1);
  EXPECT_FALSE(world.rules().fits(world.a, amounts));
}

}  // namespace
}  // namespace trellis::flavor_options_test
