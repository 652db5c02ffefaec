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

// One that runs would be held if it had to start again, and waits for nothing now.
TEST(LinkResourceClaims, WhatHoldsPodsIsToldOnceForAll) {
  Reading reading = read(claim("c", "{}") + pod("q", "{name: x, resourceClaimName: c}") +
                         pod("p", "{name: x, resourceClaimTemplateName: t}") +
                         pod("runs", "{name: x, resourceClaimName: c}", ", nodeName: n1"));
  EXPECT_EQ(reading.diagnostics(),
            Lines{"note: waiting for resource claims, which are not allocated by Trellis yet: "
                  "2 pods (default/p: its claim is not there, ...)"});
  EXPECT_EQ(reading.pod("p")->pod.hold, PodHold::ResourceClaim);
  EXPECT_EQ(reading.pod("q")->pod.hold, PodHold::ResourceClaim);
  EXPECT_EQ(reading.pod("runs")->pod.hold, PodHold::ResourceClaim);
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
