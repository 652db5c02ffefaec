#include "server/compare/cycle_copy.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "server/compare/added_objects.h"
#include "server/compare/changed_cycle.h"
#include "server/compare/planned_change.h"
#include "server/engine/load.h"
#include "server/manifest/manifest.h"
#include "server/sources/far_reaching_text.h"
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
  const StringTable& strings = cluster.vocabulary().strings;
  for (WorkloadId workload : cluster.workloads().by_name(strings)) {
    std::string status(to_string(record.workloads[workload].status));
    lines.push_back(cluster.workloads()[workload].name + " " + status);
  }
  for (NodeId node : cluster.nodes_by_name()) {
    lines.push_back(cluster.nodes()[node].name + " " + std::to_string(record.nodes[node].idle));
  }
  return lines;
}

std::filesystem::path scenarios() {
  return std::filesystem::path(TRELLIS_SOURCE_DIR) / "tests/scenarios";
}

void load_text(Engine& engine, const std::string& text) {
  load(engine, read_manifest_text("cycle", text, engine.vocabulary()));
}

// A gang that comes to the cluster.
std::string added_text(uint64_t seed) {
  Random random(seed * 104729);
  std::map<int, int> none;
  std::string text;
  for (int64_t i = random.between(0, 2); i > 0; --i) {
    text += gang_text(static_cast<int>(100 + i), random, none);
  }
  return text;
}

std::string far_reaching(const std::string& text) {
  return far_reaching_text({std::string_view("cycle"), StoredText(text)});
}

// A cycle in a cluster that adopted the decisions of another one decides, with a change, what a
// cluster decides that is read with the change; afterwards nothing has changed.
TEST(CycleCopyTest, DecidesWhatAClusterDecidesThatIsReadWithTheChange) {
  for (uint64_t seed = 1; seed <= 150; ++seed) {
    std::string text = random_cluster(seed);
    std::string added = added_text(seed);
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
    CycleCopy copy(observer);
    ASSERT_TRUE(add_objects({added, far_reaching(text), {}}, copy)) << "seed " << seed;
    ASSERT_EQ(apply(change, copy.objects(), copy.vocabulary().strings), "");
    ChangedCycle copied = copy.run(0);
    std::vector<NamedText> texts = {{std::string_view("cycle"), StoredText(text)},
                                    {std::string_view("request"), StoredText(added)}};
    Result<ChangedCycle> changed = run_changed(texts, change, config);
    ASSERT_TRUE(changed) << changed.error().message;
    ASSERT_EQ(outcomes(copied.engine->cluster(), *copied.record),
              outcomes(changed->engine->cluster(), *changed->record))
        << "seed " << seed;
    copied.engine->cluster().check_invariants();
    observer.cluster().check_invariants();
    EXPECT_EQ(outcomes(observer.cluster(), *observer.scheduler().run_cycle(0)), before)
        << "seed " << seed;
  }
}

// Every input of tests/scenarios, in its first three cycles.
TEST(CycleCopyTest, CopiesEveryKindOfObject) {
  int copied = 0;
  for (const auto& folder : std::filesystem::directory_iterator(scenarios())) {
    std::ifstream file(folder.path() / "input.yaml");
    if (!file) continue;
    std::string text((std::istreambuf_iterator<char>(file)), {});
    constexpr TimeUs kNow = 1'767'268'800 * kSecondUs;
    // The second and third cycle find what was decided before: devices, zones, times, promises.
    for (int64_t cycles = 1; cycles <= 3; ++cycles) {
      Engine observer((Config()));
      load_text(observer, text);
      std::shared_ptr<const CycleRecord> record = observer.run(kNow, cycles);
      CycleCopy as_it_was(observer);
      ChangedCycle again = as_it_was.run(record->now);
      ASSERT_EQ(outcomes(again.engine->cluster(), *again.record),
                outcomes(observer.cluster(), *record))
          << folder.path() << ", cycle " << cycles;
    }
    ++copied;
  }
  EXPECT_GT(copied, 500);
}

std::vector<std::string> documents_of(const std::string& text) {
  std::vector<std::string> documents;
  for (size_t at = 0; at < text.size();) {
    size_t end = std::min(text.find("\n---", at), text.size());
    documents.push_back(text.substr(at, end - at) + "\n---\n");
    at = end == text.size() ? end : end + 4;
  }
  return documents;
}

// Whether `added` may be read alone. If so, the copy decides as a cluster does that is read with
// all of it.
bool decides_alike(const std::string& rest, const std::string& added) {
  constexpr TimeUs kNow = 1'767'268'800 * kSecondUs;
  Engine cycles((Config()));
  load_text(cycles, rest);
  Engine observer((Config()));
  load_text(observer, rest);
  observer.adopt(cycles.run(kNow, 1));
  CycleCopy copy(observer);
  if (!add_objects({added, far_reaching(rest), {}}, copy)) return false;
  ChangedCycle copied = copy.run(kNow);
  Engine read((Config()));
  std::vector<NamedText> texts = {{std::string_view("rest"), StoredText(rest)},
                                  {std::string_view("request"), StoredText(added)}};
  load(read, read_manifest_texts(texts, read.vocabulary()));
  EXPECT_EQ(outcomes(copied.engine->cluster(), *copied.record),
            outcomes(read.cluster(), *read.run(kNow, 1)));
  return true;
}

// Of every input each document, and each with all that follow it, added to what is left.
TEST(AddedObjectsTest, DecidesWhatAClusterDecidesThatIsReadWithThem) {
  int alone = 0;
  for (const auto& folder : std::filesystem::directory_iterator(scenarios())) {
    std::ifstream file(folder.path() / "input.yaml");
    if (!file) continue;
    std::string text((std::istreambuf_iterator<char>(file)), {});
    std::vector<std::string> documents = documents_of(text);
    // A saved cycle of a live cluster has its Jobs make no pods; those that are added make theirs.
    if (documents.size() > 60 || text.find("kind: Cycle") != std::string::npos) continue;
    for (size_t out = 0; out < documents.size(); ++out) {
      for (size_t count : {size_t{1}, documents.size() - out}) {
        std::string rest;
        std::string added;
        for (size_t i = 0; i < documents.size(); ++i) {
          (i >= out && i < out + count ? added : rest) += documents[i];
        }
        SCOPED_TRACE(folder.path().string() + "\n" + added);
        alone += decides_alike(rest, added) ? 1 : 0;
      }
    }
  }
  EXPECT_GT(alone, 700);
}

// What may depend on the rest of the cluster, or change it, is not read alone.
TEST(AddedObjectsTest, ReadsAloneWhatDependsOnNothingElse) {
  const std::string pod =
      R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"new","namespace":"team")";
  const std::string rest = R"(},"spec":{"containers":[{"name":"m","image":"i"}]}})";
  const std::string batch =
      R"({"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"new","namespace":"team"},"spec":{"template":{"spec":{"containers":[{"name":"m","image":"i"}]}}}})";
  Engine engine((Config()));
  load_text(engine, random_cluster(1));
  engine.run(0, 1);
  auto is_read_alone = [&](const std::string& text) {
    CycleCopy copy(engine);
    size_t pods = copy.objects().pods.size();
    bool added = add_objects({text, far_reaching(random_cluster(1)), {}}, copy);
    EXPECT_EQ(copy.objects().pods.size(), pods + (added ? 1 : 0)) << text;
    return added;
  };
  EXPECT_TRUE(is_read_alone(pod + rest));
  EXPECT_TRUE(is_read_alone(batch));
  EXPECT_TRUE(is_read_alone(
      "apiVersion: v1\nkind: Pod\nmetadata: {name: new}\nspec: {containers: [{name: m}]}\n"));
  // Of a gang that is there, of an owner that may be there, and of a gang that is nowhere.
  EXPECT_FALSE(is_read_alone(pod + R"(,"annotations":{"pod-group-name":"g1"})" + rest));
  EXPECT_FALSE(is_read_alone(
      pod + R"(,"ownerReferences":[{"apiVersion":"batch/v1","kind":"Job","name":"x","uid":"1"}])" +
      rest));
  EXPECT_FALSE(is_read_alone(pod + R"(,"annotations":{"pod-group-name":"none"})" + rest));
  EXPECT_FALSE(is_read_alone(
      R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"g1-0","namespace":"team")" + rest));
  EXPECT_FALSE(is_read_alone(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n99"}})"));
  EXPECT_FALSE(is_read_alone(
      R"({"apiVersion":"scheduling.run.ai/v2","kind":"Queue","metadata":{"name":"q"}})"));
  EXPECT_FALSE(is_read_alone("kind: ["));
  EXPECT_FALSE(is_read_alone(
      R"({"apiVersion":"scheduling.run.ai/v2","\u006bind":"Queue","metadata":{"name":"q"}})"));
}

}  // namespace
}  // namespace trellis
