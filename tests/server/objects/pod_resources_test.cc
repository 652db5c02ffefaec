#include "server/objects/pod_resources.h"

#include <gtest/gtest.h>

#include "tests/server/manifest/reading.h"

namespace trellis::test::pod_resources_test {
namespace {

Reading pod(const std::string& spec, const std::string& annotations = "{}") {
  return read("apiVersion: v1\nkind: Pod\nmetadata: {name: p, annotations: " + annotations +
              "}\nspec:\n" + spec);
}

TEST(PodRequests, ContainersAreAddedUp) {
  Reading reading = pod(R"(
  containers:
  - {name: a, resources: {requests: {cpu: 100m, memory: 1Gi, nvidia.com/gpu: 1}}}
  - {name: b, resources: {requests: {cpu: 1}, limits: {nvidia.com/gpu: "2"}}}
  - {name: c}
)");
  EXPECT_EQ(reading.request("p", "cpu"), 1100);
  EXPECT_EQ(reading.request("p", "memory"), 1 << 30);
  EXPECT_EQ(reading.request("p", "nvidia.com/gpu"), 3000);
  EXPECT_EQ(reading.request("p", "pods"), 1);
}

TEST(PodRequests, LimitsStandInForRequests) {
  Reading reading = pod(R"(
  containers:
  - {name: a, resources: {requests: {cpu: 0}, limits: {cpu: 2, memory: 1Gi}}}
  - {name: b, resources: {requests: {memory: 1Gi}, limits: {memory: 2Gi}}}
)");
  EXPECT_EQ(reading.request("p", "cpu"), 0);  // asked for as nothing
  EXPECT_EQ(reading.request("p", "memory"), int64_t{2} << 30);
}

TEST(PodRequests, InitContainersTakeTurns) {
  Reading reading = pod(R"(
  initContainers:
  - {name: a, resources: {requests: {cpu: 3}}}
  - {name: b, resources: {requests: {cpu: 2, memory: 4Gi}}}
  containers:
  - {name: c, resources: {requests: {cpu: 1, memory: 1Gi}}}
)");
  EXPECT_EQ(reading.request("p", "cpu"), 3000);
  EXPECT_EQ(reading.request("p", "memory"), int64_t{4} << 30);
}

// A pod with a container c of 2 CPUs, on a node that says what it has, with zones or without.
Reading resized(const std::string& status, bool zones) {
  return read(
      "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  nodeName: n1\n"
      "  containers: [{name: c, resources: {requests: {cpu: 2}}}]\nstatus: " +
          status,
      "in.yaml", {.zones_elsewhere = zones});
}

TEST(PodRequests, ThePodInPlaceOfAResizedOneAsksForItsSpec) {
  for (bool zones : {false, true}) {
    Reading reading =
        resized("{containerStatuses: [{name: c, allocatedResources: {cpu: 6}}]}", zones);
    PodSpec spec = *reading.pod("p")->spec;
    EXPECT_EQ(spec.requests.get(kCpu), 6000);
    ASSERT_TRUE(spec.replacement);
    EXPECT_EQ(spec.replacement->requests.get(kCpu), 2000);
    EXPECT_EQ(spec.replacement->requests.get(kPods), 1);
    become_replacement(spec);
    EXPECT_FALSE(spec.replacement);
    EXPECT_EQ(spec.requests.get(kCpu), 2000);
    ASSERT_EQ(static_cast<bool>(spec.demand), zones);
    if (zones) {
      EXPECT_EQ(spec.demand->containers[0].requests[0].amount, 2000);
    }
  }
}

TEST(PodRequests, APodThatHoldsWhatItsSpecSaysHasNoOtherDemand) {
  std::string same = "{containerStatuses: [{name: c, allocatedResources: {cpu: 2}}]}";
  std::string other_class = "{qosClass: Guaranteed}";
  EXPECT_FALSE(resized(same, true).pod("p")->spec->replacement);
  EXPECT_FALSE(resized(other_class, false).pod("p")->spec->replacement);
  Reading reading = resized(other_class, true);
  const PodSpec& spec = *reading.pod("p")->spec;
  EXPECT_EQ(spec.demand->qos, Qos::Guaranteed);
  ASSERT_TRUE(spec.replacement);
  EXPECT_EQ(spec.replacement->demand->qos, Qos::Burstable);
}

// The worked example of Kubernetes' documentation on sidecars.
TEST(PodRequests, SidecarsStay) {
  Reading reading = pod(R"(
  initContainers:
  - {name: i1, resources: {requests: {cpu: 1}}}
  - {name: s1, restartPolicy: Always, resources: {requests: {cpu: 2}}}
  - {name: i2, resources: {requests: {cpu: 5}}}
  - {name: s2, restartPolicy: Always, resources: {requests: {cpu: 1}}}
  containers:
  - {name: c, resources: {requests: {cpu: 3}}}
)");
  // While i2 runs: 5 + s1's 2. Later: 3 + 2 + 1.
  EXPECT_EQ(reading.request("p", "cpu"), 7000);
  Reading later = pod(R"(
  initContainers:
  - {name: s1, restartPolicy: Always, resources: {requests: {cpu: 2}}}
  containers:
  - {name: c, resources: {requests: {cpu: 3}}}
)");
  EXPECT_EQ(later.request("p", "cpu"), 5000);
}

TEST(PodRequests, OverheadAndPodLevel) {
  Reading reading = pod(R"(
  overhead: {cpu: 250m, memory: 1Mi}
  resources: {requests: {cpu: 4}, limits: {memory: 1Gi, nvidia.com/gpu: 1}}
  containers:
  - {name: c, resources: {requests: {cpu: 3, nvidia.com/gpu: 2}}}
)");
  EXPECT_EQ(reading.request("p", "cpu"), 4250);
  EXPECT_EQ(reading.request("p", "memory"), (int64_t{1} << 30) + (1 << 20));
  EXPECT_EQ(reading.request("p", "nvidia.com/gpu"), 2000);
  // A container that asks keeps its word against a pod-level limit.
  Reading asked = pod(R"(
  resources: {limits: {memory: 1Gi}}
  containers:
  - {name: c, resources: {requests: {memory: 1Mi}}}
)");
  EXPECT_EQ(asked.request("p", "memory"), 1 << 20);
}

// Kubernetes looks for the name of the resource, not for an amount.
TEST(PodRequests, ZeroBesideAPodLevelLimitStaysZero) {
  EXPECT_EQ(pod(R"(
  resources: {requests: {cpu: 0}, limits: {cpu: 4}}
  containers: [{name: c}]
)")
                .request("p", "cpu"),
            0);
  for (const char* container :
       {"{requests: {cpu: 0}}", "{limits: {cpu: 0}}", "{requests: {cpu: 0}, limits: {cpu: 2}}"}) {
    for (const char* list : {"containers", "initContainers"}) {
      std::string text = std::string("\n  resources: {limits: {cpu: 4}}\n  ") + list +
                         ": [{name: c, resources: " + container + "}]\n";
      EXPECT_EQ(pod(text).request("p", "cpu"), 0) << text;
    }
  }
  EXPECT_EQ(pod(R"(
  resources: {limits: {cpu: 4}}
  containers: [{name: c, resources: {requests: {memory: 1Mi}}}]
)")
                .request("p", "cpu"),
            4000);
}

TEST(PodRequests, RoundedUpAndSaturated) {
  Reading reading = pod(R"(
  containers:
  - {name: a, resources: {requests: {cpu: 100u, memory: 0.5, ephemeral-storage: 9E}}}
  - {name: b, resources: {requests: {ephemeral-storage: 9E}}}
)");
  EXPECT_EQ(reading.request("p", "cpu"), 1);
  EXPECT_EQ(reading.request("p", "memory"), 1);
  EXPECT_EQ(reading.request("p", "ephemeral-storage"), kMaxAmount);
}

TEST(GpuShare, Annotations) {
  GpuShare half = pod("  containers: []\n", "{gpu-fraction: \"0.5\"}").pod("p")->spec->gpu_share;
  EXPECT_EQ(half.portion_milli, 500);
  EXPECT_EQ(half.devices, 1);
  GpuShare two =
      pod("  containers: []\n", "{gpu-memory: \"2048\", gpu-fraction-num-devices: \"2\"}")
          .pod("p")
          ->spec->gpu_share;
  EXPECT_EQ(two.memory_mib, 2048);
  EXPECT_EQ(two.devices, 2);
  EXPECT_EQ(pod("  {}\n", "{gpu-fraction: \"0.3333\"}").pod("p")->spec->gpu_share.portion_milli,
            334);
  EXPECT_EQ(pod("  {}\n", "{gpu-fraction: \"1\"}").pod("p")->spec->gpu_share.portion_milli, 1000);
}

TEST(GpuShare, Refuses) {
  for (const char* annotations :
       {"{gpu-fraction: \"0\"}", "{gpu-fraction: \"1.5\"}", "{gpu-fraction: \"-0.5\"}",
        "{gpu-fraction: half}", "{gpu-fraction: 0.5}", "{gpu-memory: \"0\"}",
        "{gpu-memory: \"1.5\"}", "{gpu-memory: \"-1\"}", "{gpu-fraction-num-devices: \"2\"}",
        "{gpu-fraction: \"0.5\", gpu-fraction-num-devices: \"0\"}",
        "{gpu-fraction: \"0.5\", gpu-memory: \"5\"}"}) {
    Reading reading = pod("  containers: []\n", annotations);
    EXPECT_TRUE(reading.manifest.has_errors()) << annotations;
    EXPECT_EQ(reading.reasons("p"), std::vector<ReasonCode>{ReasonCode::InvalidObject});
  }
  Reading both = pod("  containers: [{name: a, resources: {limits: {nvidia.com/gpu: 1}}}]\n",
                     "{gpu-fraction: \"0.5\"}");
  EXPECT_TRUE(both.manifest.has_errors());
}

}  // namespace
}  // namespace trellis::test::pod_resources_test
