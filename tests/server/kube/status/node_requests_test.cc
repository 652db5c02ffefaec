#include "server/kube/status/node_requests.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "server/kube/status/status_book.h"
#include "tests/server/kube/status/live_world.h"

namespace trellis::test::node_requests_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kRequests =
    "/apis/autoscaling.x-k8s.io/v1/namespaces/default/provisioningrequests";
constexpr const char* kTemplates = "/api/v1/namespaces/default/podtemplates";

NodeRequests settings(TimeUs after_us = 0) {
  return {.provisioning_class = "best-effort-atomic-scale-up", .after_us = after_us};
}

std::string node(const std::string& name, int cpus) {
  return "apiVersion: v1\nkind: Node\nmetadata: {name: " + name +
         "}\nstatus: {allocatable: {cpu: '" + std::to_string(cpus) + "', pods: '110'}}\n---\n";
}

std::string pod(const std::string& name, const std::string& group, int cpus,
                const std::string& more = "") {
  return "apiVersion: v1\nkind: Pod\nmetadata: {name: " + name +
         ", annotations: {pod-group-name: " + group +
         "}, labels: {app: a}, creationTimestamp: '2027-01-15T08:00:00Z'" + more +
         "}\nspec: {containers: [{name: c, resources: {requests: {cpu: '" + std::to_string(cpus) +
         "'}}}]}\nstatus: {phase: Pending}\n---\n";
}

std::string gang(const std::string& name, int least, const std::string& more = "") {
  return "apiVersion: scheduling.run.ai/v2alpha2\nkind: PodGroup\nmetadata: {name: " + name +
         "}\nspec: {minMember: " + std::to_string(least) + more + "}\n---\n";
}

class Asking {
 public:
  LiveWorld world;

  Asking() {
    world.put(node("n1", 1) + gang("train", 2) + pod("t-0", "train", 2) + pod("t-1", "train", 2));
  }

  std::vector<ApiRequest> wanted(const NodeRequests& how = settings()) {
    std::vector<ApiRequest> writes;
    world.ask([&](const StatusView& view, TouchedSince&) {
      writes = node_request_writes({view.cluster, view.record, view.objects, view.now}, how);
    });
    return writes;
  }

  // A cycle, and the writes that it leads to; each "METHOD TARGET".
  std::vector<std::string> turn(const NodeRequests& how = settings()) {
    world.cycle();
    std::vector<std::string> done;
    for (const ApiRequest& request : wanted(how)) {
      done.push_back(request.method + " " + request.target);
      EXPECT_LT(world.take(request), 300) << done.back();
    }
    return done;
  }

  std::string name() {
    LiveObjects::Named named = world.list("autoscaling.x-k8s.io", "ProvisioningRequest");
    return named.size() == 1 ? named.begin()->first.substr(std::string("default/").size()) : "";
  }

  void answer(const std::string& type, const std::string& status, const std::string& why) {
    world.edit("ProvisioningRequest", name(), [&](Json& object) {
      Json& list = object["status"]["conditions"];
      list.push_back({{"type", type}, {"status", status}, {"reason", why}, {"message", why}});
    });
  }
};

TEST(NodeRequests, OneForAllPodsOfAGangOnce) {
  Asking asking;
  EXPECT_THAT(asking.turn(),
              ElementsAre(std::string("POST ") + kTemplates, std::string("POST ") + kRequests));
  std::string name = asking.name();
  EXPECT_THAT(name, testing::StartsWith("trellis-train-"));
  Json request = asking.world.object("ProvisioningRequest", name);
  EXPECT_EQ(request["spec"]["provisioningClassName"],
            "best-effort-atomic-scale-up.autoscaling.x-k8s.io");
  EXPECT_EQ(request["spec"]["podSets"].dump(),
            R"([{"podTemplateRef":{"name":")" + name + R"(-0"},"count":2}])");
  EXPECT_EQ(request["metadata"]["annotations"]["trellis.scheduler/gang"], "train");
  EXPECT_EQ(request["metadata"]["ownerReferences"][0]["uid"], "uid-t-0");
  Json pod = asking.world.object("PodTemplate", name + "-0")["template"];
  EXPECT_EQ(pod["metadata"]["labels"]["app"], "a");
  EXPECT_EQ(pod["spec"]["containers"][0]["resources"]["requests"]["cpu"], "2");
  EXPECT_THAT(asking.turn(), IsEmpty());
}

TEST(NodeRequests, OffOrTooEarlyOrForASinglePod) {
  Asking asking;
  EXPECT_THAT(asking.turn({}), IsEmpty());
  EXPECT_THAT(asking.turn(settings(1'000'000'000 * kSecondUs)), IsEmpty());
  Asking alone;
  alone.world.remove("Pod", "t-1");
  alone.world.put(gang("train", 1));
  EXPECT_THAT(alone.turn(), IsEmpty());
}

TEST(NodeRequests, TheFirstGangOfAQueueAndTheNextWhenItHasFailed) {
  Asking asking;
  asking.world.put(gang("early", 2) + pod("e-0", "early", 2) + pod("e-1", "early", 2));
  asking.turn();
  EXPECT_THAT(asking.name(), testing::StartsWith("trellis-early-"));
  asking.answer("Failed", "True", "no such machines");
  EXPECT_EQ(asking.turn().size(), 2U);
  EXPECT_EQ(asking.world.list("autoscaling.x-k8s.io", "ProvisioningRequest").size(), 2U);
  EXPECT_THAT(asking.turn(), IsEmpty());
}

TEST(NodeRequests, GoneWithTheWait) {
  Asking asking;
  asking.turn();
  std::string name = asking.name();
  asking.world.put(node("n2", 4));
  EXPECT_THAT(asking.turn(), ElementsAre(std::string("DELETE ") + kTemplates + "/" + name + "-0",
                                         std::string("DELETE ") + kRequests + "/" + name));
  EXPECT_FALSE(asking.world.has("PodTemplate", name + "-0"));
  EXPECT_THAT(asking.turn(), IsEmpty());
}

TEST(NodeRequests, GoneWithTheGang) {
  Asking asking;
  asking.turn();
  for (const char* one : {"t-0", "t-1"}) asking.world.remove("Pod", one);
  asking.world.remove("PodGroup", "train");
  EXPECT_EQ(asking.turn().size(), 2U);
  EXPECT_EQ(asking.name(), "");
}

TEST(NodeRequests, AnotherOneWhenMoreIsAskedForOrTheRoomIsNotKept) {
  Asking asking;
  asking.turn();
  std::string first = asking.name();
  asking.world.put(pod("t-2", "train", 2));
  EXPECT_EQ(asking.turn().size(), 2U);  // deleted
  EXPECT_EQ(asking.turn().size(), 2U);  // and made
  std::string second = asking.name();
  EXPECT_NE(first, second);
  asking.answer("Provisioned", "True", "CapacityIsFound");
  EXPECT_THAT(asking.turn(), IsEmpty());
  asking.answer("BookingExpired", "True", "CapacityReservationTimeExpired");
  EXPECT_EQ(asking.turn().size(), 2U);
  EXPECT_EQ(asking.name(), "");
  EXPECT_EQ(asking.turn().size(), 2U);
  EXPECT_EQ(asking.name(), second);
}

TEST(NodeRequests, ADifferentPodHasATemplateOfItsOwn) {
  Asking asking;
  asking.world.put(pod("a-master", "train", 3));
  EXPECT_EQ(asking.turn().size(), 3U);
  Json request = asking.world.object("ProvisioningRequest", asking.name());
  ASSERT_EQ(request["spec"]["podSets"].size(), 2U);
  EXPECT_EQ(request["spec"]["podSets"][0]["count"], 1);
  EXPECT_EQ(request["spec"]["podSets"][1]["count"], 2);
}

// What the autoscaler answers is reported, and pods do not ask for nodes twice.
TEST(NodeRequests, PodsSayWhatBecameOfIt) {
  Asking asking;
  StatusBook book({.nodes = CallForNodes::ByRequest});
  auto reason = [&] {
    asking.world.write(book);
    return asking.world.object("Pod", "t-0")["status"]["conditions"][0];
  };
  asking.turn();
  EXPECT_EQ(reason()["reason"], "NodesNoFit");
  asking.answer("Provisioned", "False", "CapacityIsNotFound");
  asking.turn();
  asking.world.pass(GangReasons::kStandsUs);
  Json reported = reason();
  EXPECT_EQ(reported["reason"], "NodesNoFit");
  EXPECT_THAT(reported["message"].get<std::string>(),
              HasSubstr(asking.name() + " has found no room yet: CapacityIsNotFound"));
}

TEST(NodeRequests, ClassesOfTheAutoscalerItself) {
  EXPECT_EQ(full_class_name("check-capacity"), "check-capacity.autoscaling.x-k8s.io");
  EXPECT_EQ(full_class_name("queued.example.com"), "queued.example.com");
  EXPECT_EQ(full_class_name(""), "");
}

}  // namespace
}  // namespace trellis::test::node_requests_test
