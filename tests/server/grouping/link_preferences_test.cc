#include "server/grouping/link_preferences.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/manifest/reading.h"

namespace trellis::test::link_preferences_test {
namespace {

using Way = PlacementPreference::Way;

std::string object(const std::string& type, const std::string& metadata, const std::string& spec) {
  return "---\n{apiVersion: " + type.substr(0, type.find(' ')) +
         ", kind: " + type.substr(type.find(' ') + 1) + ", metadata: {" + metadata + "}, spec: {" +
         spec + "}}\n";
}

std::string preferences(const std::string& json) {
  return "annotations: {trellis.scheduler/placement-preferences: '" + json + "'}";
}

std::string pod(const std::string& name, const std::string& metadata) {
  return object("v1 Pod", "name: " + name + metadata, "containers: [{name: c, image: pause}]");
}

const PlacementPreferences& placement(const Reading& reading, std::string_view pod) {
  return reading.pod(pod)->spec->placement;
}

TEST(LinkPreferences, EveryForm) {
  Reading reading = read(
      pod("p",
          ", " + preferences(
                     "[{\"spread\":{\"label\":\"Node.Labels.zone\",\"weights\":{\"b\":3,\"a\":2}}},"
                     "{\"pack\":{\"label\":\"example.com/rack\"}},"
                     "{\"spread\":{\"label\":\"row\",\"hard\":true}},"
                     "{\"pack\":{\"resource\":\"nvidia.com/gpu\"}}]")));
  const PlacementPreferences& made = placement(reading, "p");
  EXPECT_EQ(reading.diagnostics(), std::vector<std::string>{});
  ASSERT_EQ(made.list.size(), 4U);
  EXPECT_EQ(reading.text(made.list[0].label), "zone");
  ASSERT_EQ(made.list[0].weights.size(), 2U);
  EXPECT_EQ(reading.text(made.list[0].weights[0].value), "a");
  EXPECT_EQ(made.list[0].weights[0].weight, 2);
  EXPECT_EQ(made.list[1].way, Way::Pack);
  EXPECT_EQ(reading.text(made.list[1].label), "example.com/rack");
  EXPECT_EQ(made.list[2].max_skew, 1);
  EXPECT_EQ(made.list[3].resource, kGpu);
  EXPECT_EQ(made.list[3].over, PlacementPreference::Over::Resource);
  EXPECT_EQ(reading.text(made.service), "Pod/default/p");
}

TEST(LinkPreferences, NestingOfAnyDepthIsNoPreference) {
  for (size_t depth : {5U, 300'000U}) {
    std::string nested = std::string(depth, '[') + std::string(depth, ']');
    for (const std::string& list :
         {nested, "[{\"spread\":{\"label\":" + nested + "}}]",
          "[{\"spread\":{\"label\":\"zone\",\"weights\":{\"a\":" + nested + "}}}]"}) {
      Reading reading = read(pod("p", ", " + preferences(list)));
      EXPECT_TRUE(placement(reading, "p").list.empty());
      ASSERT_EQ(reading.diagnostics().size(), 1U);
      EXPECT_THAT(reading.diagnostics()[0], testing::HasSubstr("a JSON list of at most 16"));
      EXPECT_LT(reading.diagnostics()[0].size(), 400U);
    }
  }
}

TEST(LinkPreferences, ThePodGroupGoesBeforeItsPods) {
  Reading reading = read(
      object("scheduling.run.ai/v2alpha2 PodGroup",
             "name: g, " + preferences("[{\"spread\":{\"label\":\"zone\"}}]"), "minMember: 1") +
      pod("a",
          ", annotations: {pod-group-name: g, trellis.scheduler/max-pods-per-node: \"3\","
          " trellis.scheduler/placement-preferences: '[]'}") +
      pod("b", ", annotations: {pod-group-name: g}"));
  for (const char* name : {"a", "b"}) {
    EXPECT_EQ(placement(reading, name).list.size(), 1U);
    EXPECT_EQ(placement(reading, name).max_pods_per_node, 3);
    EXPECT_EQ(reading.text(placement(reading, name).service), "PodGroup/default/g");
  }
}

TEST(LinkPreferences, PodsOfADeploymentAreOneService) {
  std::string owner =
      ", ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: d, controller: true}]";
  Reading reading =
      read(object("apps/v1 Deployment", "name: d, " + preferences("[{\"spread\":{\"node\":true}}]"),
                  "replicas: 2") +
           pod("a", owner) + pod("b", owner));
  EXPECT_EQ(reading.text(placement(reading, "a").service), "Deployment/default/d");
  EXPECT_EQ(placement(reading, "a"), placement(reading, "b"));
  EXPECT_NE(reading.gang_of("a"), reading.gang_of("b"));
}

TEST(LinkPreferences, ALabelMakesAServiceOfPodsAlone) {
  Reading reading =
      read(pod("a", ", labels: {app: web}, " + preferences("[{\"spread\":{\"node\":true}}]")) +
           pod("b", ", labels: {app: web}") + pod("c", ", labels: {app: db}"));
  EXPECT_EQ(reading.text(placement(reading, "b").service), "app/default/web");
  EXPECT_TRUE(placement(reading, "b").list.empty());
  EXPECT_FALSE(placement(reading, "c").service.valid());
}

TEST(LinkPreferences, WhenAFailedPodEnded) {
  Reading reading = read(
      "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {nodeName: n1, containers: [{name: "
      "c, "
      "image: pause}]}, status: {phase: Failed, containerStatuses: ["
      "{name: a, state: {terminated: {exitCode: 1, finishedAt: \"1970-01-01T00:00:02Z\"}}},"
      "{name: b, state: {terminated: {exitCode: 0, finishedAt: \"1970-01-01T00:00:01Z\"}}}]}}");
  EXPECT_EQ(reading.pod("p")->pod.finished, 2 * kSecondUs);
}

}  // namespace
}  // namespace trellis::test::link_preferences_test
