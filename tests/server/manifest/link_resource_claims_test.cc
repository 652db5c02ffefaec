#include "server/manifest/link_resource_claims.h"

#include <gtest/gtest.h>

#include "tests/server/manifest/reading.h"

namespace trellis::test::link_resource_claims_test {
namespace {

using Lines = std::vector<std::string>;

std::string pod(const std::string& name, const std::string& claims, const std::string& more = "") {
  return "---\n{apiVersion: v1, kind: Pod, metadata: {name: " + name +
         "}, spec: {resourceClaims: [" + claims + "]" + more + "}}\n";
}

std::string claim(const std::string& name, const std::string& status) {
  return "---\n{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: " + name +
         "}, status: " + status + "}\n";
}

constexpr const char* kTwoZones =
    "{allocation: {nodeSelector: {nodeSelectorTerms: ["
    "{matchExpressions: [{key: zone, operator: In, values: [a]}]}, "
    "{matchExpressions: [{key: zone, operator: In, values: [b]}]}]}}}";

TEST(LinkResourceClaims, AlternativesOfAllAreCombined) {
  Reading reading =
      read(claim("c", kTwoZones) + claim("d", kTwoZones) + claim("e", "{allocation: {}}") +
           pod("p", "{name: x, resourceClaimName: c}, {name: y, resourceClaimName: e}",
               ", nodeSelector: {disk: ssd}"));
  EXPECT_EQ(reading.diagnostics(), Lines{});
  EXPECT_EQ(reading.pod("p")->spec->claim_terms.size(), 2U);
  EXPECT_EQ(reading.pod("p")->pod.hold, PodHold::None);
}

TEST(LinkResourceClaims, WhatHoldsPodsIsReportedOnceForAll) {
  Reading reading = read(pod("q", "{name: x, resourceClaimName: c}") +
                         pod("p", "{name: x, resourceClaimTemplateName: t}"));
  EXPECT_EQ(reading.diagnostics(), Lines{"note: waiting for resource claims that cannot be used: "
                                         "2 pods (default/p: its claim is not made yet, ...)"});
  EXPECT_EQ(reading.pod("p")->pod.hold, PodHold::ResourceClaim);
  EXPECT_EQ(reading.pod("q")->pod.hold, PodHold::ResourceClaim);
}

std::string request(const std::string& more) {
  return "{devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu}}]" + more + "}}";
}

// A claim that is reserved for as many pods as it may be, but for `left`, and is shared by the pods
// of a group.
std::string nearly_full(int left) {
  std::string users;
  for (int i = left; i < 256; ++i) {
    users += std::string(users.empty() ? "" : ", ") + "{resource: pods, name: x" +
             std::to_string(i) + ", uid: x" + std::to_string(i) + "}";
  }
  return claim("c", "{allocation: {}, reservedFor: [" + users + "]}") +
         "---\n{apiVersion: scheduling.k8s.io/v1beta1, kind: PodGroup, metadata: {name: g}, spec: "
         "{schedulingPolicy: {basic: {}}, resourceClaims: [{name: e, resourceClaimName: c}]}}\n";
}

std::string of_group(const std::string& name) {
  return pod(name, "{name: e, resourceClaimName: c}", ", schedulingGroup: {podGroupName: g}");
}

PodHold hold_of(Reading& reading, const std::string& name) { return reading.pod(name)->pod.hold; }

TEST(LinkResourceClaims, AGroupTakesOneReservationOfAClaim) {
  Reading room = read(nearly_full(1) + of_group("p") + of_group("q"));
  EXPECT_EQ(hold_of(room, "p"), PodHold::None);
  EXPECT_EQ(hold_of(room, "q"), PodHold::None);
  Reading full = read(nearly_full(0) + of_group("p"));
  EXPECT_EQ(hold_of(full, "p"), PodHold::ResourceClaim);
}

TEST(LinkResourceClaims, AGroupBesideOtherPodsReservesAClaimPodByPod) {
  Reading reading = read(nearly_full(2) + of_group("p") + of_group("q") +
                         pod("r", "{name: e, resourceClaimName: c}"));
  EXPECT_EQ(hold_of(reading, "p"), PodHold::None);
  EXPECT_EQ(hold_of(reading, "q"), PodHold::None);
  EXPECT_EQ(hold_of(reading, "r"), PodHold::ResourceClaim);
}

std::string claim_of(const std::string& name, const std::string& spec) {
  return "---\n{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: " + name +
         "}, spec: " + spec + "}\n";
}

// Claims that differ in name and configuration alone are alike.
TEST(LinkResourceClaims, PodsWithClaimsThatAreAlikeShareTheirNeeds) {
  Reading reading = read(
      claim_of("a", request("")) +
      claim_of("b", request(", config: [{opaque: {driver: d, parameters: {}}}]")) +
      claim_of("ours", request("")) + pod("p", "{name: x, resourceClaimName: a}") +
      pod("q", "{name: x, resourceClaimName: b}") + pod("r", "{name: x, resourceClaimName: ours}") +
      pod("s", "{name: x, resourceClaimName: ours}"));
  EXPECT_EQ(reading.pod("p")->pod.hold, PodHold::None);
  EXPECT_EQ(reading.pod("p")->spec->devices, reading.pod("q")->spec->devices);
  EXPECT_EQ(reading.pod("r")->spec->devices, reading.pod("s")->spec->devices);
  EXPECT_NE(reading.pod("p")->spec->devices, reading.pod("r")->spec->devices);
  ASSERT_EQ(reading.pod("r")->spec->devices->needs.size(), 1U);
  EXPECT_TRUE(reading.pod("r")->spec->devices->needs[0].name.valid());
}

// The claim of a template is made, under the name that it gets each time.
TEST(LinkResourceClaims, ClaimsAreMadeOfTemplates) {
  std::string of =
      "---\n{apiVersion: resource.k8s.io/v1, kind: ResourceClaimTemplate, metadata: {name: t}, "
      "spec: {spec: " +
      request("") + "}}\n";
  Reading reading = read(of + pod("p", "{name: x, resourceClaimTemplateName: t}"));
  EXPECT_EQ(reading.pod("p")->pod.hold, PodHold::None);
  ASSERT_TRUE(reading.pod("p")->pod.device_claims);
  EXPECT_EQ(reading.pod("p")->pod.device_claims->size(), 1U);
}

// A pod that has devices needs devices again once it has left its node.
TEST(LinkResourceClaims, APodWithDevicesNeedsOthersWhenItStartsAgain) {
  Reading reading = read(claim("c", "{allocation: {}, reservedFor: [{resource: pods, name: p}]}") +
                         pod("p", "{name: x, resourceClaimName: c}", ", nodeName: n1"));
  const PodSpec& spec = *reading.pod("p")->spec;
  ASSERT_TRUE(spec.devices);
  EXPECT_EQ(spec.devices->needs.size(), 1U);
}

// A workload's admission opens its own gates, not these.
TEST(LinkResourceClaims, HoldPodsOfWorkloadsToo) {
  Reading reading = read(pod("p", "{name: x, resourceClaimName: gone}",
                             ", schedulingGates: [{name: kueue.x-k8s.io/admission}]") +
                         pod("q", "{name: x, resourceClaimName: gone}",
                             ", schedulingGates: [{name: example.com/gate}]"));
  EXPECT_EQ(reading.pod("p")->pod.hold, PodHold::ResourceClaim);
  EXPECT_EQ(reading.pod("q")->pod.hold, PodHold::SchedulingGates);
}

TEST(LinkResourceClaims, AClaimWithErrorsHoldsItsPods) {
  Reading reading = read(claim("c", "{allocation: {nodeSelector: {nodeSelectorTerms: 7}}}") +
                         claim("d", "{reservedFor: 1, allocation: {}}") +
                         pod("p", "{name: x, resourceClaimName: c}") +
                         pod("q", "{name: x, resourceClaimName: d}"));
  EXPECT_EQ(reading.diagnostics().size(), 3U);
  EXPECT_EQ(reading.pod("p")->pod.hold, PodHold::ResourceClaim);
  EXPECT_EQ(reading.pod("q")->pod.hold, PodHold::ResourceClaim);
}

}  // namespace
}  // namespace trellis::test::link_resource_claims_test
