#include "server/manifest/label_levels.h"

#include <gtest/gtest.h>

#include "server/manifest/manifest.h"
#include "tests/server/manifest/reading.h"
#include "tests/server/system/temporary_folder.h"

namespace trellis::label_levels_test {
namespace {

constexpr const char* kLeaf = "network.topology.nvidia.com/leaf";
constexpr const char* kSpine = "network.topology.nvidia.com/spine";

std::string node(const std::string& name, const std::string& labels) {
  return "---\napiVersion: v1\nkind: Node\nmetadata: {name: " + name + ", labels: {" + labels +
         "}}\nstatus: {allocatable: {cpu: '1'}}\n";
}

std::string fabric() {
  std::string leaf = kLeaf;
  std::string spine = kSpine;
  return node("n1", leaf + ": l1, " + spine + ": s1, zone.example.com/leaf: x") +
         node("n2", leaf + ": l2, " + spine + ": s1") +
         node("n3", leaf + ": l3, " + spine + ": s2, topology.kubernetes.io/zone: z");
}

test::Reading with_levels(const std::string& text, std::vector<std::string> levels) {
  test::TemporaryFolder folder;
  folder.write("in.yaml", text);
  return test::read_paths({folder.path()}, {.levels = std::move(levels)});
}

std::vector<std::string> labels_of(const test::Reading& reading) {
  std::vector<std::string> labels;
  const Topology* topology = reading.topology("levels");
  if (topology == nullptr) return labels;
  for (const TopologyLevel& level : topology->levels) labels.push_back(reading.text(level.label));
  return labels;
}

using Words = std::vector<std::string>;

TEST(LabelLevels, WholeLabelsAndLastParts) {
  EXPECT_EQ(labels_of(with_levels(fabric(), {"spine", kLeaf})), (Words{kSpine, kLeaf}));
}

TEST(LabelLevels, WordsThatMeanNoLabelOrTwo) {
  auto first = [](const test::Reading& reading) { return reading.diagnostics().front(); };
  EXPECT_EQ(first(with_levels(fabric(), {"spin"})),
            "--levels: no node has a label \"spin\"; did you mean \"spine\"?");
  EXPECT_EQ(first(with_levels(fabric(), {"leaf"})),
            "--levels: \"leaf\" is the end of network.topology.nvidia.com/leaf and of "
            "zone.example.com/leaf: give the whole label");
  EXPECT_EQ(first(with_levels(fabric(), {"spine", kSpine})),
            std::string("--levels: \"") + kSpine + "\" is given a second time");
}

TEST(LabelLevels, LabelsThatAreKnownAreProposed) {
  EXPECT_EQ(with_levels(fabric(), {}).diagnostics(),
            Words{std::string("note: no Topology was read; labels of the nodes make one: --levels "
                              "topology.kubernetes.io/zone,") +
                  kSpine + "," + kLeaf});
  EXPECT_EQ(with_levels(node("n1", "topology.kubernetes.io/zone: z, rack: r"), {}).diagnostics(),
            Words{});
  EXPECT_EQ(with_levels(node("n1", "fabric.topograph.run/tier-2: a"), {}).diagnostics().size(), 1U);
  std::string topology =
      "---\napiVersion: kai.scheduler/v1alpha1\nkind: Topology\nmetadata: {name: t}\n"
      "spec: {levels: [{nodeLabel: rack}]}\n";
  EXPECT_EQ(with_levels(fabric() + topology, {}).diagnostics(), Words{});
}

}  // namespace
}  // namespace trellis::label_levels_test
