// Topologies as a tree for eyes and as a document.

#include "server/view/topology_output.h"

#include <gtest/gtest.h>

#include "server/document/json_writer.h"
#include "tests/server/sample_cluster.h"

namespace trellis::topology_output_test {
namespace {

ResourceList gpus(int64_t count) {
  ResourceList list;
  list.set(kGpu, count * kMilli);
  return list;
}

// hall: b1 (r1, r2), b2 (r1), of one node a rack.
TopologyReport hall() {
  auto domain = [](int64_t id, std::vector<std::string> path, int64_t parent, int64_t used,
                   int64_t free) {
    DomainReport report{.id = id, .parent = parent};
    report.name = path.empty() ? "" : path.back();
    report.depth = static_cast<int64_t>(path.size());
    report.level = path.empty() ? "" : path.size() == 1 ? "x/block" : "x/rack";
    report.path = std::move(path);
    report.nodes = report.depth == 2 ? 1 : report.depth == 1 ? 2 : 3;
    report.available = gpus(free);
    report.allocated = gpus(used);
    return report;
  };
  TopologyReport report{.name = "hall", .levels = {"x/block", "x/rack"}};
  report.domains = {domain(0, {"b1", "r1"}, 2, 8, 0), domain(1, {"b1", "r2"}, 2, 2, 6),
                    domain(2, {"b1"}, 5, 10, 6),      domain(3, {"b2", "r1"}, 4, 0, 8),
                    domain(4, {"b2"}, 5, 0, 8),       domain(5, {}, -1, 10, 14)};
  return report;
}

TEST(TopologyTree, DrawsParentsBeforeChildrenWithBars) {
  EXPECT_EQ(topology_tree({hall()}, Glyphs::Unicode, Colours::Off),
            "topology hall: x/block > x/rack\n"
            "hall      █████░░░░░░░ 10/24 GPUs, 3 nodes\n"
            "├─ b1     ████████░░░░ 10/16 GPUs, 2 nodes\n"
            "│  ├─ r1  ████████████   8/8 GPUs, 1 node\n"
            "│  └─ r2  ███░░░░░░░░░   2/8 GPUs, 1 node\n"
            "└─ b2     ░░░░░░░░░░░░   0/8 GPUs, 2 nodes\n"
            "   └─ r1  ░░░░░░░░░░░░   0/8 GPUs, 1 node\n");
}

TEST(TopologyTree, AsciiWhereUnicodeIsNotWanted) {
  std::string text = topology_tree({hall()}, Glyphs::Ascii, Colours::Off);
  EXPECT_NE(text.find("|  `- r2  ###.........   2/8 GPUs"), std::string::npos) << text;
  for (char c : text) EXPECT_GE(c, 0);
}

TEST(TopologyTree, CountsCpusWhereThereIsNoGpu) {
  TopologyReport report{.name = "flat", .levels = {"x/rack"}};
  DomainReport root{.id = 0, .nodes = 1};
  root.available.set(kCpu, 1500);
  root.allocated.set(kCpu, 500);
  report.domains = {root};
  report.incomplete_nodes = {"n1"};
  EXPECT_EQ(topology_tree({report}, Glyphs::Ascii, Colours::Off),
            "topology flat: x/rack\n"
            "flat  ###......... 0.5/2 CPUs, 1 node\n"
            "1 node without some level's label, such as n1\n");
}

TEST(TopologyTree, ManySingleNodesAreNotDrawn) {
  TopologyReport report{.name = "big", .levels = {"kubernetes.io/hostname"}};
  for (int64_t i = 0; i < 100; ++i) {
    DomainReport single{.id = i, .name = "h", .level = "kubernetes.io/hostname", .parent = 100};
    single.nodes = 1;
    report.domains.push_back(single);
  }
  report.domains.push_back({.id = 100, .nodes = 100, .available = gpus(100)});
  EXPECT_EQ(topology_tree({report}, Glyphs::Ascii, Colours::Off),
            "topology big: kubernetes.io/hostname\n"
            "big  ............ 0/100 GPUs, 100 nodes\n"
            "level kubernetes.io/hostname is not drawn: 100 nodes\n");
}

TEST(TopologyTree, AClusterWithoutTopologyIsOneLine) {
  SampleCluster sample;
  NodeId node = sample.node("n1", 4);
  CycleRecord record = sample.record();
  record.nodes.own(node).idle = 1;
  EXPECT_EQ(cluster_line(sample.cluster, record, Glyphs::Ascii, Colours::Off),
            "no topology: #########... 3/4 GPUs, 1 node\n");
}

TEST(TopologyDocument, HasTheContractsKeys) {
  ResourceTable resources;
  TopologyReport report{.name = "t", .levels = {"x/rack"}};
  DomainReport rack{.id = 0, .name = "r1", .level = "x/rack", .path = {"r1"}, .parent = 1};
  rack.depth = 1;
  rack.nodes = 2;
  rack.available = gpus(6);
  rack.available.set(kMemory, int64_t{8} << 30);
  rack.available.set(kCpu, 2500);
  rack.allocatable_pods = {{"default/train", 3}};
  report.domains = {rack, {.id = 1, .nodes = 2}};
  StringSink sink;
  JsonWriter writer(sink, 4);
  writer.begin_object();
  write_topologies(writer, resources, {report});
  writer.end_object();
  writer.finish();
  EXPECT_EQ(sink.text(),
            "{\n"
            " \"topologies\":[\n"
            "  {\n"
            "   \"name\":\"t\",\n"
            "   \"levels\":[\n"
            "    \"x/rack\"\n"
            "   ],\n"
            "   \"domains\":[\n"
            "    {\"id\":0,\"name\":\"r1\",\"level\":\"x/rack\",\"path\":[\"r1\"],\"parent\":1,"
            "\"depth\":1,\"nodes\":2,"
            "\"available\":{\"cpu\":\"2500m\",\"memory\":\"8Gi\",\"nvidia.com/gpu\":\"6\"},"
            "\"allocated\":{},\"allocatablePods\":[{\"class\":\"default/train\",\"count\":3}]},\n"
            "    {\"id\":1,\"name\":\"\",\"path\":[],\"depth\":0,\"nodes\":2,"
            "\"available\":{},\"allocated\":{},\"allocatablePods\":[]}\n"
            "   ]\n"
            "  }\n"
            " ]\n"
            "}\n");
}

}  // namespace
}  // namespace trellis::topology_output_test
