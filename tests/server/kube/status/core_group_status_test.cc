#include "server/kube/status/core_group_status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/kube/status/status_book.h"
#include "tests/server/kube/status/live_world.h"

namespace trellis::core_group_status_test {
namespace {

using test::LiveWorld;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr const char* kGroups =
    "PATCH /apis/scheduling.k8s.io/v1beta1/namespaces/default/podgroups/";

std::string node(const std::string& name) {
  return "apiVersion: v1\nkind: Node\nmetadata: {name: " + name +
         "}\nstatus: {allocatable: {cpu: '2', memory: 64Gi, pods: '110'}}\n---\n";
}

std::string group(const std::string& name, int least, const std::string& more = "",
                  const std::string& version = "v1beta1") {
  return "apiVersion: scheduling.k8s.io/" + version + "\nkind: PodGroup\nmetadata: {name: " + name +
         "}\nspec: {schedulingPolicy: {gang: {minCount: " + std::to_string(least) + "}}" + more +
         "}\n---\n";
}

std::string pod(const std::string& name, const std::string& group) {
  return "apiVersion: v1\nkind: Pod\nmetadata: {name: " + name +
         "}\nspec: {schedulingGroup: {podGroupName: " + group +
         "}, containers: [{name: c, resources: {requests: {cpu: '2'}}}]}\n"
         "status: {phase: Pending}\n---\n";
}

Json condition(const LiveWorld& world, const std::string& kind, const std::string& name) {
  Json object = world.object(kind, name);
  if (!object.contains("status") || !object["status"].contains("conditions")) return nullptr;
  for (const Json& one : object["status"]["conditions"]) {
    if (one["type"] != "Other") return one;
  }
  return nullptr;
}

TEST(CoreGroupStatuses, SayWhyAGroupWaitsAndThatItWasScheduled) {
  LiveWorld world;
  world.put(node("n1") + group("train", 2) + pod("t-0", "train") + pod("t-1", "train"));
  world.edit("CorePodGroup", "train", [](Json& object) {
    object["status"]["conditions"] = {{{"type", "Other"}, {"status", "True"}}};
  });
  StatusBook book({});
  world.cycle();
  EXPECT_THAT(world.write(book), Contains(std::string(kGroups) + "train/status"));
  Json waits = condition(world, "CorePodGroup", "train");
  EXPECT_EQ(waits["type"], "PodGroupInitiallyScheduled");
  EXPECT_EQ(waits["status"], "False");
  EXPECT_EQ(waits["reason"], "Unschedulable");
  EXPECT_THAT(text_at(waits, "message"), HasSubstr("needs 2 pods, 1 fit"));
  EXPECT_EQ(world.object("CorePodGroup", "train")["status"]["conditions"].size(), 2U);
  world.cycle();
  EXPECT_THAT(world.write(book), IsEmpty());

  world.put(node("n2"));
  world.cycle();
  world.write(book);
  Json placed = condition(world, "CorePodGroup", "train");
  EXPECT_EQ(placed["status"], "True");
  EXPECT_EQ(placed["reason"], "Scheduled");
  EXPECT_NE(placed["lastTransitionTime"], waits["lastTransitionTime"]);
}

TEST(CoreGroupStatuses, StayTrueWhenPodsLeave) {
  LiveWorld world;
  world.put(node("n1") + group("train", 1) + pod("t-0", "train"));
  StatusBook book({});
  world.cycle();
  world.write(book);
  ASSERT_EQ(condition(world, "CorePodGroup", "train")["status"], "True");
  world.remove("Pod", "t-0");
  world.remove("Node", "n1");
  world.put(pod("t-1", "train"));
  world.cycle();
  EXPECT_THAT(world.write(book), Not(Contains(std::string(kGroups) + "train/status")));
  EXPECT_EQ(condition(world, "CorePodGroup", "train")["status"], "True");
}

TEST(CoreGroupStatuses, AGroupThatIsNotCompleteCallsForNoNodes) {
  LiveWorld world;
  world.put(node("n1") + group("train", 2) + pod("t-0", "train"));
  StatusBook book({});
  world.cycle();
  world.write(book);
  EXPECT_EQ(condition(world, "CorePodGroup", "train")["reason"], "NotEnoughPods");
}

TEST(CoreGroupStatuses, HaveAnotherNameInV1alpha2) {
  LiveWorld world;
  world.put(node("n1") + group("train", 1, "", "v1alpha2") + pod("t-0", "train"));
  StatusBook book({});
  world.cycle();
  world.write(book);
  Json placed = condition(world, "OldPodGroup", "train");
  EXPECT_EQ(placed["type"], "PodGroupScheduled");
  EXPECT_EQ(placed["status"], "True");
}

TEST(CoreGroupStatuses, OfATreeAreThoseOfItsPodGroups) {
  LiveWorld world;
  std::string below =
      ", workloadRef: {workloadName: w, templateName: t}, parentCompositePodGroupName: tree";
  world.put(node("n1") + group("a", 1, below) + group("b", 1, below) + pod("a-0", "a") +
            pod("b-0", "b") +
            "apiVersion: scheduling.k8s.io/v1alpha3\nkind: CompositePodGroup\n"
            "metadata: {name: tree}\nspec: {workloadRef: {workloadName: w, templateName: t}, "
            "schedulingPolicy: {gang: {minGroupCount: 1}}}\n---\n");
  StatusBook book({});
  world.cycle();
  world.write(book);
  EXPECT_EQ(condition(world, "CorePodGroup", "a")["status"], "True");
  EXPECT_EQ(condition(world, "CorePodGroup", "b")["status"], "False");
  EXPECT_FALSE(world.object("CompositePodGroup", "tree").contains("status"));

  // A write that the server could not take is sent again.
  world.put(node("n2"));
  world.cycle();
  auto fails = [](const ApiRequest& request) {
    return request.target.ends_with("podgroups/b/status") ? 500 : 0;
  };
  world.write(book, fails);
  EXPECT_EQ(condition(world, "CorePodGroup", "b")["status"], "False");
  world.pass(kSecondUs);
  world.send(book);
  EXPECT_EQ(condition(world, "CorePodGroup", "b")["status"], "True");
}

}  // namespace
}  // namespace trellis::core_group_status_test
