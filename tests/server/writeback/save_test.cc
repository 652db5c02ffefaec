#include "server/writeback/save.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/server/sample_cluster.h"

namespace trellis::save_test {
namespace {

constexpr TimeUs kNow = 1'767'268'800 * kSecondUs;  // 2026-01-01T12:00:00Z

RawObject raw(std::string name, std::string json) {
  return {"Pod", "default", std::move(name), std::move(json)};
}

// The saved form of one pod.
std::string saved(const SampleCluster& sample, const std::string& json,
                  const BindNotes& notes = {}) {
  StringSink sink;
  save_objects(sink, {raw("p", json)}, sample.cluster, notes, kNow);
  return sink.text();
}

struct World : SampleCluster {
  World() {
    node("n1", 4);
    gang("g");
  }
};

TEST(Save, ACycleKeepsWhatMovedInItsHour) {
  EXPECT_EQ(cycle_line({.now = kNow}).find("movedGPUs"), std::string::npos);
  std::string line = cycle_line({.now = kNow, .moved_gpus = {kNow - kSecondUs, 1500}});
  EXPECT_NE(line.find(R"("movedGPUs":{"since":"2026-01-01T11:59:59Z","milli":1500})"),
            std::string::npos)
      << line;
}

TEST(Save, ObjectsThatAreNoPodsStayAsTheyWere) {
  World world;
  StringSink sink;
  save_objects(sink, {{"Node", "", "n1", "{\"kind\":\"Node\"}"}, raw("unknown", "{\"a\":1}")},
               world.cluster, {}, kNow);
  EXPECT_EQ(sink.text(), "{\"kind\":\"Node\"}\n{\"a\":1}\n");
}

TEST(Save, APodThatStartedGetsNodePhaseAndTime) {
  World world;
  PodId id = world.pod("g", "p");
  world.cluster.set_pod(id, PodStatus::Running, world.cluster.find_node("n1"), kNow);
  EXPECT_EQ(saved(world, R"({"kind":"Pod","metadata":{"name":"p"},"spec":{"a":1}})"),
            R"({"kind":"Pod","metadata":{"name":"p"},"spec":{"a":1,"nodeName":"n1"},)"
            R"("status":{"phase":"Running","startTime":"2026-01-01T12:00:00Z"}})"
            "\n");
}

// It was leaving when it was read, and has come back since.
TEST(Save, APodThatRunsAgainIsNoLongerLeaving) {
  World world;
  PodId id = world.pod("g", "p");
  world.cluster.set_pod(id, PodStatus::Running, world.cluster.find_node("n1"), kNow);
  EXPECT_EQ(saved(world, R"({"kind":"Pod","metadata":{"name":"p","deletionTimestamp":)"
                         R"("2026-01-01T11:00:00Z","deletionGracePeriodSeconds":30},)"
                         R"("spec":{"nodeName":"n0"},"status":{"phase":"Running"}})"),
            R"({"kind":"Pod","metadata":{"name":"p"},"spec":{"nodeName":"n1"},)"
            R"("status":{"phase":"Running","startTime":"2026-01-01T12:00:00Z"}})"
            "\n");
}

TEST(Save, APodThatDidNotMoveKeepsItsText) {
  World world;
  world.pod("g", "p", PodStatus::Running, "n1");
  std::string running = R"({"kind":"Pod","metadata":{"name":"p"},"spec":{"nodeName":"n1"},)"
                        R"("status":{"phase":"Running","podIP":"10.0.0.1"}})";
  EXPECT_EQ(saved(world, running), running + "\n");
  world.pod("g", "p");
  std::string pending = R"({"kind":"Pod", "metadata":{"name":"p"}})";
  EXPECT_EQ(saved(world, pending), pending + "\n");
}

TEST(Save, APodThatLeftIsPendingWithNothingOfItsPlace) {
  World world;
  world.pod("g", "p");
  EXPECT_EQ(
      saved(
          world,
          R"({"metadata":{"name":"p","deletionTimestamp":"2026-01-01T00:00:00Z",)"
          R"("labels":{"app":"x","runai-gpu-group":"0"}},"spec":{"nodeName":"n1"},)"
          R"("status":{"phase":"Running","startTime":"2025-01-01T00:00:00Z","podIP":"1.2.3.4"}})"),
      R"({"metadata":{"name":"p","labels":{"app":"x"}},"spec":{},"status":{"phase":"Pending"}})"
      "\n");
}

TEST(Save, AnEvictedPodWithAFinalizerIsLeaving) {
  World world;
  world.pod("g", "p", PodStatus::Releasing, "n1");
  auto object =
      nlohmann::json::parse(saved(world, R"({"metadata":{"name":"p"},"spec":{"nodeName":"n1"},)"
                                         R"("status":{"phase":"Running"}})"));
  EXPECT_EQ(object["metadata"]["deletionTimestamp"], "2026-01-01T12:00:00Z");
  EXPECT_EQ(object["spec"]["nodeName"], "n1");
}

TEST(Save, SharedDevicesGoIntoLabels) {
  World world;
  Pod pod = world.cluster.pods()[world.pod("g", "p", PodStatus::Running, "n1")].pod;
  StringTable& strings = world.cluster.vocabulary().strings;
  pod.gpu_groups = {strings.intern("2")};
  world.cluster.upsert(pod, PodSpec());
  std::string text = R"({"metadata":{"name":"p"},"spec":{"nodeName":"n1"},)"
                     R"("status":{"phase":"Running"}})";
  EXPECT_EQ(nlohmann::json::parse(saved(world, text))["metadata"]["labels"],
            nlohmann::json::parse(R"({"runai-gpu-group":"2"})"));
  pod.gpu_groups = {strings.intern("2"), strings.intern("3")};
  world.cluster.upsert(pod, PodSpec());
  EXPECT_EQ(nlohmann::json::parse(saved(world, text))["metadata"]["labels"],
            nlohmann::json::parse(R"({"runai-gpu-group/2":"2","runai-gpu-group/3":"3"})"));
}

TEST(Save, WhatWasWrittenWhenAPodWasBound) {
  World world;
  PodId id = world.pod("g", "p");
  CycleRecord record = world.record();
  record.pods.own(id).status = PodStatus::Bound;
  record.pods.own(id).set_details({.notes = {{BindNote::Kind::Label, "trellis.scheduler/rank", "3"},
                                             {BindNote::Kind::Annotation, "example.com/hint", "x"}},
                                   .description = {},
                                   .claims = {},
                                   .devices = {}});
  BindNotes notes;
  add_notes(notes, record, world.cluster);
  // It stands while the pod runs.
  record.pods.own(id).status = PodStatus::Running;
  record.pods.own(id).set_details({});
  add_notes(notes, record, world.cluster);
  world.cluster.set_pod(id, PodStatus::Running, world.cluster.find_node("n1"), kNow);
  std::string text = saved(world, R"({"metadata":{"name":"p","labels":{"a":"b"}}})", notes);
  EXPECT_EQ(nlohmann::json::parse(text)["metadata"],
            nlohmann::json::parse(R"({"name":"p","labels":{"a":"b","trellis.scheduler/rank":"3"},)"
                                  R"("annotations":{"example.com/hint":"x"}})"));
  // And goes with its place.
  record.pods.own(id).status = PodStatus::Pending;
  add_notes(notes, record, world.cluster);
  EXPECT_FALSE(notes.contains(id));
  world.cluster.set_pod(id, PodStatus::Pending, NodeId(), kNoTime);
  EXPECT_EQ(nlohmann::json::parse(
                saved(world,
                      R"({"metadata":{"name":"p","labels":{"trellis.scheduler/rank":"3"}},)"
                      R"("spec":{"nodeName":"n1"}})",
                      notes))["metadata"],
            nlohmann::json::parse(R"({"name":"p"})"));
}

TEST(Save, OddShapesDoNotBreakIt) {
  World world;
  PodId id = world.pod("g", "p");
  world.cluster.set_pod(id, PodStatus::Running, world.cluster.find_node("n1"), kNow);
  EXPECT_EQ(saved(world, "not json"), "not json\n");
  EXPECT_EQ(saved(world, "[1]"), "[1]\n");
  auto object = nlohmann::json::parse(saved(world, R"({"spec":3,"status":{"phase":7}})"));
  EXPECT_EQ(object["spec"]["nodeName"], "n1");
  EXPECT_EQ(object["status"]["phase"], "Running");
}

std::string saved_group(const SampleCluster& sample, const std::string& json) {
  StringSink sink;
  save_objects(sink, {{"PodGroup", "default", "g", json}}, sample.cluster, {}, kNow);
  return sink.text();
}

TEST(Save, APodGroupSaysSinceWhenItsGangRuns) {
  World world;
  GangId gang = world.cluster.find_gang("default", "g");
  std::string plain = R"({"kind":"PodGroup","metadata":{"name":"g"},"spec":{"a":1}})";
  EXPECT_EQ(saved_group(world, plain), plain + "\n");
  world.cluster.set_gang_times(gang, kNow, kNow + kSecondUs);
  std::string timed =
      R"({"kind":"PodGroup","metadata":{"name":"g","annotations":{)"
      R"("kai.scheduler/last-start-timestamp":"2026-01-01T12:00:00Z",)"
      R"("kai.scheduler/stale-podgroup-timestamp":"2026-01-01T12:00:01Z"}},"spec":{"a":1}})";
  EXPECT_EQ(saved_group(world, plain), timed + "\n");
  EXPECT_EQ(saved_group(world, timed), timed + "\n");
  world.cluster.set_gang_times(gang, kNoTime, kNoTime);
  EXPECT_EQ(saved_group(world, timed), plain + "\n");
}

}  // namespace
}  // namespace trellis::save_test
