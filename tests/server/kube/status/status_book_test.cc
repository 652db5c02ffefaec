#include "server/kube/status/status_book.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/kube/status/live_world.h"
#include "tests/server/sample_cluster.h"

namespace trellis::status_book_test {
namespace {

using test::LiveWorld;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

constexpr const char* kPods = "/api/v1/namespaces/default/pods/";
constexpr const char* kPodGroups = "/apis/scheduling.run.ai/v2alpha2/namespaces/default/podgroups/";

std::string node(const std::string& name, const std::string& rack, int gpus) {
  return "apiVersion: v1\nkind: Node\nmetadata: {name: " + name + ", labels: {rack: " + rack +
         ", kubernetes.io/hostname: " + name +
         "}}\nstatus: {allocatable: {cpu: '64', memory: 64Gi, pods: '110', nvidia.com/gpu: '" +
         std::to_string(gpus) + "'}}\n---\n";
}

std::string pod(const std::string& name, const std::string& group, int gpus) {
  return "apiVersion: v1\nkind: Pod\nmetadata: {name: " + name +
         ", annotations: {pod-group-name: " + group +
         "}}\nspec: {containers: [{name: c, resources: {requests: {nvidia.com/gpu: '" +
         std::to_string(gpus) + "'}}}]}\nstatus: {phase: Pending}\n---\n";
}

std::string gang(const std::string& name, int least, const std::string& more = "") {
  return "apiVersion: scheduling.run.ai/v2alpha2\nkind: PodGroup\nmetadata: {name: " + name +
         "}\nspec: {minMember: " + std::to_string(least) + more + "}\n---\n";
}

constexpr const char* kHall =
    "apiVersion: kueue.x-k8s.io/v1beta2\nkind: Topology\nmetadata: {name: hall}\n"
    "spec: {levels: [{nodeLabel: rack}, {nodeLabel: kubernetes.io/hostname}]}\n---\n";
constexpr const char* kInARack =
    ", topologyConstraint: {topology: hall, requiredTopologyLevel: rack}";

// A gang of two that needs four GPUs, where a node has two.
void put_waiting_gang(LiveWorld& world) {
  world.put(node("n1", "r1", 2) + gang("train", 2) + pod("t-0", "train", 2) +
            pod("t-1", "train", 2));
}

Json condition(const Json& object, const std::string& type) {
  if (!object.contains("status") || !object["status"].contains("conditions")) return nullptr;
  for (const Json& one : object["status"]["conditions"]) {
    if (one["type"] == type) return one;
  }
  return nullptr;
}

TEST(StatusBook, PodsThatWaitSayWhyOnce) {
  LiveWorld world;
  put_waiting_gang(world);
  StatusBook book({});
  world.cycle();
  EXPECT_THAT(world.write(book),
              UnorderedElementsAre("PATCH " + std::string(kPods) + "t-0/status",
                                   "PATCH " + std::string(kPods) + "t-1/status",
                                   "PATCH " + std::string(kPodGroups) + "train/status"));
  Json said = condition(world.object("Pod", "t-1"), "PodScheduled");
  EXPECT_EQ(said["status"], "False");
  EXPECT_EQ(said["reason"], "Unschedulable");
  EXPECT_THAT(text_at(said, "message"), HasSubstr("needs 2 pods, 1 fit"));
  EXPECT_EQ(said["lastTransitionTime"], "2027-01-15T08:00:01Z");

  world.cycle();
  EXPECT_THAT(world.write(book), IsEmpty());
}

std::string reason_of(const LiveWorld& world, const std::string& pod) {
  Json said = condition(world.object("Pod", pod), "PodScheduled");
  return said.is_null() ? "" : text_at(said, "reason");
}

// Cluster autoscalers add nodes for pods that are Unschedulable.
TEST(StatusBook, OnlyPodsThatMoreNodesWouldHelpAreUnschedulable) {
  LiveWorld world;
  put_waiting_gang(world);
  world.put(
      "apiVersion: scheduling.run.ai/v2\nkind: Queue\nmetadata: {name: tight}\nspec: {resources: "
      "{gpu: {quota: 0, limit: 1}, cpu: {quota: -1, limit: -1}, memory: {quota: -1, limit: -1}}}\n"
      "---\n" +
      gang("bounded", 1, ", queue: tight") + pod("b-0", "bounded", 2));
  world.cycle();
  StatusBook book({});
  world.write(book);
  EXPECT_EQ(reason_of(world, "b-0"), "QueueOverLimit");
  EXPECT_EQ(reason_of(world, "t-0"), "Unschedulable");
  // One that is set to say nothing of nodes does not.
  world.edit("PodGroup", "train",
             [](Json& object) { object["spec"]["markUnschedulable"] = false; });
  world.pass(GangReasons::kStandsUs);
  world.cycle();
  world.write(book);
  EXPECT_EQ(reason_of(world, "t-0"), "NodesNoFit");
  EXPECT_THAT(text_at(condition(world.object("Pod", "t-0"), "PodScheduled"), "message"),
              HasSubstr("needs 2 pods, 1 fit"));
}

TEST(StatusBook, APodThatIsHeldItselfSaysWhatItWaitsFor) {
  LiveWorld world;
  put_waiting_gang(world);
  for (const char* name : {"t-2", "alone"}) {
    world.put(pod(name, name[0] == 't' ? "train" : "", 1));
    world.edit("Pod", name, [](Json& object) {
      object["spec"]["resourceClaims"] = {{{"name", "gpu"}, {"resourceClaimName", "c"}}};
    });
  }
  world.cycle();
  StatusBook book({});
  world.write(book);
  for (const char* name : {"t-2", "alone"}) {
    EXPECT_EQ(reason_of(world, name), "ResourceClaimNotUsable");
    EXPECT_THAT(text_at(condition(world.object("Pod", name), "PodScheduled"), "message"),
                HasSubstr("a resource claim of its pods cannot be used"));
  }
  EXPECT_EQ(reason_of(world, "t-0"), "Unschedulable");
  world.pass(kSecondUs);
  EXPECT_THAT(world.events(book), testing::Contains(HasSubstr("FailedScheduling Pod/alone")));
}

TEST(StatusBook, ABookThatStartsAgainFindsWhatStands) {
  LiveWorld world;
  put_waiting_gang(world);
  world.cycle();
  StatusBook first({});
  EXPECT_EQ(world.write(first).size(), 3);
  world.cycle();
  StatusBook second({});
  EXPECT_THAT(world.write(second), IsEmpty());
}

TEST(StatusBook, OtherConditionsAndTheTimeOfTheFirstStay) {
  LiveWorld world;
  put_waiting_gang(world);
  world.edit("Pod", "t-0", [](Json& object) {
    object["status"]["conditions"] = {{{"type", "Custom"}, {"status", "True"}},
                                      {{"type", "PodScheduled"},
                                       {"status", "False"},
                                       {"reason", "Unschedulable"},
                                       {"message", "before"},
                                       {"lastTransitionTime", "2020-01-01T00:00:00Z"}}};
  });
  world.cycle();
  StatusBook book({});
  world.write(book);
  Json object = world.object("Pod", "t-0");
  EXPECT_EQ(condition(object, "Custom")["status"], "True");
  EXPECT_EQ(condition(object, "PodScheduled")["lastTransitionTime"], "2020-01-01T00:00:00Z");
  EXPECT_NE(condition(object, "PodScheduled")["message"], "before");
}

TEST(StatusBook, PodsOfOthersHeldPodsAndPlacedOnesAreLeftAlone) {
  LiveWorld world([] {
    Config config;
    config.scheduler_names = {"ours"};
    return config;
  }());
  world.put(node("n1", "r1", 2) + pod("theirs", "", 4) + pod("held", "", 4) + pod("placed", "", 1));
  for (const char* ours : {"held", "placed"}) {
    world.edit("Pod", ours, [](Json& object) { object["spec"]["schedulerName"] = "ours"; });
  }
  world.edit("Pod", "held", [](Json& object) {
    object["spec"]["schedulingGates"] = {{{"name", "example.com/gate"}}};
  });
  world.cycle();
  StatusBook book({});
  EXPECT_THAT(world.write(book), IsEmpty());
}

TEST(StatusBook, APromiseIsWrittenAndTakenBack) {
  LiveWorld world;
  world.put(node("n1", "r1", 2) + gang("train", 1) + pod("t-0", "train", 2) + gang("old", 1) +
            pod("o-0", "old", 2));
  world.edit("Pod", "o-0", [](Json& object) {
    object["spec"]["nodeName"] = "n1";
    object["status"]["phase"] = "Running";
    object["metadata"]["deletionTimestamp"] = "2027-01-15T08:00:00Z";
  });
  world.cycle();
  StatusBook book({});
  world.write(book);
  EXPECT_EQ(world.object("Pod", "t-0")["status"]["nominatedNodeName"], "n1");
  world.edit("Node", "n1", [](Json& object) { object["spec"]["unschedulable"] = true; });
  world.cycle();
  world.write(book);
  EXPECT_FALSE(world.object("Pod", "t-0")["status"].contains("nominatedNodeName"));
}

TEST(StatusBook, APodGroupSaysHowItsGangStands) {
  LiveWorld world;
  world.put(std::string(kHall) + node("n1", "r1", 2) + node("n2", "r2", 2) +
            gang("train", 2, kInARack) + pod("t-0", "train", 2) + pod("t-1", "train", 2));
  world.edit("PodGroup", "train", [](Json& object) {
    object["status"]["resourcesStatus"] = {{"requested", {{"cpu", "1"}}}};
  });
  world.cycle();
  StatusBook book({});
  world.write(book);
  Json status = world.object("PodGroup", "train")["status"];
  EXPECT_EQ(status["phase"], "Pending");
  EXPECT_EQ(status["pending"], 2);
  EXPECT_EQ(status["running"], 0);
  EXPECT_EQ(status["schedulingConditions"].size(), 1);
  EXPECT_EQ(status["schedulingConditions"][0]["reason"], "TopologyNoFit");
  EXPECT_EQ(status["schedulingConditions"][0]["transitionID"], "1");
  EXPECT_TRUE(status.contains("resourcesStatus")) << "what others wrote stays";

  world.put(node("n3", "r2", 2));
  world.cycle();
  world.write(book);
  Json placed = world.object("PodGroup", "train");
  EXPECT_EQ(placed["metadata"]["annotations"]["trellis.scheduler/placement"],
            R"({"topology":"hall","level":"rack","domain":["r2"]})");
  EXPECT_FALSE(placed["status"].contains("schedulingConditions"));

  for (const char* name : {"t-0", "t-1"}) {
    world.edit("Pod", name, [&](Json& object) {
      object["spec"]["nodeName"] = std::string(name) == "t-0" ? "n2" : "n3";
      object["status"]["phase"] = "Running";
    });
  }
  world.cycle();
  world.write(book);
  placed = world.object("PodGroup", "train");
  EXPECT_EQ(placed["status"]["phase"], "Running");
  EXPECT_EQ(placed["status"]["running"], 2);
  EXPECT_EQ(placed["status"]["pending"], 0);
  EXPECT_TRUE(placed["metadata"]["annotations"].contains("kai.scheduler/last-start-timestamp"));
  world.cycle();
  EXPECT_THAT(world.write(book), IsEmpty());

  world.edit("PodGroup", "train", [](Json& object) { object["spec"]["minMember"] = 3; });
  world.cycle();
  world.write(book);
  EXPECT_EQ(world.object("PodGroup", "train")["status"]["phase"], "Unknown");
}

// The figures of a reason move with every cycle: the sentence stands for a while.
TEST(StatusBook, FiguresAloneAreReportedAfterAWhile) {
  LiveWorld world;
  put_waiting_gang(world);
  StatusBook book({});
  world.cycle();
  world.write(book);
  std::string before = text_at(condition(world.object("Pod", "t-0"), "PodScheduled"), "message");
  world.put(node("n2", "r1", 0));
  world.cycle();
  EXPECT_THAT(world.write(book), IsEmpty());
  EXPECT_NE(book.next_look(), kNoTime);
  world.pass(GangReasons::kStandsUs);
  EXPECT_EQ(world.write(book).size(), 3);
  EXPECT_NE(text_at(condition(world.object("Pod", "t-0"), "PodScheduled"), "message"), before);
}

TEST(StatusBook, AWriteThatMetAnotherIsRepeated) {
  LiveWorld world;
  put_waiting_gang(world);
  world.cycle();
  StatusBook book({});
  EXPECT_EQ(world.write(book, [](const ApiRequest&) { return 409; }).size(), 3);
  EXPECT_THAT(world.send(book), IsEmpty()) << "not at once";
  world.pass(WriteQueue::kFirstBackoffUs);
  EXPECT_EQ(world.send(book).size(), 3);
  EXPECT_EQ(book.figures().again, 3);
  EXPECT_EQ(book.figures().written, 3);
}

TEST(StatusBook, APodThatIsGoneIsForgotten) {
  LiveWorld world;
  put_waiting_gang(world);
  world.cycle();
  world.remove("Pod", "t-0");
  StatusBook book({});
  EXPECT_EQ(world.write(book).size(), 2);
  EXPECT_EQ(book.next_at(world.now()), world.now()) << "its event";
}

TEST(StatusBook, AGreatManyPodsAreWrittenAtARate) {
  LiveWorld world;
  std::string yaml = node("n1", "r1", 2) + gang("train", 50);
  for (int i = 0; i < 50; ++i) yaml += pod("t-" + std::to_string(i), "train", 2);
  world.put(yaml);
  world.cycle();
  StatusBook book({.statuses = {.rate = {.per_second = 10, .burst = 20}}});
  EXPECT_EQ(world.write(book).size(), 20);
  EXPECT_THAT(world.send(book), IsEmpty());
  world.pass(kSecondUs);
  EXPECT_EQ(world.send(book).size(), 10);
  world.pass(10 * kSecondUs);
  EXPECT_EQ(world.send(book).size(), 20);
  world.pass(10 * kSecondUs);
  EXPECT_EQ(world.send(book).size(), 1);
}

TEST(StatusBook, EventsReportWhatHappenedAndNotAgain) {
  LiveWorld world;
  put_waiting_gang(world);
  StatusBook book({});
  world.cycle();
  world.write(book);
  EXPECT_THAT(world.events(book), ElementsAre(HasSubstr("Unschedulable PodGroup/train: "),
                                              HasSubstr("FailedScheduling Pod/t-0: "),
                                              HasSubstr("FailedScheduling Pod/t-1: ")));
  world.cycle();
  world.write(book);
  EXPECT_THAT(world.events(book), IsEmpty());
  world.put(node("n2", "r1", 2));
  world.cycle();
  world.write(book);
  EXPECT_THAT(world.events(book), IsEmpty()) << "no object says yet that it is bound";
  world.edit("Pod", "t-0", [](Json& object) { object["spec"]["nodeName"] = "n2"; });
  world.cycle();
  world.write(book);
  EXPECT_THAT(world.events(book),
              ElementsAre("Scheduled Pod/t-0: Successfully assigned default/t-0 to n2"));
  world.cycle();
  world.write(book);
  EXPECT_THAT(world.events(book), IsEmpty());
}

// It has the slot of the one that is gone, and waits for the same reason.
TEST(StatusBook, AnotherGangSpeaksForItself) {
  LiveWorld world;
  world.put(node("n1", "r1", 1) + gang("old", 1, "") + pod("o-0", "old", 2));
  StatusBook book({});
  world.cycle();
  world.write(book);
  EXPECT_THAT(world.events(book), testing::SizeIs(2));
  for (const char* kind : {"Pod", "PodGroup"}) {
    world.remove(kind, std::string(kind) == "Pod" ? "o-0" : "old");
  }
  world.cycle();
  world.put(gang("new", 1, "") + pod("n-0", "new", 2));
  world.cycle();
  world.write(book);
  EXPECT_THAT(world.events(book), ElementsAre(HasSubstr("Unschedulable PodGroup/new: "),
                                              HasSubstr("FailedScheduling Pod/n-0: ")));
}

TEST(StatusBook, WhatStoodBeforeTheFirstLookIsNoEvent) {
  LiveWorld world;
  put_waiting_gang(world);
  world.put(node("n2", "r1", 2));
  for (const char* name : {"t-0", "t-1"}) {
    world.edit("Pod", name, [&](Json& object) { object["spec"]["nodeName"] = "n2"; });
  }
  world.cycle();
  StatusBook book({});
  world.write(book);
  EXPECT_THAT(world.events(book), IsEmpty());
}

TEST(StatusBook, AQueueSaysWhatItsGangsHold) {
  LiveWorld world;
  world.put(node("n1", "r1", 4) + gang("train", 1, ", queue: research") + pod("t-0", "train", 2) +
            "apiVersion: scheduling.run.ai/v2\nkind: Queue\nmetadata: {name: research}\n"
            "spec: {resources: {gpu: {quota: 1}}}\n");
  world.cycle();
  StatusBook book({});
  EXPECT_THAT(world.write(book),
              testing::Contains("PATCH /apis/scheduling.run.ai/v2/queues/research/status"));
  Json status = world.object("Queue", "research")["status"];
  EXPECT_EQ(status["allocated"]["nvidia.com/gpu"], "2");
  EXPECT_EQ(status["requested"]["nvidia.com/gpu"], "2");
  EXPECT_TRUE(status.contains("fairShare"));
  world.put(gang("more", 1, ", queue: research") + pod("m-0", "more", 1));
  world.cycle();
  world.write(book);
  EXPECT_EQ(world.object("Queue", "research")["status"]["allocated"]["nvidia.com/gpu"], "2")
      << "not with every cycle";
  world.pass(QueueStatuses::kEveryUs);
  world.write(book);
  EXPECT_EQ(world.object("Queue", "research")["status"]["allocated"]["nvidia.com/gpu"], "3");
}

TEST(StatusBook, AGangThatFallsBelowItsMinimumIsReported) {
  LiveWorld world;
  world.put(node("n1", "r1", 2) + gang("train", 2));
  for (const char* name : {"t-0", "t-1"}) {
    world.put(pod(name, "train", 1));
    world.edit("Pod", name, [](Json& object) {
      object["spec"]["nodeName"] = "n1";
      object["status"]["phase"] = "Running";
    });
  }
  world.cycle();
  StatusBook book({});
  world.write(book);
  EXPECT_THAT(world.events(book), IsEmpty());
  world.edit("Pod", "t-1", [](Json& object) { object["status"]["phase"] = "Failed"; });
  std::vector<std::string> reported;
  StatusBook second({});
  for (int i = 0; i < 4; ++i) {
    world.cycle();
    world.write(book);
    for (std::string& event : world.events(book)) {
      if (event.starts_with("StaleGang")) reported.push_back(std::move(event));
    }
  }
  EXPECT_THAT(reported,
              ElementsAre("StaleGang PodGroup/train: Runs below its minimum: 1 pod runs, it "
                          "needs 2"))
      << "once";
  world.write(second);
  EXPECT_THAT(world.events(second), testing::Not(testing::Contains(HasSubstr("StaleGang"))))
      << "it was so before";
}

TEST(StatusBook, EvictionsAreReported) {
  StatusBook book({});
  LiveWorld world;
  SampleCluster sample;
  GangId large = sample.gang("large");
  sample.gang("small");
  sample.gang("half");
  CycleRecord record;
  record.decisions = {{.kind = Decision::Kind::Evict,
                       .pod = sample.pod("small", "a"),
                       .by = large,
                       .action = "preempt"},
                      {.kind = Decision::Kind::Bind, .pod = sample.pod("large", "c")},
                      {.kind = Decision::Kind::Evict,
                       .pod = sample.pod("half", "b"),
                       .action = "stalegangeviction"}};
  book.say(eviction_events(sample.cluster, record), world.now());
  EXPECT_THAT(world.events(book),
              ElementsAre("Preempted Pod/a: Evicted by preempt to make room for gang default/large",
                          "StaleGang Pod/b: Evicted, as its gang default/half ran below its "
                          "minimum for too long"));
}

}  // namespace
}  // namespace trellis::status_book_test
