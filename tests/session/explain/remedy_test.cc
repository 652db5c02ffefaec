// Explanations against what happens: a domain fits exactly when the gang is placed, the nodes that
// would help do help, one fewer does not, and nothing cheaper could be freed.
#include "session/explain/remedy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "tests/support/long_run.h"
#include "tests/support/random.h"
#include "tests/support/world.h"

namespace trellis::remedy_test {
namespace {

Plan random_plan(uint64_t seed) {
  Random random(seed);
  Plan plan;
  plan.topologies.push_back({"t", {"block", "rack"}});
  int64_t nodes = random.between(1, 6);
  for (int64_t i = 0; i < nodes; ++i) {
    NodeArgs args{.cpu = static_cast<double>(random.between(2, 8)), .gpu = random.between(0, 4)};
    args.labels["block"] = "b" + std::to_string(random.below(2));
    if (random.chance(90)) args.labels["rack"] = "r" + std::to_string(random.below(2));
    args.unschedulable = random.chance(10);
    std::string name = "n" + std::to_string(i);
    plan.nodes.push_back({name, args});
    if (args.gpu == 0 || random.chance(40)) continue;
    plan.gangs.push_back({"on-" + name, {.min_member = 1}});
    plan.pods.push_back(
        {"p-" + name, "on-" + name, {.gpu = random.between(0, args.gpu), .node = name}});
  }
  GangArgs gang{.topology = "t"};
  gang.min_member = static_cast<int32_t>(random.between(1, 5));
  const std::vector<std::string> levels = {"", "block", "rack"};
  gang.required = random.pick(levels);
  if (gang.required != "rack") gang.preferred = "rack";
  plan.gangs.push_back({"g", gang});
  PodArgs pod{.cpu = static_cast<double>(random.between(1, 3)), .gpu = random.between(1, 3)};
  for (int i = 0; i < gang.min_member; ++i) {
    plan.pods.push_back({"g-" + std::to_string(i), "g", pod});
  }
  return plan;
}

DemandExplanation explain(World& world) {
  return explain_gang(world.scheduler().reopen_without(world.gang_id("g")), world.gang_id("g"));
}

const PodArgs& asked(const Plan& plan) { return plan.pods.back().args; }

int64_t empty_fit(const NodeArgs& node, const PodArgs& pod) {
  if (node.unschedulable) return 0;
  return std::min({static_cast<int64_t>(node.cpu / pod.cpu), node.gpu / pod.gpu, node.pods});
}

// The plan's node of that name.
const NodeArgs& node_of(const Plan& plan, const std::string& name) {
  return std::find_if(plan.nodes.begin(), plan.nodes.end(),
                      [&](const Plan::NodePlan& node) { return node.name == name; })
      ->args;
}

// The plan with so many more nodes like the domain's best.
Plan with_more(Plan plan, const std::vector<std::string>& names, int64_t more) {
  const PodArgs pod = asked(plan);
  std::string best = *std::max_element(
      names.begin(), names.end(), [&](const std::string& a, const std::string& b) {
        return empty_fit(node_of(plan, a), pod) < empty_fit(node_of(plan, b), pod);
      });
  NodeArgs args = node_of(plan, best);
  for (int64_t i = 0; i < more; ++i) plan.nodes.push_back({"more-" + std::to_string(i), args});
  return plan;
}

// Whether the domain of that name takes the gang in another world.
bool fits_in(const Plan& plan, const DomainName& wanted) {
  World world(plan);
  world.config.actions = {"allocate"};
  world.cycle();
  Session& session = world.scheduler().reopen_without(world.gang_id("g"));
  for (const DomainJudgement& judgement : explain_gang(session, world.gang_id("g")).domains) {
    DomainName name = name_of(session, judgement.domain);
    if (name.path == wanted.path && name.level == wanted.level) return judgement.fits;
  }
  return false;
}

// The least number of GPUs to free on the nodes for `missing` more pods; -1: it cannot be done.
// Nodes whose CPUs are short as well are not tried by the caller.
int64_t least_freed(Session& session, const Plan& plan, const std::vector<NodeId>& nodes,
                    int64_t missing) {
  const PodArgs& pod = asked(plan);
  std::map<int64_t, int64_t> best = {{0, 0}};  // pods more -> GPUs freed
  for (NodeId node : nodes) {
    const NodeArgs& args = node_of(plan, session.cluster().nodes()[node].name);
    int64_t free = session.snapshot().state().now[kGpu][node] / kMilli;
    int64_t fit = args.unschedulable ? 0 : std::min(free / pod.gpu, empty_fit(args, pod));
    std::map<int64_t, int64_t> next = best;
    for (int64_t more = 1; fit + more <= empty_fit(args, pod); ++more) {
      int64_t cost = std::max<int64_t>(0, (fit + more) * pod.gpu - free);
      for (const auto& [pods, freed] : best) {
        auto [at, is_new] = next.try_emplace(pods + more, freed + cost);
        if (!is_new) at->second = std::min(at->second, freed + cost);
      }
    }
    best = std::move(next);
  }
  int64_t least = -1;
  for (const auto& [pods, freed] : best) {
    if (pods >= missing && (least < 0 || freed < least)) least = freed;
  }
  return least;
}

TEST(Remedy, ADomainFitsExactlyWhereTheGangIsPlaced) {
  int placed = 0;
  const uint64_t runs = long_run(1'500, 100'000);
  for (uint64_t seed = 0; seed < runs; ++seed) {
    World world(random_plan(seed));
    world.config.actions = {"allocate"};
    world.cycle();
    bool is_placed = world.gang_outcome("g").status == GangStatus::Scheduled;
    placed += is_placed ? 1 : 0;
    DemandExplanation explanation = explain(world);
    bool any = std::any_of(explanation.domains.begin(), explanation.domains.end(),
                           [](const DomainJudgement& judgement) { return judgement.fits; });
    ASSERT_EQ(any, is_placed) << "seed " << seed << "\n" << random_plan(seed).text();
  }
  EXPECT_GT(placed, static_cast<int>(runs / 10));
  EXPECT_LT(placed, static_cast<int>(runs - runs / 10));
}

TEST(Remedy, NodesThatHelpAndNotOneMoreThanNeeded) {
  int helped = 0;
  for (uint64_t seed = 0; seed < whole_run(300, 20'000); ++seed) {
    Plan plan = random_plan(seed);
    World world(plan);
    world.config.actions = {"allocate"};
    world.cycle();
    Session& session = world.scheduler().reopen_without(world.gang_id("g"));
    DemandExplanation explanation = explain_gang(session, world.gang_id("g"));
    for (const DomainJudgement& judgement : explanation.domains) {
      Remedy remedy = remedy_for(session, explanation, judgement);
      if (judgement.fits) {
        ASSERT_TRUE(remedy.empty()) << "seed " << seed;
        continue;
      }
      std::vector<std::string> names;
      for (NodeId node : nodes_of(session, judgement.domain)) {
        names.push_back(world.cluster.nodes()[node].name);
      }
      DomainName name = name_of(session, judgement.domain);
      // A root's nodes may hang above the level; more of those stay outside.
      if (remedy.more_nodes == 0) continue;
      ++helped;
      ASSERT_TRUE(fits_in(with_more(plan, names, remedy.more_nodes), name)) << "seed " << seed;
      ASSERT_FALSE(fits_in(with_more(plan, names, remedy.more_nodes - 1), name)) << "seed " << seed;
    }
  }
  EXPECT_GT(helped, 100);
}

TEST(Remedy, NothingCheaperCouldBeFreed) {
  int freed = 0;
  for (uint64_t seed = 0; seed < long_run(1'500, 100'000); ++seed) {
    Plan plan = random_plan(seed);
    World world(plan);
    world.config.actions = {"allocate"};
    world.cycle();
    Session& session = world.scheduler().reopen_without(world.gang_id("g"));
    DemandExplanation explanation = explain_gang(session, world.gang_id("g"));
    for (const DomainJudgement& judgement : explanation.domains) {
      if (judgement.fits) continue;
      std::span<const NodeId> inside = nodes_of(session, judgement.domain);
      bool cpus_are_free = std::all_of(inside.begin(), inside.end(), [&](NodeId node) {
        const NodeState& state = session.snapshot().state();
        return state.now[kCpu][node] / kMilli / static_cast<int64_t>(asked(plan).cpu) >=
               empty_fit(node_of(plan, world.cluster.nodes()[node].name), asked(plan));
      });
      if (!cpus_are_free) continue;
      int64_t least = least_freed(session, plan, {inside.begin(), inside.end()},
                                  judgement.needed - judgement.allocatable_pods);
      Remedy remedy = remedy_for(session, explanation, judgement);
      int64_t found = -1;
      for (const Shortage& amount : remedy.freed) {
        if (amount.resource == kGpu) found = amount.by / kMilli;
      }
      ASSERT_EQ(found, least) << "seed " << seed << "\n" << plan.text();
      freed += found > 0 ? 1 : 0;
    }
  }
  EXPECT_GT(freed, 100);
}

}  // namespace
}  // namespace trellis::remedy_test
