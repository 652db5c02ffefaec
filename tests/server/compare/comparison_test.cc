#include "server/compare/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "framework/config.h"
#include "server/manifest/manifest.h"

namespace trellis::comparison_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr const char* kCluster = R"(
apiVersion: kai.scheduler/v1alpha1
kind: Topology
metadata: {name: hall}
spec: {levels: [{nodeLabel: rack}]}
---
apiVersion: v1
kind: Node
metadata: {name: a, labels: {rack: r1}}
status: {allocatable: {cpu: "16", pods: "110", nvidia.com/gpu: "4"}}
---
apiVersion: v1
kind: Node
metadata: {name: b, labels: {rack: r2}}
status: {allocatable: {cpu: "16", pods: "110", nvidia.com/gpu: "4"}}
)";

std::string gang(const std::string& name, int gpus, int priority, const std::string& selector) {
  return "---\napiVersion: scheduling.run.ai/v2alpha2\nkind: PodGroup\nmetadata: {name: " + name +
         "}\nspec: {minMember: 1, topologyConstraint: {topology: hall, requiredTopologyLevel: "
         "rack}}\n"
         "---\napiVersion: v1\nkind: Pod\nmetadata: {name: " +
         name + "-0, annotations: {pod-group-name: " + name +
         "}}\nspec: {priority: " + std::to_string(priority + 1) + ", " + selector +
         "containers: [{name: main, resources: {requests: {cpu: \"1\", nvidia.com/gpu: \"" +
         std::to_string(gpus) + "\"}}}]}\n";
}

struct Cycle {
  explicit Cycle(const std::string& text) {
    Manifest manifest = read_manifest_text("in.yaml", text, engine.vocabulary());
    EXPECT_FALSE(manifest.has_errors());
    engine.cluster().add(std::move(manifest.objects));
    record = engine.run(0, 1);
  }
  ComparedCycle finished() { return {engine, *record}; }

  Engine engine{Config()};
  std::shared_ptr<const CycleRecord> record;
};

std::vector<std::string> names(const std::vector<GangChange>& changes) {
  std::vector<std::string> names;
  for (const GangChange& change : changes) names.push_back(change.name);
  return names;
}

TEST(Comparison, OfACycleWithItselfIsEmpty) {
  Cycle cycle(kCluster + gang("g", 4, 0, ""));
  Comparison same = compare(cycle.finished(), cycle.finished());
  EXPECT_THAT(same.added, IsEmpty());
  EXPECT_THAT(same.lost, IsEmpty());
  EXPECT_THAT(same.moved, IsEmpty());
  EXPECT_THAT(same.waiting, IsEmpty());
  EXPECT_THAT(same.removed, IsEmpty());
  EXPECT_THAT(same.domains, IsEmpty());
  EXPECT_EQ(same.before.gpus_used, 4);
}

TEST(Comparison, EachGangIsInTheListOfItsFate) {
  std::string pinned = "nodeSelector: {rack: r1}, ";
  Cycle before(kCluster + gang("moves", 4, 1, "") + gang("is-pushed-out", 4, 0, "") +
               gang("goes", 0, 0, ""));
  Cycle after(kCluster + gang("moves", 4, 1, "") + gang("is-pushed-out", 4, 0, "") +
              gang("comes", 4, 9, pinned) + gang("waits", 8, 0, ""));
  Comparison changes = compare(before.finished(), after.finished());
  EXPECT_THAT(names(changes.added), ElementsAre("comes"));
  EXPECT_THAT(names(changes.lost), ElementsAre("is-pushed-out"));
  EXPECT_THAT(names(changes.moved), ElementsAre("moves"));
  EXPECT_THAT(names(changes.waiting), ElementsAre("waits"));
  EXPECT_THAT(names(changes.removed), ElementsAre("goes"));
  EXPECT_THAT(changes.moved[0].before->nodes, ElementsAre("a"));
  EXPECT_THAT(changes.moved[0].after->nodes, ElementsAre("b"));
  EXPECT_FALSE(changes.added[0].before.has_value());
  EXPECT_EQ(changes.lost[0].after->status, GangStatus::Pending);
  ASSERT_THAT(changes.domains, SizeIs(2));
  EXPECT_THAT(changes.domains[0].domain.domain, ElementsAre("r1"));
  EXPECT_EQ(changes.domains[0].after.gpus, 4);
  EXPECT_EQ(changes.before.gpus_used, 8);
  EXPECT_EQ(changes.after.gpus_used, 8);
}

TEST(Comparison, AGangOfAnotherSizeIsReported) {
  auto waiting = [](int pods) {
    std::string text =
        "---\napiVersion: scheduling.run.ai/v2alpha2\nkind: PodGroup\nmetadata: {name: g}\nspec: "
        "{minMember: 3}\n";
    for (int i = 0; i < pods; ++i) {
      text += "---\napiVersion: v1\nkind: Pod\nmetadata: {name: g-" + std::to_string(i) +
              ", annotations: {pod-group-name: g}}\nspec: {nodeName: a, containers: [{name: "
              "main}]}\nstatus: {phase: Running}\n";
    }
    return text;
  };
  Cycle before(kCluster + waiting(2));
  Cycle after(kCluster + waiting(1));
  Comparison changes = compare(before.finished(), after.finished());
  EXPECT_THAT(names(changes.resized), ElementsAre("g"));
  EXPECT_THAT(changes.moved, IsEmpty());
  EXPECT_THAT(changes.lost, IsEmpty());
}

// Pods of one gang that change places with each other are no change.
TEST(Comparison, NodesOfAGangAreComparedTogether) {
  auto running = [](const std::string& pod, const std::string& node) {
    return "---\napiVersion: v1\nkind: Pod\nmetadata: {name: " + pod +
           ", labels: {pod-group-name: g}, annotations: {pod-group-name: g}}\nspec: {nodeName: " +
           node + ", containers: [{name: main}]}\nstatus: {phase: Running}\n";
  };
  std::string group =
      "---\napiVersion: scheduling.run.ai/v2alpha2\nkind: PodGroup\nmetadata: {name: g}\nspec: "
      "{minMember: 2}\n";
  Cycle before(kCluster + group + running("g-0", "a") + running("g-1", "b"));
  Cycle swapped(kCluster + group + running("g-0", "b") + running("g-1", "a"));
  Cycle together(kCluster + group + running("g-0", "a") + running("g-1", "a"));
  EXPECT_THAT(compare(before.finished(), swapped.finished()).moved, IsEmpty());
  EXPECT_THAT(names(compare(before.finished(), together.finished()).moved), ElementsAre("g"));
}

}  // namespace
}  // namespace trellis::comparison_test
