// Plans of nodes against every smaller set of nodes, each judged by a cycle on a cluster of its
// own.

#include "server/plan/plan.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "server/engine/engine.h"
#include "server/view/gang_summary.h"
#include "tests/support/random.h"
#include "tests/support/world.h"

namespace trellis {
namespace {

constexpr int64_t kMostNodes = 8;

Config only_allocate() {
  Config config;
  config.actions = {"admit", "allocate"};
  return config;
}

// Racks in blocks with a few nodes, gangs that wait, and shapes that take any pod.
struct PlanCase {
  Plan world;
  std::vector<std::pair<NodeArgs, int64_t>> shapes;  // with prices
};

PlanCase random_case(uint64_t seed) {
  Random random(seed);
  PlanCase made;
  made.world.topologies.push_back({"t", {"block", "rack"}});
  auto nodes = random.between(0, 3);
  for (int64_t i = 0; i < nodes; ++i) {
    std::string rack = "r" + std::to_string(random.below(3));
    NodeArgs node{.gpu = random.between(1, 6), .labels = {{"block", "b0"}, {"rack", rack}}};
    made.world.nodes.push_back({"n" + std::to_string(i), node});
  }
  auto gangs = random.between(1, 3);
  for (int64_t i = 0; i < gangs; ++i) {
    GangArgs gang{.count = static_cast<int32_t>(random.between(1, 4))};
    gang.pod.gpu = random.between(1, 4);
    gang.created = i;
    if (random.chance(60)) {
      gang.topology = "t";
      gang.required = random.chance(70) ? "rack" : "block";
    }
    made.world.gangs.push_back({"g" + std::to_string(i), gang});
  }
  auto shapes = random.between(1, 2);
  for (int64_t i = 0; i < shapes; ++i) {
    NodeArgs shape{.gpu = i == 0 ? random.between(4, 8) : random.between(1, 8)};
    made.shapes.emplace_back(shape, random.between(1, 6));
  }
  return made;
}

void fill(Engine& engine, const Plan& world) {
  Cluster& cluster = engine.cluster();
  Vocabulary& vocabulary = cluster.vocabulary();
  for (const auto& item : world.topologies) {
    cluster.upsert(make_topology(vocabulary, item.name, item.labels));
  }
  for (const auto& item : world.nodes) cluster.upsert(make_node(vocabulary, item.name, item.args));
  for (const auto& item : world.gangs) {
    StringTable& strings = vocabulary.strings;
    Gang gang;
    gang.name_space = strings.intern("default");
    gang.name = item.name;
    gang.min_member = item.args.count;
    gang.created = item.args.created;
    if (!item.args.required.empty()) {
      gang.topology.topology = strings.intern(item.args.topology);
      gang.topology.required = strings.intern(item.args.required);
    }
    cluster.upsert(std::move(gang));
    for (int32_t i = 0; i < item.args.count; ++i) {
      std::string name = item.name + "-" + std::to_string(i);
      Pod pod = make_pod(vocabulary, name, item.name, item.args.pod);
      cluster.upsert(std::move(pod), make_pod_spec(vocabulary, item.args.pod));
    }
  }
}

// Whether a cycle on a new cluster runs all gangs with these nodes.
bool suffices(const PlanCase& test, const NodeMarket& market, const NodeCounts& counts,
              const StringTable& strings) {
  World world;
  world.config = only_allocate();
  world.add(test.world);
  for (size_t offer = 0; offer < counts.size(); ++offer) {
    NodeArgs node = test.shapes[market.offers[offer].shape].first;
    for (const Label& label : market.offers[offer].labels) {
      node.labels[std::string(strings.view(label.key))] = strings.view(label.value);
    }
    for (int64_t i = 0; i < counts[offer]; ++i) {
      world.node("x-" + std::to_string(offer) + "-" + std::to_string(i), node);
    }
  }
  world.cycle();
  for (const auto& gang : test.world.gangs) {
    if (!is_placed(world.gang_outcome(gang.name).status)) return false;
  }
  return true;
}

struct Cheapest {
  int64_t price = -1;  // -1: no set of up to kMostNodes is enough
  int64_t nodes = 0;
};

// Every set of nodes, in order of price and number.
Cheapest try_all(const PlanCase& test, const NodeMarket& market, const StringTable& strings) {
  struct State {
    int64_t price = 0;
    int64_t nodes = 0;
    size_t last = 0;
    NodeCounts counts;
    auto operator<=>(const State&) const = default;
  };
  std::set<State> open = {{.counts = NodeCounts(market.offers.size())}};
  while (!open.empty()) {
    State state = std::move(open.extract(open.begin()).value());
    if (suffices(test, market, state.counts, strings)) return {state.price, state.nodes};
    if (state.nodes == kMostNodes) continue;
    for (size_t i = state.last; i < market.offers.size(); ++i) {
      State next{.nodes = state.nodes + 1, .last = i, .counts = state.counts};
      ++next.counts[i];
      next.price = state.price + market.price_of(i);
      open.insert(std::move(next));
    }
  }
  return {};
}

TEST(PlanOracle, NothingCheaperSuffices) {
  int compared = 0;
  for (uint64_t seed = 1; seed <= 150; ++seed) {
    PlanCase test = random_case(seed);
    Engine engine(only_allocate());
    fill(engine, test.world);
    PlanQuestion question;
    for (const auto& [args, price] : test.shapes) {
      NodeShape shape{.price_micro = price * kPriceUnit};
      shape.name = "s" + std::to_string(question.shapes.size());
      shape.node = make_node(engine.vocabulary(), shape.name, args);
      question.shapes.push_back(std::move(shape));
    }
    Result<NodePlan> plan = make_plan(engine, std::move(question));
    ASSERT_TRUE(plan);
    EXPECT_TRUE(plan->refused.empty()) << "seed " << seed;
    auto size = static_cast<int64_t>(plan->nodes.size());
    if (size > kMostNodes) continue;
    Cheapest cheapest = try_all(test, plan->market, engine.vocabulary().strings);
    EXPECT_EQ(plan->price_micro, cheapest.price) << "seed " << seed;
    EXPECT_EQ(size, cheapest.nodes) << "seed " << seed;
    EXPECT_TRUE(plan->proved) << "seed " << seed;
    EXPECT_LE(plan->bound_micro, cheapest.price) << "seed " << seed;
    ++compared;
  }
  EXPECT_GT(compared, 100);
}

}  // namespace
}  // namespace trellis
