#include "server/objects/decode_selectors.h"

#include <gtest/gtest.h>

#include "tests/server/manifest/reading.h"

namespace trellis::test::decode_selectors_test {
namespace {

Reading pod(const std::string& spec) {
  return read("apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n" + spec);
}

Reading affinity(const std::string& expression) {
  return pod(
      "  affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
      "{nodeSelectorTerms: [{matchExpressions: [" +
      expression + "]}]}}}\n");
}

TEST(NodeAffinity, TermsAndOperators) {
  Reading reading = pod(R"(
  affinity:
    nodeAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        nodeSelectorTerms:
        - matchExpressions:
          - {key: a, operator: In, values: [x, z]}
          - {key: b, operator: NotIn, values: [x]}
          - {key: c, operator: Exists}
          - {key: d, operator: DoesNotExist}
          - {key: e, operator: Gt, values: ["5"]}
          - {key: f, operator: Lt, values: ["-5"]}
        - matchFields: [{key: metadata.name, operator: In, values: [n1]}]
      preferredDuringSchedulingIgnoredDuringExecution:
      - {weight: 7, preference: {matchExpressions: [{key: a, operator: Exists}]}}
)");
  EXPECT_EQ(reading.diagnostics(), std::vector<std::string>{});
  const PodSpec& spec = *reading.pod("p")->spec;
  EXPECT_TRUE(spec.has_required_affinity);
  ASSERT_EQ(spec.required_affinity.size(), 2U);
  ASSERT_EQ(spec.required_affinity[0].labels.size(), 6U);
  EXPECT_EQ(spec.required_affinity[0].labels[0].op, SelectorOp::In);
  EXPECT_EQ(spec.required_affinity[0].labels[5].op, SelectorOp::Lt);
  EXPECT_EQ(reading.text(spec.required_affinity[0].labels[5].values[0]), "-5");
  EXPECT_EQ(spec.required_affinity[1].fields.size(), 1U);
  ASSERT_EQ(spec.preferred_affinity.size(), 1U);
  EXPECT_EQ(spec.preferred_affinity[0].weight, 7);
}

TEST(NodeAffinity, NoTermsMatchNothing) {
  Reading reading =
      pod("  affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
          "{nodeSelectorTerms: []}}}\n");
  EXPECT_TRUE(reading.pod("p")->spec->has_required_affinity);
  EXPECT_TRUE(reading.pod("p")->spec->required_affinity.empty());
  EXPECT_FALSE(pod("  {}\n").pod("p")->spec->has_required_affinity);
}

// Kubernetes takes such a value, and it matches no node.
TEST(NodeAffinity, WhatIsNoWholeNumberIsNoError) {
  Reading reading = affinity("{key: a, operator: Gt, values: [x]}");
  EXPECT_EQ(reading.diagnostics(), std::vector<std::string>{});
  EXPECT_EQ(reading.pod("p")->spec->required_affinity.size(), 1U);
}

TEST(NodeAffinity, Refuses) {
  for (const char* expression :
       {"{key: a, operator: Inn, values: [x]}", "{key: a, operator: In}",
        "{key: a, operator: In, values: []}", "{key: a, operator: Exists, values: [x]}",
        "{key: a, operator: Gt, values: ['1', '2']}", "{operator: Exists}", "{key: a}",
        "{key: a, operator: In, values: [1]}", "{key: a, operator: In, values: x}", "x"}) {
    EXPECT_EQ(affinity(expression).diagnostics().size(), 1U) << expression;
  }
  EXPECT_EQ(affinity("{key: a, operator: in, values: [x]}").diagnostics(),
            std::vector<std::string>{
                "in.yaml:5: doc 1: $.spec.affinity.nodeAffinity."
                "requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0]."
                "matchExpressions[0].operator: found \"in\", expected \"In\", \"NotIn\", "
                "\"Exists\", \"DoesNotExist\", \"Gt\" or \"Lt\"; did you mean \"In\"?"});
  EXPECT_EQ(pod("  affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: "
                "[{weight: 101, preference: {}}, {weight: 1}]}}\n")
                .diagnostics()
                .size(),
            2U);
}

TEST(Tolerations, ReadAndRefused) {
  Reading reading =
      pod("  tolerations: [{operator: Exists}, {key: a, value: b, effect: NoExecute, "
          "tolerationSeconds: 5}, {key: c, effect: \"\"}]\n");
  EXPECT_EQ(reading.diagnostics(), std::vector<std::string>{});
  ASSERT_EQ(reading.pod("p")->spec->tolerations.size(), 3U);
  for (const Toleration& toleration : reading.pod("p")->spec->tolerations) {
    EXPECT_EQ(toleration.any_effect, reading.text(toleration.key) != "a");
  }
  for (const char* bad : {"{operator: Equal}", "{key: a, operator: Exists, value: b}",
                          "{key: a, effect: No}", "{key: a, operator: Like}", "x"}) {
    EXPECT_EQ(pod("  tolerations: [" + std::string(bad) + "]\n").diagnostics().size(), 1U) << bad;
  }
}

}  // namespace
}  // namespace trellis::test::decode_selectors_test
