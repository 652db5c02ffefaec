#include "server/objects/decode_pod_terms.h"

#include <gtest/gtest.h>

#include "tests/server/manifest/reading.h"

namespace trellis::test::decode_pod_terms_test {
namespace {

Reading pod(const std::string& spec) {
  return read(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"containers":[])" +
                  spec + "}}",
              "in.json", {});
}

TEST(DecodePodTerms, Affinity) {
  Reading reading = pod(R"(,"affinity":{
    "podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[
      {"topologyKey":"rack","namespaces":["a","b"],"namespaceSelector":{},
       "labelSelector":{"matchLabels":{"app":"x"},
                        "matchExpressions":[{"key":"tier","operator":"NotIn","values":["t"]}]},
       "matchLabelKeys":["job"],"mismatchLabelKeys":["tenant"]}]},
    "podAntiAffinity":{
      "requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"host"}],
      "preferredDuringSchedulingIgnoredDuringExecution":[
        {"weight":7,"podAffinityTerm":{"topologyKey":"zone","labelSelector":{}}}]}})");
  EXPECT_EQ(reading.diagnostics(), std::vector<std::string>{});
  const PodSpec& spec = *reading.pod("p")->spec;
  ASSERT_EQ(spec.pod_affinity.size(), 1U);
  const PodTerm& near = spec.pod_affinity.front();
  EXPECT_FALSE(near.pods.nothing);
  EXPECT_EQ(near.pods.labels.size(), 2U);
  EXPECT_EQ(near.pods.name_spaces.size(), 2U);
  EXPECT_TRUE(near.pods.by_name_space_labels);
  EXPECT_TRUE(near.pods.name_space_labels.empty());
  EXPECT_EQ(near.match_label_keys.size(), 1U);
  EXPECT_EQ(near.mismatch_label_keys.size(), 1U);
  ASSERT_EQ(spec.pod_anti_affinity.size(), 1U);
  EXPECT_TRUE(spec.pod_anti_affinity.front().pods.nothing);
  EXPECT_FALSE(spec.pod_anti_affinity.front().pods.by_name_space_labels);
  ASSERT_EQ(spec.preferred_pods.size(), 1U);
  EXPECT_EQ(spec.preferred_pods.front().weight, -7);
  EXPECT_FALSE(spec.preferred_pods.front().term.pods.nothing);
}

TEST(DecodePodTerms, Spread) {
  Reading reading = pod(R"(,"topologySpreadConstraints":[
    {"topologyKey":"zone","maxSkew":2,"whenUnsatisfiable":"DoNotSchedule","minDomains":3,
     "nodeAffinityPolicy":"Ignore","nodeTaintsPolicy":"Honor","labelSelector":{"matchLabels":{"a":"b"}}},
    {"topologyKey":"zone","maxSkew":1,"whenUnsatisfiable":"ScheduleAnyway"}])");
  EXPECT_EQ(reading.diagnostics(), std::vector<std::string>{});
  const PodSpec& spec = *reading.pod("p")->spec;
  ASSERT_EQ(spec.spread.size(), 2U);
  EXPECT_EQ(spec.spread[0].max_skew, 2);
  EXPECT_EQ(spec.spread[0].min_domains, 3);
  EXPECT_TRUE(spec.spread[0].required);
  EXPECT_FALSE(spec.spread[0].honors_affinity);
  EXPECT_TRUE(spec.spread[0].honors_taints);
  EXPECT_FALSE(spec.spread[1].required);
  EXPECT_TRUE(spec.spread[1].honors_affinity);
  EXPECT_FALSE(spec.spread[1].honors_taints);
  EXPECT_TRUE(spec.spread[1].pods.nothing);
}

}  // namespace
}  // namespace trellis::test::decode_pod_terms_test
