// Every case of tests/conformance/swarm: the division itself, held against the rule.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>

#include "tests/support/preference_world.h"

namespace trellis::conformance_test {
namespace {

using Json = nlohmann::json;

PlacementPreference read_preference(const Json& input, StringTable& strings) {
  PlacementPreference made;
  const std::string& way = input.begin().key();
  const Json& over = input.begin().value();
  made.way = way == "pack" ? PlacementPreference::Way::Pack : PlacementPreference::Way::Spread;
  if (over.contains("label")) made.label = strings.intern(over.at("label").get<std::string>());
  if (over.contains("node")) made.over = PlacementPreference::Over::Node;
  if (over.contains("resource")) made.over = PlacementPreference::Over::Resource;
  Json weights = over.value("weights", Json::object());
  for (const auto& [value, weight] : weights.items()) {
    made.weights.push_back({strings.intern(value), weight});
  }
  return made;
}

int64_t gpus(const Json& amounts) { return std::stoll(amounts.value("nvidia.com/gpu", "0")); }

// Room is the case's own: what a node takes is no matter of preferences.
PreferenceWorld read_world(const Json& input) {
  PreferenceWorld world;
  const Json& request = input.at("request");
  const Json& room = input.at("expect").at("balanced").at("room");
  for (const Json& object : input.at("objects")) {
    if (object.at("kind") != "Node") continue;
    PreferenceNode node;
    node.name = object.at("metadata").at("name");
    node.labels = object.at("metadata").value("labels", node.labels);
    node.room = room.value(node.name, 0);
    node.capacity = gpus(object.at("status").at("allocatable"));
    world.nodes.push_back(node);
  }
  std::ranges::sort(world.nodes, {}, &PreferenceNode::name);
  for (const Json& object : input.at("objects")) {
    if (object.at("kind") != "Pod") continue;
    std::string name = object.at("spec").at("nodeName");
    auto node = std::ranges::find(world.nodes, name, &PreferenceNode::name);
    Json labels = object.at("metadata").value("labels", Json::object());
    if (labels.value("app", "") == request.at("service")) ++node->running;
    ++node->pods;
    for (const Json& container : object.at("spec").at("containers")) {
      Json resources = container.value("resources", Json::object());
      node->used += gpus(resources.value("requests", Json::object()));
    }
  }
  world.request = gpus(request.value("requests", Json::object()));
  for (const Json& one : request.at("preferences")) {
    world.preferences.push_back(read_preference(one, world.strings));
  }
  return world;
}

void expect_right(const std::string& name, size_t count) {
  std::ifstream file(TRELLIS_SOURCE_DIR "/tests/conformance/swarm/" + name);
  size_t cases = 0;
  for (std::string text; std::getline(file, text); ++cases) {
    Json input = Json::parse(text);
    SCOPED_TRACE(input.at("name").get<std::string>());
    const Json& balanced = input.at("expect").at("balanced");
    PreferenceWorld world = read_world(input);
    std::vector<int32_t> added = PreferenceEngine(world).divide(input.at("request").at("replicas"));
    EXPECT_EQ(std::accumulate(added.begin(), added.end(), 0), balanced.at("placed"));
    EXPECT_EQ(broken_rule(world, added), "");
    // The rule itself finds the case's own outcome right.
    std::vector<int32_t> example;
    for (const PreferenceNode& node : world.nodes) {
      example.push_back(balanced.at("example").value(node.name, 0) - node.running);
    }
    EXPECT_EQ(broken_rule(world, example), "");
  }
  EXPECT_EQ(cases, count);
}

TEST(PreferenceConformance, RandomCases) { expect_right("random.jsonl", 200); }
TEST(PreferenceConformance, UpstreamCases) { expect_right("upstream.jsonl", 21); }
TEST(PreferenceConformance, DesignCases) { expect_right("design.jsonl", 40); }

}  // namespace
}  // namespace trellis::conformance_test
