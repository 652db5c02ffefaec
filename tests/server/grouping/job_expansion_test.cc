#include "server/grouping/job_expansion.h"

#include <gtest/gtest.h>

#include "tests/server/manifest/reading.h"

namespace trellis::test::job_expansion_test {
namespace {

using Names = std::vector<std::string>;

std::string job(const std::string& spec, const std::string& status = "{}",
                const std::string& name = "j") {
  return "---\napiVersion: batch/v1\nkind: Job\nmetadata: {name: " + name +
         ", uid: u, creationTimestamp: \"1970-01-01T00:00:01Z\"}\nspec: {" + spec +
         ", template: {metadata: {labels: {app: x}}, spec: {containers: [{name: c, resources: "
         "{requests: {cpu: 1}}}]}}}\nstatus: " +
         status + "\n";
}

std::string job_pod(const std::string& name, const std::string& phase,
                    const std::string& index = "") {
  std::string labels =
      index.empty() ? ""
                    : ", labels: {batch.kubernetes.io/job-completion-index: \"" + index + "\"}";
  return "---\napiVersion: v1\nkind: Pod\nmetadata: {name: " + name + labels +
         ", ownerReferences: [{apiVersion: batch/v1, kind: Job, name: j, controller: "
         "true}]}\nspec: "
         "{nodeName: n1, containers: []}\nstatus: {phase: " +
         phase + "}\n";
}

int32_t min_member(const Reading& reading) {
  return reading.gang("j") == nullptr ? 0 : reading.gang("j")->min_member;
}

TEST(JobExpansion, ParallelismAndCompletions) {
  Reading reading = read(job("parallelism: 3, completions: 5"));
  EXPECT_EQ(reading.diagnostics(), Names{});
  EXPECT_EQ(reading.pod_names(), (Names{"j-0", "j-1", "j-2"}));
  EXPECT_EQ(min_member(reading), 3);
  EXPECT_EQ(reading.gang_of("j-0"), "default/j");
  EXPECT_EQ(reading.gang("j")->created, kSecondUs);
  EXPECT_EQ(reading.gang("j")->uid, "u");
  EXPECT_EQ(reading.request("j-1", "cpu"), 1000);
  EXPECT_EQ(reading.pod("j-1")->pod.created, kSecondUs);
  EXPECT_EQ(reading.pod("j-1")->pod.status, PodStatus::Pending);

  EXPECT_EQ(read(job("parallelism: 5, completions: 2")).pod_names().size(), 2U);
  EXPECT_EQ(read(job("completions: 4")).pod_names().size(), 1U);
  EXPECT_EQ(read(job("parallelism: 4")).pod_names().size(), 4U);
  EXPECT_EQ(min_member(read(job("parallelism: 4"))), 4);
  EXPECT_EQ(read(job("x: 1")).pod_names().size(), 1U);
  EXPECT_EQ(read(job("parallelism: 0")).pod_names().size(), 0U);
  EXPECT_EQ(read(job("parallelism: 2, completions: 0")).pod_names().size(), 0U);
}

TEST(JobExpansion, IndexedPodsKnowTheirIndex) {
  Reading reading = read(job("parallelism: 2, completions: 2, completionMode: Indexed"));
  EXPECT_EQ(reading.pod_names(), (Names{"j-0", "j-1"}));
  EXPECT_EQ(reading.pod("j-1")->pod.completion_index, 1);
  StrId key = reading.vocabulary->strings.find("batch.kubernetes.io/job-completion-index");
  EXPECT_EQ(reading.text(find_label(reading.pod("j-1")->pod.labels, key)), "1");
  EXPECT_EQ(read(job("parallelism: 2")).pod("j-1")->pod.completion_index, -1);
}

TEST(JobExpansion, NoPodsForWhatIsSuspendedOrOver) {
  EXPECT_EQ(read(job("suspend: true")).pod_names(), Names{});
  EXPECT_EQ(
      read(job("parallelism: 1", "{conditions: [{type: Complete, status: \"True\"}]}")).pod_names(),
      Names{});
  EXPECT_EQ(
      read(job("parallelism: 1", "{conditions: [{type: Failed, status: \"True\"}]}")).pod_names(),
      Names{});
  EXPECT_EQ(read(job("parallelism: 1", "{conditions: [{type: Complete, status: \"False\"}]}"))
                .pod_names(),
            Names{"j-0"});
}

TEST(JobExpansion, CountsThePodsThatAreThere) {
  Reading reading = read(job("parallelism: 3, completions: 5") + job_pod("j-0", "Running") +
                         job_pod("j-x", "Pending"));
  EXPECT_EQ(reading.pod_names(), (Names{"j-0", "j-1", "j-x"}));
  EXPECT_EQ(min_member(reading), 3);
  // Two have succeeded and two are left to do: one of them runs.
  reading = read(job("parallelism: 3, completions: 4") + job_pod("j-a", "Succeeded") +
                 job_pod("j-b", "Succeeded") + job_pod("j-c", "Running"));
  EXPECT_EQ(reading.pod_names(), (Names{"j-0", "j-a", "j-b", "j-c"}));
  EXPECT_EQ(min_member(reading), 2);
  // More than the pods that are left show.
  EXPECT_EQ(read(job("parallelism: 3, completions: 4", "{succeeded: 3}")).pod_names().size(), 1U);
  // Without completions, one success is the end.
  EXPECT_EQ(read(job("parallelism: 3") + job_pod("j-a", "Succeeded")).pod_names(), Names{"j-a"});
}

TEST(JobExpansion, FailedPodsAreReplacedWithinTheLimit) {
  EXPECT_EQ(read(job("parallelism: 1") + job_pod("j-0", "Failed")).pod_names(),
            (Names{"j-0", "j-1"}));
  EXPECT_EQ(read(job("parallelism: 1, backoffLimit: 0") + job_pod("j-0", "Failed")).pod_names(),
            Names{"j-0"});
  EXPECT_EQ(read(job("parallelism: 1, completions: 1, completionMode: Indexed") +
                 job_pod("j-0", "Failed", "0"))
                .pod_names(),
            (Names{"j-0", "j-0-1"}));
}

TEST(JobExpansion, IndexesThatAreMissing) {
  Reading reading =
      read(job("parallelism: 3, completions: 9, completionMode: Indexed",
               "{completedIndexes: \"0-2,5\"}") +
           job_pod("j-3-abcde", "Running", "3") + job_pod("j-4-abcde", "Succeeded", "4"));
  EXPECT_EQ(reading.pod_names(), (Names{"j-3-abcde", "j-4-abcde", "j-6", "j-7"}));
  EXPECT_EQ(reading.pod("j-6")->pod.completion_index, 6);
  EXPECT_EQ(min_member(reading), 3);
}

TEST(JobExpansion, NamesThatAreTakenArePassedOver) {
  Reading reading = read(job("parallelism: 2") +
                         "---\napiVersion: v1\nkind: Pod\nmetadata: {name: j-0}\nspec: {}\n");
  EXPECT_EQ(reading.pod_names(), (Names{"j-0", "j-1", "j-2"}));
  EXPECT_EQ(reading.gang_of("j-0"), "default/j-0");
}

TEST(JobExpansion, ThereIsALimit) {
  ReadOptions options{.max_expanded_pods = 10};
  Reading reading = read(job("parallelism: 2000000000, completions: 2000000000", "{}", "a") +
                             job("parallelism: 10", "{}", "b") + job("parallelism: 1", "{}", "c"),
                         "in.yaml", options);
  EXPECT_EQ(reading.pod_names().size(), 10U);
  EXPECT_EQ(reading.diagnostics(),
            (Names{"in.yaml:5: doc 1: $.spec.parallelism: found 2000000000 pods to make, expected "
                   "at most 100000 of one Job",
                   "in.yaml:17: doc 3: $.spec.parallelism: found 1 pods to make, expected at most "
                   "10 of all Jobs together"}));
}

TEST(JobExpansion, WhereTheControllerMakesThePodsTheirNumberStillCounts) {
  ReadOptions options;
  options.make_pods = false;
  Reading reading =
      read(job("parallelism: 4") + job_pod("j-abcde", "Pending", "0"), "in.yaml", options);
  EXPECT_EQ(reading.pod_names(), Names{"j-abcde"});
  EXPECT_EQ(min_member(reading), 4);
}

TEST(JobExpansion, Refuses) {
  for (const char* spec : {"parallelism: -1", "completions: x", "completionMode: indexed",
                           "completionMode: Indexed", "suspend: maybe", "backoffLimit: -1"}) {
    EXPECT_TRUE(read(job(spec)).manifest.has_errors()) << spec;
  }
  for (const char* indexes : {"a", "1-", "3-1", "1,,2", "1,", "-1"}) {
    EXPECT_TRUE(read(job("parallelism: 1", "{completedIndexes: \"" + std::string(indexes) + "\"}"))
                    .manifest.has_errors())
        << indexes;
  }
  EXPECT_TRUE(read("apiVersion: batch/v1\nkind: Job\nmetadata: {name: j}\nspec: {}\n")
                  .manifest.has_errors());
}

TEST(JobExpansion, WhatIsSavedReadsBackTheSame) {
  ReadOptions options{.keep_raw = true};
  std::string text = job("parallelism: 2, completions: 3, completionMode: Indexed") +
                     job("parallelism: 2", "{}", "k");
  Reading first = read(text, "in.yaml", options);
  std::string saved;
  for (const RawObject& raw : first.manifest.raw) saved += raw.json + "\n";
  Reading second = read(saved, "in.jsonl", options);
  EXPECT_EQ(second.diagnostics(), Names{});
  EXPECT_EQ(dump(first), dump(second));
}

}  // namespace
}  // namespace trellis::test::job_expansion_test
