// The plugin in cycles: what the scheduler makes of a service's preferences, held against the rule.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "tests/support/preference_world.h"
#include "tests/support/random.h"
#include "tests/support/world.h"

namespace trellis::plugin_test {
namespace {

using Over = PlacementPreference::Over;
using Way = PlacementPreference::Way;

struct Service {
  World world;
  PlacementPreferences preferences;
  std::vector<PodTerm> apart;  // of each pod
  bool gang_a_pod = false;     // as a Deployment's; else all are one gang's
  int32_t next = 0;

  PlacementPreference spread(const std::string& label) {
    PlacementPreference made;
    made.label = world.str(label);
    return made;
  }
  void start() {
    preferences.service = world.str("PodGroup/default/web");
    if (!gang_a_pod) add_gang("web");
  }
  void add_gang(const std::string& name) {
    Gang gang;
    gang.name_space = world.str("default");
    gang.name = name;
    world.cluster.upsert(gang);
  }
  void add(int32_t pods) {
    for (; pods > 0; --pods) {
      std::string name = "web-" + std::to_string(1000 + next++);
      PodArgs args;
      if (gang_a_pod) add_gang(name);
      Pod pod = make_pod(world.cluster.vocabulary(), name, gang_a_pod ? name : "web", args);
      PodSpec spec = make_pod_spec(world.cluster.vocabulary(), args);
      spec.placement = preferences;
      spec.pod_anti_affinity = apart;
      world.cluster.upsert(pod, spec);
    }
  }
  std::map<std::string, int32_t> by_node() {
    std::map<std::string, int32_t> counts;
    for (PodId pod : world.cluster.pods_by_name()) {
      std::string node = world.node_of(world.cluster.pods()[pod].pod.name);
      if (!node.empty()) ++counts[node];
    }
    return counts;
  }
};

TEST(PlacementPreferences, MaxPodsPerNodeBoundsWhatANodeTakes) {
  Service service;
  service.world.node("n1", {.cpu = 8});
  service.world.node("n2", {.cpu = 8});
  service.preferences.max_pods_per_node = 2;
  service.start();
  service.add(5);
  service.world.cycle();
  EXPECT_THAT(service.by_node(),
              testing::UnorderedElementsAre(testing::Pair("n1", 2), testing::Pair("n2", 2)));
  EXPECT_EQ(service.world.code_of("web"), ReasonCode::NodesNoFit);
}

TEST(PlacementPreferences, AHardPreferenceSaysWhyPodsWait) {
  Service service;
  service.world.node("n1", {.cpu = 8, .labels = {{"zone", "a"}}});
  service.world.node("n2", {.cpu = 1, .labels = {{"zone", "b"}}});
  PlacementPreference hard = service.spread("zone");
  hard.max_skew = 1;
  service.preferences.list = {hard};
  service.start();
  service.add(6);
  service.world.cycle();
  EXPECT_THAT(service.by_node(),
              testing::UnorderedElementsAre(testing::Pair("n1", 2), testing::Pair("n2", 1)));
  EXPECT_EQ(service.world.code_of("web"), ReasonCode::PlacementSkew);
}

// One service on a growing and shrinking cluster, cycle after cycle: what is new in each keeps the
// rule, given what stood before. So what the plugin keeps is what a fresh one would find.
TEST(PlacementPreferences, EveryCycleKeepsTheRule) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    Random random(seed);
    Service service;
    service.gang_a_pod = random.chance(50);
    World& world = service.world;
    PreferenceWorld naive;
    size_t levels = random.below(3);
    const std::vector<std::string> labels{"dc", "rack"};
    for (size_t i = 0; i < levels; ++i) {
      PlacementPreference one = service.spread(labels[i]);
      if (random.chance(30)) one.way = Way::Pack;
      if (one.way == Way::Spread && random.chance(30)) one.weights = {{world.str("a"), 2}};
      service.preferences.list.push_back(one);
      one.label = naive.strings.intern(labels[i]);
      for (LabelWeight& weight : one.weights) weight.value = naive.strings.intern("a");
      naive.preferences.push_back(one);
    }
    if (levels == 0 || random.chance(30)) {
      PlacementPreference last;
      last.over = Over::Node;
      last.way = random.chance(50) ? Way::Pack : Way::Spread;
      service.preferences.list.push_back(last);
      naive.preferences.push_back(last);
    }
    size_t count = 2 + random.below(8);
    for (size_t i = 0; i < count; ++i) {
      PreferenceNode node;
      node.name = "n" + std::to_string(100 + i);
      NodeArgs args;
      args.cpu = 1 + random.below(5);
      node.room = static_cast<int32_t>(args.cpu);
      for (const std::string& label : labels) {
        if (!random.chance(85)) continue;
        node.labels[label] = random.chance(50) ? "a" : "b";
        args.labels[label] = node.labels[label];
      }
      world.node(node.name, args);
      naive.nodes.push_back(node);
    }
    service.start();
    for (int cycle = 0; cycle < 4; ++cycle) {
      service.add(static_cast<int32_t>(random.below(6)));
      world.cycle();
      std::map<std::string, int32_t> counts = service.by_node();
      std::vector<int32_t> added;
      for (PreferenceNode& node : naive.nodes) added.push_back(counts[node.name] - node.running);
      ASSERT_EQ(broken_rule(naive, added), "") << "seed " << seed << " cycle " << cycle;
      world.pass_time();
      for (size_t i = 0; i < count; ++i) {
        PreferenceNode& node = naive.nodes[i];
        node.room -= added[i];
        node.running += added[i];
        node.pods += added[i];
      }
      // Some pod ends.
      std::vector<PodId> pods = world.cluster.pods_by_name();
      if (pods.empty()) continue;
      PodId gone = random.pick(pods);
      std::string on = world.node_of(world.cluster.pods()[gone].pod.name);
      if (on.empty()) continue;
      world.remove_pod(world.cluster.pods()[gone].pod.name);
      auto node = std::ranges::find(naive.nodes, on, &PreferenceNode::name);
      ++node->room;
      --node->running;
      --node->pods;
    }
  }
}

// One pod a rack: a rack is to the rule what a node with room for one is.
TEST(PlacementPreferences, PodsThatRepelEachOtherKeepTheRule) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    Random random(seed);
    Service service;
    service.gang_a_pod = random.chance(50);
    service.preferences.list = {service.spread("zone")};
    PodTerm term;
    term.key = service.world.str("rack");
    service.apart = {term};
    PreferenceWorld naive;
    PlacementPreference spread;
    spread.label = naive.strings.intern("zone");
    naive.preferences = {spread};
    size_t racks = 2 + random.below(10);
    for (size_t i = 0; i < racks; ++i) {
      std::string rack = "r" + std::to_string(100 + i);
      std::string zone = "z" + std::to_string(random.below(3));
      for (const char* name : {"a", "b"}) {
        service.world.node(rack + name, {.cpu = 8, .labels = {{"zone", zone}, {"rack", rack}}});
      }
      naive.nodes.push_back({.name = rack, .labels = {{"zone", zone}}, .room = 1});
    }
    service.start();
    for (int cycle = 0; cycle < 3; ++cycle) {
      service.add(static_cast<int32_t>(random.below(5)));
      service.world.cycle();
      std::map<std::string, int32_t> counts = service.by_node();
      std::vector<int32_t> added;
      for (PreferenceNode& rack : naive.nodes) {
        added.push_back(counts[rack.name + "a"] + counts[rack.name + "b"] - rack.running);
      }
      ASSERT_EQ(broken_rule(naive, added), "") << "seed " << seed << " cycle " << cycle;
      service.world.pass_time();
      for (size_t i = 0; i < racks; ++i) {
        naive.nodes[i].room -= added[i];
        naive.nodes[i].running += added[i];
        naive.nodes[i].pods += added[i];
      }
    }
  }
}

}  // namespace
}  // namespace trellis::plugin_test
