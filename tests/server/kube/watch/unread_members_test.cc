#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "server/kube/watch/api_objects.h"
#include "server/manifest/manifest.h"

namespace trellis::unread_members_test {
namespace {

using testing::HasSubstr;
using testing::Not;

// With all that an API server and a kubelet say of a pod.
std::string pod(const std::string& labels) {
  return R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"a","uid":"u",)"
         R"("generation":3,"labels":{)" +
         labels +
         R"(},"annotations":{"kubectl.kubernetes.io/last-applied-configuration":"hidden"},)"
         R"("managedFields":[{"manager":"hidden"}]},"spec":{"automountServiceAccountToken":true,)"
         R"("containers":[{"name":"c","image":"hidden","command":["hidden"],"args":["hidden"],)"
         R"("env":[{"name":"PASSWORD","value":"hidden"}],"imagePullPolicy":"Always",)"
         R"("livenessProbe":{"exec":{"command":["hidden"]}},"ports":[{"containerPort":80,)"
         R"("hostPort":80}],"resources":{"requests":{"cpu":"2"},"limits":{"nvidia.com/gpu":"1"}},)"
         R"("volumeMounts":[{"name":"v","mountPath":"/hidden"}]}],"initContainers":[{"name":"i",)"
         R"("restartPolicy":"Always","env":[{"name":"PASSWORD","value":"hidden"}],)"
         R"("resources":{"requests":{"cpu":"1"}}}],"nodeName":"n1","nodeSelector":{"zone":"z"},)"
         R"("affinity":{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[)"
         R"({"topologyKey":"rack","labelSelector":{"matchLabels":{"app":"x"}}}]}},"priority":7,)"
         R"("overhead":{"cpu":"1"},"restartPolicy":"Never","schedulerName":"trellis",)"
         R"("securityContext":{"runAsUser":5},"serviceAccountName":"s","tolerations":)"
         R"([{"key":"k","operator":"Exists"}],"volumes":[{"name":"w","persistentVolumeClaim":)"
         R"({"claimName":"claim"}},{"name":"v","secret":{"secretName":"hidden"}}],)"
         R"("topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"rack",)"
         R"("whenUnsatisfiable":"DoNotSchedule","labelSelector":{"matchLabels":{"app":"x"}}}]},)"
         R"("status":{"phase":"Failed","startTime":"2026-01-01T12:00:00Z","qosClass":"Burstable",)"
         R"("podIP":"10.0.0.1","conditions":[{"type":"Ready","status":"False",)"
         R"("lastTransitionTime":"2026-01-01T12:00:01Z"}],"containerStatuses":[{"name":"c",)"
         R"("image":"hidden","lastState":{"terminated":{"message":"hidden"}},"state":)"
         R"({"terminated":{"exitCode":1,"finishedAt":"2026-01-01T12:00:02Z"}}}]}})";
}

std::string kept(const std::string& object, const ApiKind& kind = {"v1", "Pod"}) {
  auto event = read_watch_event(R"({"type":"ADDED","object":)" + object + "}", kind);
  EXPECT_TRUE(event);
  return event ? event->object.text : "";
}

TEST(UnreadMembers, WhatIsKeptOfAPodIsReadAsTheWholeIs) {
  std::string whole = pod(R"("app":"x")");
  std::string text = kept(whole);
  Vocabulary vocabulary;
  Manifest expected = read_manifest_text("whole", whole, vocabulary);
  Manifest read = read_manifest_text("kept", text, vocabulary);
  ASSERT_EQ(read.objects.pods.size(), 1U);
  EXPECT_TRUE(read.objects.pods == expected.objects.pods) << text;
  EXPECT_TRUE(read.objects.gangs == expected.objects.gangs) << text;
  EXPECT_EQ(read.diagnostics.size(), expected.diagnostics.size());
  EXPECT_NE(read.objects.pods.front().pod.finished, kNoTime);
}

TEST(UnreadMembers, NorOfATemplateThatNoWorkloadRepeats) {
  auto object = [](const std::string& labels) {
    return R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d","labels":{)" +
           labels +
           R"(}},"spec":{"template":{"spec":{"containers":[{"name":"c","env":[{"name":)"
           R"("A","value":"hidden"}]}]}}}})";
  };
  EXPECT_THAT(kept(object(""), {"apps/v1", "Deployment"}), Not(HasSubstr("hidden")));
  EXPECT_THAT(kept(object(R"("kueue.x-k8s.io/queue-name":"q")"), {"apps/v1", "Deployment"}),
              HasSubstr("hidden"));
}

TEST(UnreadMembers, WhatContainersAreGivenIsNotKept) {
  std::string text = kept(pod(R"("app":"x")"));
  EXPECT_THAT(text, Not(HasSubstr("hidden")));
  EXPECT_THAT(text, HasSubstr(R"("containers":[{"name":"c","ports")"));
}

std::string status_kept(const std::string& spec, const std::string& phase) {
  std::string text = kept(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{)" +
                          spec + R"(},"status":{"phase":")" + phase +
                          R"(","conditions":[{"type":"Initialized","status":"True"},)"
                          R"({"type":"Ready","status":"True"},{"type":"ContainersReady"},)"
                          R"({"type":"PodScheduled","status":"True"}],)"
                          R"("containerStatuses":[{"name":"c","restartCount":1}]}})");
  return text.substr(text.find(R"("conditions")"));
}

TEST(UnreadMembers, ConditionsThatAreNotAskedForAreNotKept) {
  EXPECT_EQ(status_kept(R"("nodeName":"n")", "Running"),
            R"("conditions":[{"type":"Ready","status":"True"}]}})");
  EXPECT_EQ(status_kept("", "Pending"), R"("conditions":[{"type":"Ready","status":"True"},)"
                                        R"({"type":"PodScheduled","status":"True"}]}})");
}

TEST(UnreadMembers, HowContainersEndedIsKeptOfAPodThatFailed) {
  EXPECT_EQ(status_kept(R"("nodeName":"n")", "Failed"),
            R"("conditions":[{"type":"Ready","status":"True"}],)"
            R"("containerStatuses":[{"name":"c"}]}})");
}

// A pod of two containers, of which the kubelet says what it gave them and what they have.
std::string resized(const std::string& given, const std::string& condition) {
  std::string c = R"({"name":"c","image":"hidden","state":{"running":{}},"allocatedResources":)" +
                  given + R"(,"resources":{"requests":)" + given + "}}";
  return kept(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"nodeName":"n",)"
              R"("initContainers":[{"name":"i","resources":{"requests":{"cpu":"1"}}}],)"
              R"("containers":[{"name":"c","resources":{"requests":{"cpu":"2"}}},{"name":"b"}]},)"
              R"("status":{"phase":"Running","conditions":[)" +
              condition + R"(],"containerStatuses":[{"name":"b","resources":{}},)" + c +
              R"(],"initContainerStatuses":[{"name":"i","state":{"terminated":{}}}]}})");
}

TEST(UnreadMembers, WhatContainersWereGivenIsKeptWhereItIsNotWhatTheyWant) {
  EXPECT_THAT(resized(R"({"cpu":"2"})", ""), Not(HasSubstr("tatuses")));
  std::string kept = resized(R"({"cpu":"3"})", "");
  EXPECT_THAT(kept, HasSubstr(R"({"name":"c","allocatedResources":{"cpu":"3"},)"
                              R"("resources":{"requests":{"cpu":"3"}}})"));
  EXPECT_THAT(kept, Not(HasSubstr("initContainerStatuses")));
  // What will never be does not count, so that what is counts.
  std::string infeasible = resized(
      R"({"cpu":"2"})", R"({"type":"PodResizePending","status":"True","reason":"Infeasible"})");
  EXPECT_THAT(infeasible, HasSubstr(R"("allocatedResources":{"cpu":"2"})"));
  EXPECT_THAT(infeasible, HasSubstr("Infeasible"));
}

TEST(UnreadMembers, OfAResourceClaimWhatDriversAddIsLeftOut) {
  std::string text =
      kept(R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"name":"c"},)"
           R"("spec":{"devices":{"config":[]}},"status":{"allocation":{"devices":{"results":[],)"
           R"("config":["hidden"]}},"devices":[{"driver":"d","data":"hidden"}]}})",
           {"resource.k8s.io/v1", "ResourceClaim"});
  EXPECT_THAT(text, Not(HasSubstr("hidden")));
  EXPECT_THAT(text, HasSubstr(R"("spec":{"devices":{"config":[]}})"));
  EXPECT_THAT(text, HasSubstr(R"("status":{"allocation":{"devices":{"results":[]}})"));
}

TEST(UnreadMembers, WhatAWorkloadRepeatsIsKept) {
  EXPECT_THAT(kept(pod(R"("kueue.x-k8s.io/queue-name":"q")")),
              HasSubstr(R"("command":["hidden"])"));
}

TEST(UnreadMembers, ObjectsOfOtherGroupsAreKept) {
  std::string object = R"({"apiVersion":"example.com/v1","kind":"Pod","metadata":{"name":"p"},)"
                       R"("spec":{"hostname":"h"}})";
  EXPECT_EQ(kept(object, {"example.com/v1", "Pod"}), object);
}

}  // namespace
}  // namespace trellis::unread_members_test
