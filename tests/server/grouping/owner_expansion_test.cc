// Labels and numbers of the pods that owners make; the scenarios owner-pods-* have their names.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "framework/vocabulary.h"
#include "server/manifest/manifest.h"

namespace trellis::owner_expansion_test {
namespace {

struct MadePod {
  std::map<std::string, std::string> labels;
  int32_t index = -1;
  bool leader = false;
};

std::map<std::string, MadePod> made_pods(const std::string& text) {
  Vocabulary vocabulary;
  Manifest manifest = read_manifest_text("in.yaml", text, vocabulary);
  std::map<std::string, MadePod> pods;
  for (const PodObject& object : manifest.objects.pods) {
    MadePod& made = pods[object.pod.name];
    made.index = object.pod.completion_index;
    made.leader = object.pod.leader;
    for (Label label : object.pod.labels) {
      made.labels.emplace(vocabulary.strings.view(label.key), vocabulary.strings.view(label.value));
    }
  }
  return pods;
}

TEST(OwnerExpansion, GroupsOfWorkersHaveTheirNumbers) {
  auto pods = made_pods(
      "apiVersion: leaderworkerset.x-k8s.io/v1\nkind: LeaderWorkerSet\nmetadata: {name: s}\n"
      "spec: {replicas: 2, leaderWorkerTemplate: {size: 2, workerTemplate: {metadata: {labels: "
      "{a: b}}, spec: {containers: [{name: m}]}}}}\n");
  ASSERT_EQ(pods.size(), 4U);
  const std::string prefix = "leaderworkerset.sigs.k8s.io/";
  EXPECT_EQ(pods["s-1-1"].labels[prefix + "group-index"], "1");
  EXPECT_EQ(pods["s-1-1"].labels[prefix + "worker-index"], "1");
  EXPECT_EQ(pods["s-1-1"].labels[prefix + "name"], "s");
  EXPECT_EQ(pods["s-1-1"].labels["a"], "b");
  EXPECT_EQ(pods["s-1-1"].index, 3);
  EXPECT_TRUE(pods["s-1"].leader);
  EXPECT_FALSE(pods["s-1-1"].leader);
}

TEST(OwnerExpansion, LauncherThatWorksIsNumberZero) {
  auto pods = made_pods(
      "apiVersion: kubeflow.org/v2beta1\nkind: MPIJob\nmetadata: {name: r}\n"
      "spec: {runLauncherAsWorker: true, mpiReplicaSpecs: {Launcher: {template: {spec: "
      "{containers: [{name: m}]}}}, Worker: {replicas: 2, template: {spec: {containers: [{name: "
      "m}]}}}}}\n");
  ASSERT_EQ(pods.size(), 3U);
  EXPECT_EQ(pods["r-launcher"].labels["training.kubeflow.org/replica-index"], "0");
  EXPECT_EQ(pods["r-launcher"].labels["training.kubeflow.org/job-role"], "launcher");
  EXPECT_EQ(pods["r-worker-0"].labels["training.kubeflow.org/replica-index"], "1");
  EXPECT_EQ(pods["r-worker-1"].index, 2);
}

TEST(OwnerExpansion, TooManyPodsAreAnError) {
  Vocabulary vocabulary;
  Manifest manifest =
      read_manifest_text("in.yaml",
                         "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\n"
                         "spec: {replicas: 100001, template: {spec: {containers: [{name: m}]}}}\n",
                         vocabulary);
  ASSERT_TRUE(manifest.has_errors());
  EXPECT_EQ(to_string(manifest.diagnostics[0]),
            "in.yaml:4: doc 1: $.spec: found 100001 pods to make, expected at most 100000 of one "
            "Deployment");
  EXPECT_TRUE(manifest.objects.pods.empty());
}

}  // namespace
}  // namespace trellis::owner_expansion_test
