// Workloads that are admitted already, in both versions of Kueue's API.
#include <gmock/gmock.h>

#include <string>

#include "server/kueue/assignment_encoder.h"
#include "tests/server/manifest/reading.h"

namespace trellis::test::admitted_workload_test {
namespace {

std::string workload(const std::string& version, const std::string& assignment) {
  return R"({"apiVersion":"kueue.x-k8s.io/)" + version + R"(","kind":"Workload",
    "metadata":{"name":"w","namespace":"n"},
    "spec":{"queueName":"q","podSets":[{"name":"main","count":3,
      "template":{"spec":{"containers":[{"name":"c"}]}}}]},
    "status":{
      "conditions":[{"type":"QuotaReserved","status":"True","reason":"QuotaReserved",
        "message":"","lastTransitionTime":"2026-01-01T00:00:00Z"}],
      "admission":{"clusterQueue":"cq","podSetAssignments":[{"name":"main","count":3,
        "topologyAssignment":)" +
         assignment + "}]}}}";
}

// The assignment of its only PodSet, in the plain form; "" when there is none.
std::string plain_assignment(const Reading& reading) {
  const auto& workloads = reading.manifest.objects.workloads;
  bool read = workloads.size() == 1 && workloads[0].admission &&
              workloads[0].admission->pod_sets.size() == 1 &&
              workloads[0].admission->pod_sets[0].topology;
  std::string text;
  if (!read) return text;
  append_assignment(text, *workloads[0].admission->pod_sets[0].topology,
                    reading.vocabulary->strings, AssignmentForm::Plain);
  return text;
}

TEST(AdmittedWorkload, InEitherForm) {
  const std::string kPlain =
      R"({"levels":["block","rack"],"domains":[{"values":["b1","r1"],"count":2},)"
      R"({"values":["b1","r2"],"count":1}]})";
  EXPECT_EQ(plain_assignment(read(workload("v1beta1", kPlain), "in.json")), kPlain);
  EXPECT_EQ(plain_assignment(read(workload("v1beta2", R"({"levels":["block","rack"],"slices":[
              {"domainCount":2,"valuesPerLevel":[{"universal":"b1"},
                {"individual":{"prefix":"r","roots":["1","2"]}}],
               "podCounts":{"individual":[2,1]}}]})"),
                                  "in.json")),
            kPlain);
}

TEST(AdmittedWorkload, WhatIsWrongHasItsPlace) {
  Reading reading = read(workload("v1beta2", R"({"levels":["rack"],"slices":[
      {"domainCount":2,"valuesPerLevel":[{"individual":{"roots":["1"]}}],
       "podCounts":{"universal":1}}]})"),
                         "in.json");
  const char* expected =
      "$.status.admission.podSetAssignments[0].topologyAssignment.slices[0].valuesPerLevel[0]"
      ".individual.roots: found a list of 1, expected a list of 2";
  EXPECT_THAT(reading.diagnostics(), testing::Contains(testing::HasSubstr(expected)));
}

}  // namespace
}  // namespace trellis::test::admitted_workload_test
