// What must not change a decision: the order in which objects come, names that keep their order,
// objects that cannot matter, and what a scheduler has seen before.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string>

#include "tests/oracle/tiny_world.h"
#include "tests/support/long_run.h"
#include "tests/support/world.h"

namespace trellis::oracle::metamorphic_test {
namespace {

constexpr TinyLimits kSeveralGangs = {.nodes = 9, .pods = 5, .gangs = 5};

std::string decide(const Plan& plan) {
  World world(plan);
  world.cycle();
  return world.decisions();
}

std::string without(std::string text, const std::string& prefix) {
  for (size_t at = text.find(prefix); at != std::string::npos; at = text.find(prefix)) {
    text.erase(at, prefix.size());
  }
  return text;
}

void for_each_world(const std::function<void(uint64_t, const Plan&)>& check) {
  uint64_t count = long_run(1500, 30'000);
  for (uint64_t seed = 1; seed <= count && !::testing::Test::HasFailure(); ++seed) {
    Plan plan = tiny_world(seed, kSeveralGangs);
    SCOPED_TRACE("seed " + std::to_string(seed));
    check(seed, plan);
    if (::testing::Test::HasFailure()) ADD_FAILURE() << plan.text();
  }
}

TEST(Metamorphic, OrderOfObjects) {
  for_each_world([](uint64_t seed, const Plan& plan) {
    Plan shuffled = plan;
    Random random(seed);
    random.shuffle(shuffled.nodes);
    random.shuffle(shuffled.gangs);
    random.shuffle(shuffled.pods);
    ASSERT_EQ(decide(shuffled), decide(plan));
  });
}

// The pods above the minimum are of several classes, and choose the zone.
TEST(Metamorphic, OrderOfPodsAboveTheMinimum) {
  Plan plan = tiny_world(9566, kSeveralGangs);
  Plan shuffled = plan;
  Random random(9566);
  random.shuffle(shuffled.nodes);
  random.shuffle(shuffled.gangs);
  random.shuffle(shuffled.pods);
  EXPECT_EQ(decide(shuffled), decide(plan));
}

TEST(Metamorphic, NamesOfNodes) {
  for_each_world([](uint64_t, const Plan& plan) {
    Plan renamed = plan;
    for (auto& node : renamed.nodes) node.name = "machine-" + node.name;
    for (auto& pod : renamed.pods) {
      if (!pod.args.node.empty()) pod.args.node = "machine-" + pod.args.node;
      for (TermArgs& term : pod.args.affinity) {
        for (RequirementArgs& field : term.fields) {
          for (std::string& value : field.values) value = "machine-" + value;
        }
      }
    }
    ASSERT_EQ(without(decide(renamed), "machine-"), decide(plan));
  });
}

TEST(Metamorphic, NamesOfDomains) {
  for_each_world([](uint64_t, const Plan& plan) {
    Plan renamed = plan;
    for (auto& node : renamed.nodes) {
      for (auto& [key, value] : node.args.labels) {
        if (key != "size") value = "the-" + value;
      }
    }
    for (auto& pod : renamed.pods) {
      for (TermArgs& term : pod.args.affinity) {
        for (RequirementArgs& wanted : term.labels) {
          for (std::string& value : wanted.values) {
            if (wanted.key != "size") value = "the-" + value;
          }
        }
      }
    }
    ASSERT_EQ(decide(renamed), decide(plan));
  });
}

TEST(Metamorphic, ObjectsThatCannotMatter) {
  for_each_world([](uint64_t, const Plan& plan) {
    Plan more = plan;
    more.nodes.insert(more.nodes.begin(), {"m-broken", {.gpu = 8, .ready = false}});
    // One without domains: those of others distinguish equal nodes.
    more.topologies.insert(more.topologies.begin(), {"unlabelled", {"no-such-label"}});
    more.gangs.insert(more.gangs.begin(), {"gated", {.min_member = 1, .priority = 1000}});
    more.pods.insert(
        more.pods.begin(),
        {"gated-0", "gated", {.selector = {{"colour", "red"}}, .hold = PodHold::SchedulingGates}});
    ASSERT_EQ(without(decide(more), "gated-0 Pending -\n"), decide(plan));
  });
}

// A scheduler that has lived through another world decides like a new one that gets what it has
// learned.
TEST(Metamorphic, WhatASchedulerHasSeenBefore) {
  for_each_world([](uint64_t seed, const Plan& plan) {
    World old(tiny_world(seed + 1'000'000, kSeveralGangs));
    old.cycle();
    std::set<std::string> kept;
    for (const auto& node : plan.nodes) kept.insert(node.name);
    for (NodeId node : old.cluster.nodes_by_name()) {
      std::string name = old.cluster.nodes()[node].name;
      if (!kept.contains(name)) old.cluster.remove_node(name);
    }
    kept.clear();
    for (const auto& pod : plan.pods) kept.insert(pod.name);
    for (PodId pod : old.cluster.pods_by_name()) {
      std::string name = old.cluster.pods()[pod].pod.name;
      if (!kept.contains(name)) old.remove_pod(name);
    }
    old.add(plan);
    old.cycle();
    old.cluster.check_invariants();
    World fresh(plan);
    fresh.scheduler().recall(old.scheduler().learned());
    fresh.cycle();
    ASSERT_EQ(old.decisions(), fresh.decisions());
    ASSERT_EQ(*fresh.scheduler().learned(), *old.scheduler().learned());
  });
}

// Nor does a cycle that was looked at in detail decide differently afterwards.
// No node has reported zones.
TEST(Metamorphic, ThePluginOfZonesWithoutZones) {
  for_each_world([](uint64_t, const Plan& plan) {
    World off(plan);
    off.config.plugins["numa"].enabled = false;
    off.cycle();
    ASSERT_EQ(off.decisions(), decide(plan));
  });
}

TEST(Metamorphic, AskingTwice) {
  for_each_world([](uint64_t, const Plan& plan) {
    World world(plan);
    world.cycle();
    std::string first = world.decisions();
    world.scheduler().open(0);
    world.cycle();
    ASSERT_EQ(world.decisions(), first);
  });
}

}  // namespace
}  // namespace trellis::oracle::metamorphic_test
