// What becomes of an object with an error is what the table of kinds says.

#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "server/document/json_reader.h"
#include "server/manifest/object_loader.h"
#include "server/objects/kinds.h"
#include "server/objects/owner_kinds.h"
#include "server/objects/spec_pool.h"
#include "tests/server/manifest/reading.h"

namespace trellis::test::on_error_test {
namespace {

// Objects of one kind that were kept.
struct Kept {
  size_t records = 0;
  size_t broken = 0;
  std::string error;  // of the last one
};

template <class List>
Kept see(const List& records) {
  Kept kept{records.size(), 0, ""};
  for (const auto& record : records) {
    if (!record.meta.error) continue;
    ++kept.broken;
    kept.error = record.meta.error->object + ": " + record.meta.error->text;
  }
  return kept;
}

Kept see(Records& records, KueueRecords& kueue, KindId kind) {
  switch (kind) {
    case KindId::Node:
      return see(records.nodes);
    case KindId::Pod:
      return see(records.pods);
    case KindId::Namespace:
      return see(records.name_spaces);
    case KindId::PriorityClass:
      return see(records.priority_classes);
    case KindId::Topology:
      return see(records.topologies);
    case KindId::PodGroup:
    case KindId::CorePodGroup:
    case KindId::CompositePodGroup:
      return see(records.pod_groups);
    case KindId::Queue:
      return see(records.queues);
    case KindId::DisruptionBudget:
      return see(records.budgets);
    case KindId::NodeRequest:
      return see(records.node_requests);
    case KindId::Reservation:
      return see(records.reservations);
    case KindId::VolumeClaim:
      return see(records.claims);
    case KindId::Volume:
      return see(records.volumes);
    case KindId::StorageClass:
      return see(records.storage_classes);
    case KindId::VolumeDriver:
      return see(records.volume_drivers);
    case KindId::NodeDrivers:
      return see(records.node_drivers);
    case KindId::StoragePool:
      return see(records.storage_pools);
    case KindId::VolumeAttachment:
      return see(records.attachments);
    case KindId::ResourceClaim:
      return see(records.resource_claims);
    case KindId::ClaimTemplate:
      return see(records.claim_templates);
    case KindId::DeviceSlice:
      return see(records.device_slices);
    case KindId::DeviceClass:
      return see(records.device_classes);
    case KindId::DeviceTaints:
      return see(records.device_taints);
    case KindId::GroupTemplates:
      return see(records.group_templates);
    case KindId::Flavor:
      return see(kueue.flavors);
    case KindId::ClusterQueue:
      return see(kueue.cluster_queues);
    case KindId::LocalQueue:
      return see(kueue.local_queues);
    case KindId::Cohort:
      return see(kueue.cohorts);
    case KindId::WorkloadPriorityClass:
      return see(kueue.priority_classes);
    case KindId::AdmissionCheck:
      return see(kueue.checks);
    case KindId::Workload:
      return see(kueue.workloads);
    case KindId::DaemonSet:
      return see(kueue.daemon_sets);
    case KindId::NodeTopology:
      return see(records.numas);
    case KindId::Job:
    case KindId::Owner:
    case KindId::Other:
      return see(records.owners);
    case KindId::Cycle:
      return {.records = records.cycle ? 1U : 0U, .broken = 0, .error = ""};
  }
  return {};
}

// An object of the kind, with an error in what is read of it, apart from its metadata.
std::string broken_part(const Kind& kind) {
  switch (kind.id) {
    case KindId::Node:
      return R"("status": {"allocatable": 5})";
    case KindId::Namespace:
      return "";  // there is nothing but metadata
    case KindId::PriorityClass:
    case KindId::WorkloadPriorityClass:
      return R"("value": "much")";
    case KindId::NodeTopology:
      return R"("zones": 5)";
    case KindId::StorageClass:
      return R"("provisioner": 5)";
    case KindId::StoragePool:
      return R"("nodeTopology": 5)";
    case KindId::ResourceClaim:
      return R"("status": 5)";
    case KindId::Cycle:
      return R"("now": 5)";
    default:
      return R"("spec": 5)";
  }
}

struct Outcome {
  size_t errors = 0;
  Kept kept;
  Kept workloads;  // that are made of it
};

std::string metadata_of(const Kind& kind, const std::string& more) {
  std::string text = R"("metadata": {"name": "x")";
  if (kind.namespaced) text += R"(, "namespace": "ns")";
  return text + more + "}";
}

Outcome load(const Kind& kind, const std::string& members) {
  std::string api_version(kind.group);
  if (!kind.group.empty()) api_version += "/";
  api_version += kind.versions.front();
  std::string text = R"({"apiVersion": ")" + api_version + R"(", "kind": ")";
  text += std::string(kind.kind) + R"(", )" + members + "}";
  Vocabulary vocabulary;
  Report report;
  FieldReader fields(vocabulary, report);
  ReadOptions options;
  SpecPool specs;
  ObjectLoader loader(fields, specs, options, nullptr);
  report.begin_file("in.json", 0);
  int documents = 0;
  auto take = [&](const Document& document, const ListHead& head) {
    ++documents;
    loader.load(document, head);
  };
  read_json(
      text,
      {.file = "in.json", .diagnostics = &report.diagnostics(), .document = take, .progress = {}});
  EXPECT_EQ(documents, 1) << text;
  return {report.errors(), see(loader.records(), loader.kueue(), kind.id),
          see(loader.kueue().of_owners)};
}

// The errors' outcome is the one that the kind's row says.
void expect_rule(const Kind& kind, const Outcome& outcome, const std::string& what) {
  SCOPED_TRACE(std::string(kind.kind) + "." + std::string(kind.group) + ": " + what);
  ASSERT_GT(outcome.errors, 0U);
  EXPECT_EQ(outcome.kept.records, kind.on_error == OnError::LeaveOut ? 0U : 1U);
  EXPECT_EQ(outcome.kept.broken, kind.on_error == OnError::KeepBroken ? 1U : 0U);
  if (kind.on_error != OnError::KeepBroken) return;
  EXPECT_TRUE(outcome.kept.error.starts_with(std::string(kind.kind) + " x: $."))
      << outcome.kept.error;
}

TEST(OnError, WhatIsReadOfEveryKind) {
  for (const Kind& kind : known_kinds()) {
    std::string part = broken_part(kind);
    if (kind.id == KindId::Owner || part.empty()) continue;
    expect_rule(kind, load(kind, metadata_of(kind, "") + ", " + part), part);
  }
}

TEST(OnError, MetadataOfEveryKind) {
  for (const Kind& kind : known_kinds()) {
    if (kind.id == KindId::Owner || kind.id == KindId::Cycle) continue;
    Outcome outcome = load(kind, metadata_of(kind, R"(, "uid": 5)"));
    expect_rule(kind, outcome, "metadata.uid");
  }
}

TEST(OnError, LabelsWhereTheyAreRead) {
  for (const Kind& kind : known_kinds()) {
    bool read = kind.id == KindId::Node || kind.id == KindId::Namespace || kind.id == KindId::Pod ||
                kind.id == KindId::PodGroup || kind.id == KindId::CorePodGroup ||
                kind.id == KindId::CompositePodGroup || kind.id == KindId::GroupTemplates ||
                kind.id == KindId::Job;
    if (!read) continue;
    expect_rule(kind, load(kind, metadata_of(kind, R"(, "labels": {"a": 1})")), "metadata.labels");
  }
}

// Of what only owns pods, no more is read than its roles; and all of its kind makes a workload.
TEST(OnError, OwnersAndTheirWorkloads) {
  size_t shaped = 0;
  size_t queued = 0;
  for (const Kind& kind : known_kinds()) {
    const OwnerKind* owner = find_owner_kind(kind.group, kind.kind);
    if (kind.id != KindId::Owner || owner == nullptr) continue;
    if (owner->least == LeastPods::OfRoles) {
      ++shaped;
      std::string part = R"("spec": 5)";
      expect_rule(kind, load(kind, metadata_of(kind, "") + ", " + part), part);
    }
    if (owner->queued) {
      ++queued;
      std::string label = R"(, "labels": {"kueue.x-k8s.io/queue-name": "q"})";
      Outcome outcome = load(kind, metadata_of(kind, label) + R"(, "spec": {})");
      expect_rule(kind, outcome, "without templates");
      // Its workload is made of its JobSet, which an error leaves out.
      if (kind.kind == "TrainJob") continue;
      EXPECT_EQ(outcome.workloads.records, 1U) << kind.kind;
      EXPECT_EQ(outcome.workloads.error, outcome.kept.error) << kind.kind;
    }
  }
  EXPECT_GT(shaped, 0U);
  EXPECT_GT(queued, 0U);
}

// What is whole stays, and is not marked: the outcomes above come from the errors.
TEST(OnError, NothingHappensWithoutAnError) {
  for (const Kind& kind : known_kinds()) {
    std::string rest;
    if (kind.id == KindId::PriorityClass || kind.id == KindId::WorkloadPriorityClass) {
      rest = R"(, "value": 3)";
    }
    // A Node with neither spec nor status is a list of labels.
    if (kind.id == KindId::Node) rest = R"(, "status": {"capacity": {"cpu": "1"}})";
    Outcome outcome = load(kind, metadata_of(kind, "") + rest);
    if (outcome.errors > 0) continue;  // there is no such object without a spec
    EXPECT_EQ(outcome.kept.records, 1U) << kind.kind;
    EXPECT_EQ(outcome.kept.broken, 0U) << kind.kind;
  }
}

TEST(OnError, TheFirstErrorOfTheObjectIsTheReason) {
  const Kind& kind = *find_kind("", "Pod");
  std::string spec = R"("spec": {"nodeName": 5, "priority": "x"})";
  Outcome outcome = load(kind, metadata_of(kind, "") + ", " + spec);
  EXPECT_EQ(outcome.errors, 2U);
  EXPECT_EQ(outcome.kept.error, "Pod x: $.spec.priority: found \"x\", expected a whole number");
}

std::string_view word(OnError rule) {
  switch (rule) {
    case OnError::LeaveOut:
      return "LeaveOut";
    case OnError::KeepBroken:
      return "KeepBroken";
    case OnError::KeepRest:
      return "KeepRest";
  }
  return "";
}

// Rows such as "| `LeaveOut` | Node, Namespace | ... |".
TEST(OnError, TheDocumentHasTheTable) {
  std::ifstream document(TRELLIS_SOURCE_DIR "/server/manifest/README.md");
  std::map<std::string, std::string, std::less<>> rules;  // by kind
  for (std::string line; std::getline(document, line);) {
    if (!line.starts_with("| `") || line.starts_with("| `OnError`")) continue;
    std::string rule = line.substr(3, line.find('`', 3) - 3);
    size_t begin = line.find("| ", 3) + 2;
    std::istringstream kinds(line.substr(begin, line.find(" |", begin) - begin));
    for (std::string kind; std::getline(kinds >> std::ws, kind, ',');) {
      EXPECT_TRUE(rules.emplace(kind, rule).second) << kind;
    }
  }
  std::set<std::string_view> known;
  for (const Kind& kind : known_kinds()) {
    std::string_view name = kind.id == KindId::Owner ? "owners of pods" : kind.kind;
    known.insert(name);
    auto found = rules.find(name);
    ASSERT_NE(found, rules.end()) << name;
    EXPECT_EQ(found->second, word(kind.on_error)) << name;
  }
  EXPECT_EQ(rules.size(), known.size());
}

// One text for all that waits: the first error of the object.
TEST(OnError, WhatWaitsNamesTheError) {
  Reading reading = read(R"(
{apiVersion: batch/v1, kind: Job, metadata: {name: j, labels: {kueue.x-k8s.io/queue-name: lq}},
 spec: {template: {spec: {nodeSelector: {a: 1}, containers: [{name: c}]}}}}
---
{apiVersion: v1, kind: Pod, metadata: {name: p, labels: {kueue.x-k8s.io/queue-name: lq}},
 spec: {priority: x, containers: [{name: c}]}}
---
{apiVersion: scheduling.run.ai/v2alpha2, kind: PodGroup, metadata: {name: g, uid: 5}}
---
{apiVersion: kueue.x-k8s.io/v1beta2, kind: ClusterQueue, metadata: {name: cq, uid: 5},
 spec: {namespaceSelector: {}}}
---
{apiVersion: kueue.x-k8s.io/v1beta2, kind: LocalQueue, metadata: {name: lq},
 spec: {clusterQueue: cq}}
)");
  auto workload = [&](std::string_view word) {
    for (const Workload& one : reading.manifest.objects.workloads) {
      if (one.name.starts_with(word)) return one.errors;
    }
    return std::vector<Reason>();
  };
  auto text = [](const std::vector<Reason>& reasons, ReasonCode code) {
    EXPECT_EQ(reasons.size(), 1U);
    return reasons.size() == 1 && reasons[0].code == code ? reasons[0].subject : "";
  };
  std::string uid = "$.metadata.uid: found the number 5, expected a string (in quotes)";
  EXPECT_EQ(text(workload("job-j"), ReasonCode::Misconfigured),
            "Job j: $.spec.template.spec.nodeSelector.a: found the number 1, expected a string "
            "(in quotes)");
  EXPECT_EQ(text(workload("pod-p"), ReasonCode::Misconfigured),
            "Pod p: $.spec.priority: found \"x\", expected a whole number");
  EXPECT_EQ(text(reading.gang("g")->errors, ReasonCode::InvalidObject), "PodGroup g: " + uid);
  EXPECT_EQ(text(reading.cluster_queue("cq")->inactive, ReasonCode::Misconfigured), uid);
}

// Its first error is known, although no more are listed.
TEST(OnError, ManyObjectsWithErrors) {
  constexpr int kListed = 10'000;
  std::string text;
  for (int i = 0; i <= kListed; ++i) {
    text += R"({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p)" + std::to_string(i);
    text += R"("}, "spec": {"priority": "x"}})";
    text += "\n";
  }
  Reading reading = read(text, "in.json");
  EXPECT_EQ(reading.diagnostics().size(), kListed + 1U);
  EXPECT_EQ(reading.diagnostics().back(), "1 more error is not listed");
  ASSERT_EQ(reading.gang("p10000")->errors.size(), 1U);
  EXPECT_EQ(reading.gang("p10000")->errors[0].subject,
            "Pod p10000: $.spec.priority: found \"x\", expected a whole number");
}

}  // namespace
}  // namespace trellis::test::on_error_test
