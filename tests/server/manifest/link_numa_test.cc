#include "server/manifest/link_numa.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "server/objects/pods_fingerprint.h"
#include "tests/server/manifest/reading.h"

namespace trellis::test::link_numa_test {
namespace {

// A node n1 whose agent reports a zone of CPUs and GPUs, the fingerprint of these pods, and how it
// was taken; and a pod of each sort on it.
ZoneTrust trust_in(const std::vector<std::string>& pods, const std::string& method) {
  PodsFingerprint fingerprint;
  for (const std::string& pod : pods) fingerprint.add("default", pod);
  std::string text =
      "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\n"
      "status: {allocatable: {cpu: \"32\", memory: 64Gi, pods: \"110\", nvidia.com/gpu: \"8\"}}\n"
      "---\n"
      "apiVersion: topology.node.k8s.io/v1alpha2\nkind: NodeResourceTopology\n"
      "metadata: {name: n1}\n"
      "attributes:\n"
      "- {name: nodeTopologyPodsFingerprint, value: " +
      fingerprint.text() + "}\n" +
      (method.empty() ? ""
                      : "- {name: nodeTopologyPodsFingerprintMethod, value: " + method + "}\n") +
      "zones:\n"
      "- name: node-0\n  type: Node\n  resources:\n"
      "  - {name: cpu, capacity: \"16\", allocatable: \"16\", available: \"16\"}\n"
      "  - {name: nvidia.com/gpu, capacity: \"4\", allocatable: \"4\", available: \"4\"}\n";
  auto add = [&](const std::string& name, const std::string& spec) {
    text += "---\napiVersion: v1\nkind: Pod\nmetadata: {name: " + name +
            "}\nspec: {nodeName: n1, " + spec + "}\nstatus: {phase: Running}\n";
  };
  auto container = [](const std::string& name, const std::string& amounts) {
    return "[{name: " + name + ", resources: {requests: {" + amounts + "}, limits: {" + amounts +
           "}}}]";
  };
  add("gpu",
      "containers: [{name: c, resources: {requests: {cpu: 100m}, limits: "
      "{nvidia.com/gpu: \"1\"}}}]");
  add("whole", "containers: " + container("c", "cpu: \"2\", memory: 1Gi"));
  add("burstable", "containers: [{name: c, resources: {requests: {cpu: \"2\"}}}]");
  add("nic",
      "containers: [{name: c, resources: {requests: {cpu: 100m}, limits: "
      "{example.com/nic: \"1\"}}}]");
  add("starts",
      "initContainers: [{name: i, resources: {limits: {nvidia.com/gpu: \"1\"}}}], "
      "containers: [{name: c}]");
  Reading reading = read(text);
  EXPECT_EQ(reading.diagnostics(), std::vector<std::string>{});
  return reading.node("n1")->zones;
}

TEST(LinkNuma, AFingerprintIsThatOfAllPods) {
  EXPECT_EQ(trust_in({"gpu", "whole", "burstable", "nic", "starts"}, ""), ZoneTrust::Confirmed);
  EXPECT_EQ(trust_in({"gpu", "whole", "burstable", "nic", "starts"}, "all"), ZoneTrust::Confirmed);
  EXPECT_EQ(trust_in({"gpu", "whole"}, "all"), ZoneTrust::Outdated);
}

TEST(LinkNuma, AFingerprintMayBeThatOfPodsWithExclusiveResources) {
  const std::string method = "with-exclusive-resources";
  EXPECT_EQ(trust_in({"gpu", "whole"}, method), ZoneTrust::Confirmed);
  EXPECT_EQ(trust_in({"gpu", "whole", "burstable"}, method), ZoneTrust::Outdated);
  EXPECT_EQ(trust_in({"gpu", "whole", "nic"}, method), ZoneTrust::Outdated);
  EXPECT_EQ(trust_in({"gpu", "whole", "starts"}, method), ZoneTrust::Outdated);
}

}  // namespace
}  // namespace trellis::test::link_numa_test
