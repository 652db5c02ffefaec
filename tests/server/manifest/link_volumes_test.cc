#include "server/manifest/link_volumes.h"

#include <gtest/gtest.h>

#include "tests/server/manifest/reading.h"

namespace trellis::test::link_volumes_test {
namespace {

using Lines = std::vector<std::string>;

std::string claim(const std::string& name, const std::string& volume) {
  return "---\n{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: " + name +
         "}, spec: {volumeName: '" + volume + "'}}\n";
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

size_t alternatives(const Reading& reading, const std::string& name) {
  return reading.pod(name)->spec->claim_terms.size();
}

TEST(LinkVolumes, AlternativesOfAllAreCombined) {
  std::string zones = term("zone", "a") + ", " + term("zone", "b");
  Reading reading = read(claim("c", "v") + claim("d", "w") + volume("v", zones) +
                         volume("w", term("disk", "ssd")) + pod("alone", {"c"}) +
                         pod("both", {"c", "d"}) + pod("with", {"c"}, term("cpu", "old")));
  EXPECT_EQ(reading.diagnostics(), Lines{});
  EXPECT_EQ(alternatives(reading, "alone"), 2);
  EXPECT_EQ(alternatives(reading, "both"), 2);
  EXPECT_EQ(reading.pod("both")->spec->claim_terms[0].labels.size(), 2);
  // The pod's own affinity holds beside them.
  EXPECT_EQ(alternatives(reading, "with"), 2);
  EXPECT_EQ(reading.pod("with")->spec->required_affinity.size(), 1);
  EXPECT_EQ(reading.pod("both")->pod.hold, PodHold::None);
}

// An affinity without terms matches no node, and neither does it together with another.
TEST(LinkVolumes, NoTermsMatchNoNode) {
  Reading reading = read(claim("c", "v") + claim("d", "w") + volume("v", "") +
                         volume("w", term("zone", "a")) + pod("none", {"c", "d"}));
  EXPECT_TRUE(reading.pod("none")->spec->has_claim_terms);
  EXPECT_EQ(alternatives(reading, "none"), 0);
}

TEST(LinkVolumes, ClaimsThatHoldTheirPods) {
  Reading reading =
      read(claim("unbound", "") + claim("broken", "v") + claim("far", "elsewhere") +
           volume("v", "{matchExpressions: [{key: zone, operator: Among}]}") +
           pod("p", {"unbound"}) + pod("q", {"absent"}) + pod("r", {"broken"}) + pod("s", {"far"}));
  EXPECT_EQ(reading.pod("p")->pod.hold, PodHold::VolumeClaim);
  EXPECT_EQ(reading.pod("q")->pod.hold, PodHold::VolumeClaim);
  EXPECT_EQ(reading.pod("r")->pod.hold, PodHold::VolumeClaim);
  EXPECT_EQ(reading.pod("s")->pod.hold, PodHold::None);
  EXPECT_FALSE(reading.pod("s")->spec->has_claim_terms);
}

TEST(LinkVolumes, MoreAlternativesThanTheBound) {
  std::string terms = term("zone", "value0");
  std::string others = term("disk", "value0");
  for (int i = 1; i < 40; ++i) {
    terms += ", " + term("zone", "value" + std::to_string(i));
    others += ", " + term("disk", "value" + std::to_string(i));
  }
  Reading reading = read(claim("c", "v") + claim("d", "w") + volume("v", terms) +
                         volume("w", others) + pod("p", {"c", "d"}));
  ASSERT_EQ(reading.diagnostics().size(), 1);
  EXPECT_NE(reading.diagnostics()[0].find("more than 1024 alternatives"), std::string::npos);
  EXPECT_EQ(reading.reasons("p"), std::vector{ReasonCode::InvalidObject});
}

}  // namespace
}  // namespace trellis::test::link_volumes_test
