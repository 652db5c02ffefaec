#include "server/compare/rerun.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "server/compare/changed_cycle.h"
#include "server/engine/load.h"
#include "server/manifest/manifest.h"
#include "server/view/gang_summary.h"
#include "session/record/outcomes.h"
#include "tests/support/random.h"

namespace trellis {
namespace {

constexpr int kNodes = 8;

std::string node_name(int number) { return "n" + std::to_string(number); }

std::string node_text(int number, Random& random) {
  std::string name = node_name(number);
  std::string closed = random.chance(10) ? R"("unschedulable":true)" : "";
  return R"({"apiVersion":"v1","kind":"Node","metadata":{"name":")" + name +
         R"(","labels":{"kubernetes.io/hostname":")" + name + R"(","rack":"r)" +
         std::to_string(number % 3) + R"("}},"spec":{)" + closed +
         R"(},"status":{"allocatable":{"cpu":"16","pods":"20","nvidia.com/gpu":"4"}}})" + "\n";
}

// A gang of pods that run, that wait, or both.
std::string gang_text(int number, Random& random, std::map<int, int>& free) {
  std::string gang = "g" + std::to_string(number);
  auto pods = static_cast<int>(random.between(1, 4));
  int gpus = random.chance(70) ? 1 : 2;
  std::string level =
      random.chance(40) ? R"("topology":"hall","requiredTopologyLevel":"rack")" : "";
  std::string text =
      R"({"apiVersion":"scheduling.run.ai/v2alpha2","kind":"PodGroup","metadata":{"name":")" +
      gang + R"(","namespace":"team"},"spec":{"minMember":)" +
      std::to_string(random.between(1, pods)) + R"(,"topologyConstraint":{)" + level + "}}}\n";
  bool waits = random.chance(50);
  auto node = static_cast<int>(random.below(kNodes));
  for (int i = 0; i < pods; ++i) {
    bool stands = !waits && free[node] >= gpus;
    if (stands) free[node] -= gpus;
    std::string place = stands ? R"("nodeName":")" + node_name(node) + "\"," : "";
    text += R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" + gang + "-" +
            std::to_string(i) + R"(","namespace":"team","annotations":{"pod-group-name":")" + gang +
            R"("}},"spec":{)" + place +
            R"("containers":[{"name":"m","image":"i","resources":{"requests":{"nvidia.com/gpu":")" +
            std::to_string(gpus) + R"("}}}]},"status":{"phase":")" +
            (stands ? "Running" : "Pending") + "\"}}\n";
  }
  return text;
}

std::string random_cluster(uint64_t seed) {
  Random random(seed);
  std::string text =
      R"({"apiVersion":"kueue.x-k8s.io/v1beta1","kind":"Topology","metadata":{"name":"hall"},)"
      R"("spec":{"levels":[{"nodeLabel":"rack"},{"nodeLabel":"kubernetes.io/hostname"}]}})"
      "\n";
  std::map<int, int> free;
  for (int i = 0; i < kNodes; ++i) {
    text += node_text(i, random);
    free[i] = 4;
  }
  for (int i = 0; i < 9; ++i) text += gang_text(i, random, free);
  return text;
}

PlannedChange random_change(uint64_t seed) {
  Random random(seed * 7919);
  PlannedChange change;
  auto place = [&]() -> std::string {
    if (random.chance(40)) return "hall/r" + std::to_string(random.below(3));
    return node_name(static_cast<int>(random.below(kNodes)));
  };
  for (int64_t i = random.between(0, 2); i > 0; --i) change.cordoned.push_back(place());
  for (int64_t i = random.between(0, 2); i > 0; --i) change.drained.push_back(place());
  return change;
}

// What became of every pod and gang, by name.
std::vector<std::string> outcomes(const Cluster& cluster, const CycleRecord& record) {
  std::vector<std::string> lines;
  for (PodId pod : cluster.pods_by_name()) {
    const PodOutcome& outcome = record.pods[pod];
    std::string node = outcome.node.valid() ? cluster.nodes()[outcome.node].name : "-";
    lines.push_back(std::string(cluster.pods()[pod].pod.name.view()) + " " +
                    std::string(to_string(outcome.status)) + " " + node + " " +
                    std::to_string(outcome.rank));
  }
  for (GangId gang : cluster.gangs_by_name()) {
    const GangOutcome& outcome = record.gangs[gang];
    std::string line = std::string(cluster.gangs()[gang].name.view()) + " " +
                       std::string(to_string(outcome.status)) + " " +
                       placement_text(outcome.placement);
    for (const Reason& reason : outcome.reasons) {
      line +=
          " " + std::to_string(static_cast<int>(reason.code)) + ":" + std::to_string(reason.found);
    }
    lines.push_back(line);
  }
  for (NodeId node : cluster.nodes_by_name()) {
    lines.push_back(cluster.nodes()[node].name + " " + std::to_string(record.nodes[node].idle));
  }
  return lines;
}

void load_text(Engine& engine, const std::string& text) {
  load(engine, read_manifest_text("cycle", text, engine.vocabulary()));
}

// A cycle in a cluster that adopted the decisions of another one decides, with nodes closed, what a
// cluster decides that is read with the change; afterwards nothing has changed.
TEST(RerunTest, DecidesWhatAClusterDecidesThatIsReadWithTheChange) {
  for (uint64_t seed = 1; seed <= 150; ++seed) {
    std::string text = random_cluster(seed);
    Config config;
    Engine cycles(config);
    load_text(cycles, text);
    std::shared_ptr<const CycleRecord> record = cycles.run(0, 1);
    Engine observer(config);
    load_text(observer, text);
    observer.adopt(record);
    if (seed % 2 == 0) observer.scheduler().session();
    PlannedChange change = random_change(seed);
    std::vector<std::string> before = outcomes(observer.cluster(), *record);
    for (int times = 0; times < 2; ++times) {
      Rerun rerun(observer, record);
      std::shared_ptr<const CycleRecord> again = rerun.run(change);
      ASSERT_NE(again, nullptr) << "seed " << seed;
      NamedText named{std::string_view("cycle"), StoredText(text)};
      Result<ChangedCycle> changed = run_changed(std::span(&named, 1), change, config);
      ASSERT_TRUE(changed) << changed.error().message;
      ASSERT_EQ(outcomes(observer.cluster(), *again),
                outcomes(changed->engine->cluster(), *changed->record))
          << "seed " << seed;
    }
    observer.cluster().check_invariants();
    EXPECT_EQ(outcomes(observer.cluster(), *observer.scheduler().run_cycle(0)), before)
        << "seed " << seed;
  }
}

TEST(RerunTest, RefusesWhatItCannotTakeBack) {
  Engine engine((Config()));
  load_text(engine, random_cluster(1));
  std::shared_ptr<const CycleRecord> record = engine.run(0, 1);
  PlannedChange removed{.removed = {"gang/team/g0"}};
  PlannedChange unknown{.cordoned = {"n99"}};
  PlannedChange elsewhere{.drained = {"hall/r99"}};
  PlannedChange no_topology{.drained = {"hull/r1"}};
  for (const PlannedChange& change : {removed, unknown, elsewhere, no_topology}) {
    EXPECT_EQ(Rerun(engine, record).run(change), nullptr);
  }
}

}  // namespace
}  // namespace trellis
