#include "server/manifest/link_volumes.h"

#include <gtest/gtest.h>

#include "tests/server/manifest/reading.h"

namespace trellis::test::link_volumes_test {
namespace {

using Lines = std::vector<std::string>;

std::string claim(const std::string& name, const std::string& volume) {
  return "---\n{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: " + name +
         ", annotations: {pv.kubernetes.io/bind-completed: 'yes'}}, spec: {volumeName: '" + volume +
         "'}}\n";
}

std::string waiting_claim(const std::string& name, const std::string& of, const std::string& size,
                          const std::string& annotations = "") {
  return "---\n{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: " + name +
         ", uid: uid-" + name + ", annotations: {" + annotations +
         "}}, spec: {storageClassName: " + of +
         ", accessModes: [ReadWriteOnce], resources: {requests: {storage: " + size + "}}}}\n";
}

std::string storage_class(const std::string& name, const std::string& mode) {
  return "---\n{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: " + name +
         "}, provisioner: disks.example, volumeBindingMode: " + mode + "}\n";
}

std::string term(const std::string& key, const std::string& value) {
  return "{matchExpressions: [{key: " + key + ", operator: In, values: [" + value + "]}]}";
}

std::string volume(const std::string& name, const std::string& terms) {
  return "---\n{apiVersion: v1, kind: PersistentVolume, metadata: {name: " + name +
         "}, spec: {nodeAffinity: {required: {nodeSelectorTerms: [" + terms + "]}}}}\n";
}

std::string pod(const std::string& name, const Lines& claims, const std::string& terms = "") {
  std::string volumes;
  for (const std::string& one : claims) {
    volumes += "{name: v, persistentVolumeClaim: {claimName: " + one + "}}, ";
  }
  std::string affinity = terms.empty() ? ""
                                       : ", affinity: {nodeAffinity: "
                                         "{requiredDuringSchedulingIgnoredDuringExecution: "
                                         "{nodeSelectorTerms: [" +
                                             terms + "]}}}";
  return "---\n{apiVersion: v1, kind: Pod, metadata: {name: " + name + "}, spec: {volumes: [" +
         volumes + "]" + affinity + "}}\n";
}

const PodVolumes& volumes_of(const Reading& reading, const std::string& name) {
  return *reading.pod(name)->spec->volumes;
}

TEST(LinkVolumes, TheAffinitiesOfAllVolumes) {
  std::string zones = term("zone", "a") + ", " + term("zone", "b");
  Reading reading = read(claim("c", "v") + claim("d", "w") + volume("v", zones) +
                         volume("w", term("disk", "ssd")) + pod("alone", {"c"}) +
                         pod("both", {"c", "d"}) + pod("with", {"c"}, term("cpu", "old")));
  EXPECT_EQ(reading.diagnostics(), Lines{});
  EXPECT_EQ(volumes_of(reading, "alone").affinities.size(), 1);
  EXPECT_EQ(volumes_of(reading, "alone").affinities[0].size(), 2);
  EXPECT_EQ(volumes_of(reading, "both").affinities.size(), 2);
  // The pod's own affinity holds beside them.
  EXPECT_EQ(reading.pod("with")->spec->required_affinity.size(), 1);
  EXPECT_EQ(reading.pod("both")->pod.hold, PodHold::None);
}

// An affinity without terms matches no node.
TEST(LinkVolumes, NoTermsMatchNoNode) {
  Reading reading = read(claim("c", "v") + volume("v", "") + pod("none", {"c"}));
  ASSERT_EQ(volumes_of(reading, "none").affinities.size(), 1);
  EXPECT_TRUE(volumes_of(reading, "none").affinities[0].empty());
}

TEST(LinkVolumes, ClaimsThatHoldTheirPods) {
  Reading reading = read(claim("unbound", "") + claim("broken", "v") + claim("far", "elsewhere") +
                         waiting_claim("early", "now", "1") + storage_class("now", "Immediate") +
                         volume("v", "{matchExpressions: [{key: zone, operator: Among}]}") +
                         pod("p", {"unbound"}) + pod("q", {"absent"}) + pod("r", {"broken"}) +
                         pod("s", {"far"}) + pod("t", {"early"}));
  EXPECT_EQ(reading.pod("p")->pod.hold, PodHold::VolumeUnbound);
  EXPECT_EQ(reading.pod("q")->pod.hold, PodHold::VolumeClaim);
  EXPECT_EQ(reading.pod("r")->pod.hold, PodHold::VolumeNotFound);
  EXPECT_EQ(reading.pod("s")->pod.hold, PodHold::VolumeNotFound);
  EXPECT_EQ(reading.pod("t")->pod.hold, PodHold::VolumeUnbound);
}

// Claims that nothing distinguishes make their pods alike; the smallest comes first.
TEST(LinkVolumes, WaitingClaims) {
  Reading reading =
      read(storage_class("later", "WaitForFirstConsumer") + waiting_claim("a", "later", "2Gi") +
           waiting_claim("b", "later", "1Gi") + waiting_claim("c", "later", "1Gi") +
           waiting_claim("d", "later", "2Gi") + pod("p", {"a", "b"}) + pod("q", {"c", "d"}));
  EXPECT_EQ(reading.diagnostics(), Lines{});
  const PodVolumes& volumes = volumes_of(reading, "p");
  ASSERT_EQ(volumes.waiting.size(), 2);
  EXPECT_EQ(volumes.waiting[0].need.bytes, int64_t{1} << 30);
  EXPECT_FALSE(volumes.waiting[0].name.valid());
  ASSERT_TRUE(volumes.waiting[0].made.has_value());
  EXPECT_FALSE(volumes.waiting[0].made->by_pool);
  EXPECT_EQ(volumes, volumes_of(reading, "q"));
  EXPECT_EQ(reading.pod("p")->pod.waiting_claims->size(), 2);
  EXPECT_EQ(reading.pod("p")->pod.hold, PodHold::None);
}

// A claim that several pods use, or that a volume is kept for, is distinguished by its name.
TEST(LinkVolumes, NamedClaims) {
  std::string kept =
      "---\n{apiVersion: v1, kind: PersistentVolume, metadata: {name: v}, spec: {storageClassName: "
      "later, claimRef: {namespace: default, name: kept}}}\n";
  Reading reading =
      read(storage_class("later", "WaitForFirstConsumer") +
           waiting_claim("shared", "later", "1Gi") + waiting_claim("kept", "later", "1Gi") + kept +
           pod("p", {"shared"}) + pod("q", {"shared"}) + pod("r", {"kept"}));
  EXPECT_TRUE(volumes_of(reading, "p").waiting[0].name.valid());
  EXPECT_EQ(volumes_of(reading, "p"), volumes_of(reading, "q"));
  EXPECT_TRUE(volumes_of(reading, "r").waiting[0].name.valid());
}

}  // namespace
}  // namespace trellis::test::link_volumes_test
