#include "server/objects/zone_leavers_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/manifest/manifest.h"
#include "tests/support/random.h"

namespace trellis::zone_leavers_text_test {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

std::string in_quotes(const std::string& text) {
  std::string quoted = "\"";
  for (char c : text) quoted += c == '"' ? std::string("\\\"") : std::string(1, c);
  return quoted + "\"";
}

// The node of a report with this annotation.
Manifest read(const std::string& annotation, Vocabulary& vocabulary) {
  std::string text =
      R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n"},"status":{"allocatable":{"cpu":"8"}}})"
      "\n"
      R"({"apiVersion":"topology.node.k8s.io/v1alpha2","kind":"NodeResourceTopology","metadata":)"
      R"({"name":"n","annotations":{"trellis.scheduler/numa-left":)" +
      in_quotes(annotation) +
      R"(}},"topologyPolicies":["SingleNUMANodePodLevel"],"zones":[{"name":"node-0","type":"Node",)"
      R"("resources":[{"name":"cpu","capacity":"4"}]}]})"
      "\n";
  return read_manifest_text("in.jsonl", text, vocabulary);
}

std::vector<ResourceAmount> some_amounts(Random& random, const std::vector<ResourceId>& resources) {
  std::vector<ResourceAmount> amounts;
  for (ResourceId resource : resources) {
    if (random.chance(50)) amounts.push_back({resource, random.between(0, 1'000'000)});
  }
  return amounts;
}

TEST(ZoneLeaversText, IsReadAsItWasWritten) {
  Vocabulary vocabulary;
  std::vector<ResourceId> resources = {kCpu, kMemory, kGpu,
                                       vocabulary.resources.intern("example.com/nic")};
  std::sort(resources.begin(), resources.end());
  Random random(1);
  for (int round = 0; round < 200; ++round) {
    std::vector<ZoneLeaver> leavers(1 + random.below(3));
    for (ZoneLeaver& leaver : leavers) {
      leaver.demand.qos = static_cast<Qos>(random.below(3));
      leaver.demand.containers.resize(random.below(3));
      for (ContainerDemand& one : leaver.demand.containers) {
        one = {static_cast<ContainerKind>(random.below(3)), some_amounts(random, resources)};
      }
      leaver.demand.pod_level = some_amounts(random, resources);
      leaver.demand.overhead = some_amounts(random, resources);
      leaver.zones.resize(random.below(3));
      for (std::vector<int64_t>& set : leaver.zones) set.resize(random.below(3), round);
    }
    std::string text = zone_leavers_text(leavers, vocabulary.resources);
    Manifest manifest = read(text, vocabulary);
    ASSERT_THAT(manifest.objects.nodes, SizeIs(1));
    const std::vector<ZoneLeaver>& read_back = manifest.objects.nodes[0].left;
    EXPECT_THAT(read_back, testing::UnorderedElementsAreArray(leavers)) << text;
    EXPECT_EQ(zone_leavers_text(read_back, vocabulary.resources), text);
  }
}

TEST(ZoneLeaversText, WhatCannotBeUnderstoodIsReportedAndLeftOut) {
  for (const char* text :
       {"nonsense", "{}", "[1]", R"([{"qos":"Guaranteed"}])",
        R"([{"qos":"x","containers":[],"resources":{},"overhead":{},"zones":[]}])"}) {
    Vocabulary vocabulary;
    Manifest manifest = read(text, vocabulary);
    ASSERT_THAT(manifest.objects.nodes, SizeIs(1));
    EXPECT_TRUE(manifest.objects.nodes[0].numa) << text;
    EXPECT_THAT(manifest.objects.nodes[0].left, IsEmpty()) << text;
    EXPECT_THAT(manifest.diagnostics, SizeIs(1)) << text;
  }
}

}  // namespace
}  // namespace trellis::zone_leavers_text_test
