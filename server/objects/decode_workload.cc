#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/shared_value.h"
#include "server/document/json_reader.h"
#include "server/kueue/assignment_decoder.h"
#include "server/objects/decode_topology_request.h"
#include "server/objects/decoders.h"
#include "server/objects/dependency_recorder.h"
#include "server/objects/label_key.h"
#include "server/objects/workload_keys.h"

namespace trellis {
namespace {

constexpr std::array<std::string_view, 9> kWorkloadSpecKeys = {"podSets",
                                                               "queueName",
                                                               "priority",
                                                               "priorityClassName",
                                                               "priorityClassSource",
                                                               "priorityClassRef",
                                                               "active",
                                                               "maximumExecutionTimeSeconds",
                                                               "preemptionGates"};
constexpr std::array<std::string_view, 5> kPodSetKeys = {"name", "template", "count", "minCount",
                                                         "topologyRequest"};
constexpr std::array<std::string_view, 3> kClassKeys = {"group", "kind", "name"};
// The values of priorityClassSource, then of priorityClassRef.kind.
constexpr std::array<std::string_view, 3> kClassSources = {
    "", "kueue.x-k8s.io/workloadpriorityclass", "scheduling.k8s.io/priorityclass"};
constexpr std::array<std::string_view, 2> kClassKinds = {"WorkloadPriorityClass", "PriorityClass"};
constexpr uint32_t kMostPodSets = 18;
constexpr std::string_view kDefaultPodSet = "main";

// The status of a Workload: its admission, with flavors and domains, and the state of its pods.
// Writes to record.workload. REQUIRES: its PodSets are decoded.
class StatusDecoder {
 public:
  StatusDecoder(Value status, WorkloadRecord& record, FieldReader& fields)
      : status_(status), record_(record), workload_(record.workload), fields_(fields) {}

  void run() {
    for (Value condition : fields_.list(status_, "conditions").items()) take_condition(condition);
    Value admission = fields_.object(status_, "admission");
    if (!record_.evicted_since) workload_.admission = decode_admission(admission);
    decode_checks();
    decode_reclaimable();
    for (Value item : fields_.list(status_, "unhealthyNodes").items()) {
      std::string_view name = fields_.string(item, "name");
      if (!name.empty()) workload_.unhealthy_nodes.emplace_back(name);
    }
    Value requeue = fields_.object(status_, "requeueState");
    workload_.requeue_at = fields_.time(requeue, "requeueAt");
    workload_.requeues =
        static_cast<int32_t>(fields_.integer(requeue, "count", 0, INT32_MAX).value_or(0));
    settle_readiness();
  }

  // nullopt: there is none, or it has an error.
  std::optional<Admission> decode_admission(Value value) {
    if (value.absent()) return std::nullopt;
    Admission admission;
    std::optional<StrId> queue = fields_.name(value, "clusterQueue", "the name of a ClusterQueue");
    admission.reserved_at = reservation_time();
    Value list = fields_.list(value, "podSetAssignments");
    std::vector<PodSetAdmission> read;
    for (Value item : list.items()) {
      if (item.is(ValueKind::Object)) {
        read.push_back(decode_pod_set(item));
      } else {
        fields_.error(item, describe(item), "an object with name, count and flavors");
      }
    }
    // The assignments, in the order of the PodSets.
    for (const PodSet& set : workload_.pod_sets) {
      auto same = [&](const PodSetAdmission& other) { return other.name == set.name; };
      auto found = std::find_if(read.begin(), read.end(), same);
      if (found == read.end()) {
        fields_.error(
            list.exists() ? list : value,
            "no assignment of PodSet " + in_quotes(fields_.vocabulary().strings.view(set.name)),
            "one for each PodSet");
        return std::nullopt;
      }
      admission.pod_sets.push_back(std::move(*found));
    }
    if (!queue) return std::nullopt;
    admission.cluster_queue = *queue;
    return admission;
  }

 private:
  void take_condition(Value condition) {
    std::string_view type = condition["type"].text();
    std::string_view reason = condition["reason"].text();
    bool holds = condition["status"].text() == "True";
    TimeUs since = fields_.time(condition, "lastTransitionTime");
    if (type == "QuotaReserved") reserved_at_ = holds ? since : kNoTime;
    if (type == "Admitted") admitted_at_ = holds ? since : kNoTime;
    if (type == "Finished") {
      workload_.finished = holds;
      workload_.failed = holds && reason == "Failed";
    }
    if (type == "Evicted" && holds) {
      record_.evicted_since = since;
      // After other reasons a workload keeps its position in the queue.
      workload_.timed_out = reason == "PodsReadyTimeout";
      if (workload_.timed_out || reason == "AdmissionCheck") workload_.queued = since;
    }
    if (type == "PodsReady") {
      workload_.pods_ready = holds ? PodsReady::Ready : PodsReady::Waiting;
      workload_.pods_ready_since = since;
      workload_.ever_ready = holds || reason == "WaitForRecovery";
      first_start_ = !holds && reason == "WaitForStart";
    }
  }

  // Until its pods are ready for the first time, a workload waits since its admission, whether or
  // not it has a condition PodsReady.
  void settle_readiness() {
    if (!workload_.admission) {
      workload_.pods_ready = PodsReady::Unknown;
      workload_.pods_ready_since = kNoTime;
      workload_.ever_ready = false;
      return;
    }
    bool silent = workload_.pods_ready == PodsReady::Unknown;
    if (admitted_at_ == kNoTime || !(silent || first_start_)) return;
    workload_.pods_ready = PodsReady::Waiting;
    workload_.pods_ready_since = admitted_at_;
  }

  // The time of the reservation. Without a condition QuotaReserved that holds: the earliest known
  // time, of the admission or of the workload's creation.
  TimeUs reservation_time() const {
    if (reserved_at_ != kNoTime) return reserved_at_;
    return admitted_at_ != kNoTime ? admitted_at_ : workload_.created;
  }

  PodSetAdmission decode_pod_set(Value item) {
    PodSetAdmission admitted;
    std::string_view name = fields_.string(item, "name");
    admitted.name = fields_.intern(name.empty() ? "main" : name);
    auto same = [&](const PodSet& set) { return set.name == admitted.name; };
    auto set = std::find_if(workload_.pod_sets.begin(), workload_.pod_sets.end(), same);
    if (set == workload_.pod_sets.end()) {
      fields_.error(name.empty() ? item : item["name"], in_quotes(name), "the name of a PodSet");
      return admitted;
    }
    std::optional<int64_t> count = fields_.integer(item, "count", 0, INT32_MAX);
    admitted.count = count ? static_cast<int32_t>(*count) : set->count;
    decode_flavors(fields_.object(item, "flavors"), admitted);
    admitted.usage = fields_.resources(fields_.object(item, "resourceUsage"), AmountOf::Many);
    admitted.delayed_topology = !fields_.string(item, "delayedTopologyRequest").empty();
    Value assignment = fields_.object(item, "topologyAssignment");
    if (!assignment.absent()) admitted.topology = decode_assignment(assignment, fields_);
    return admitted;
  }

  void decode_flavors(Value flavors, PodSetAdmission& admitted) {
    for (Value::Member member : flavors.members()) {
      ResourceId resource = fields_.resource(member.value, member.key);
      std::string_view flavor = fields_.string(flavors, member.key);
      if (resource.valid() && !flavor.empty()) {
        admitted.flavors.emplace_back(resource, fields_.intern(flavor));
      }
    }
    std::sort(admitted.flavors.begin(), admitted.flavors.end());
  }

  void decode_checks() {
    for (Value check : fields_.list(status_, "admissionChecks").items()) {
      std::string_view name = fields_.string(check, "name");
      fields_.time(check, "lastTransitionTime");
      if (!name.empty() && check["state"].text() == "Ready") {
        record_.ready_checks.push_back(fields_.intern(name));
      }
    }
  }

  void decode_reclaimable() {
    for (Value item : fields_.list(status_, "reclaimablePods").items()) {
      std::string_view name = fields_.string(item, "name");
      std::optional<int64_t> count = fields_.integer(item, "count", 0, INT32_MAX);
      if (name.empty() || !count) continue;
      auto named = [&](const PodSet& set) {
        return fields_.vocabulary().strings.view(set.name) == name;
      };
      const std::vector<PodSet>& sets = workload_.pod_sets;
      auto set = std::find_if(sets.begin(), sets.end(), named);
      if (set == sets.end()) {
        fields_.error(item["name"], in_quotes(name), "the name of a PodSet");
        continue;
      }
      if (*count > set->count) {
        fields_.error(item["count"], describe(item["count"]),
                      "at most the count of the PodSet, " + std::to_string(set->count));
        continue;
      }
      workload_.reclaimable.emplace_back(fields_.intern(name), static_cast<int32_t>(*count));
    }
  }

  Value status_;
  WorkloadRecord& record_;
  Workload& workload_;
  FieldReader& fields_;
  TimeUs reserved_at_ = kNoTime;
  TimeUs admitted_at_ = kNoTime;
  bool first_start_ = false;  // PodsReady is false, as its pods were never ready yet
};

// What a cycle before has promised the workload. Only this program writes it, so that a text which
// cannot be read is no promise, and no error.
void decode_promise(Value annotations, WorkloadRecord& record, FieldReader& fields) {
  std::string text(annotations[kPromiseKey].text());
  if (text.empty()) return;
  Report unread;
  unread.begin_file({}, 0);
  FieldReader inner(fields, unread);
  std::optional<Admission> promised;
  auto take = [&](const Document& document, const ListHead&) {
    promised = StatusDecoder(Value(), record, inner).decode_admission(document.root());
  };
  read_json(text, {.file = {}, .diagnostics = &unread.diagnostics(), .document = take});
  fields.merge(inner);
  if (!promised || unread.errors() > 0) return;
  promised->reserved_at = kNoTime;
  record.workload.promised = std::move(promised);
}

class WorkloadDecoder {
 public:
  WorkloadDecoder(PodDecoder& pods, FieldReader& fields) : pods_(pods), fields_(fields) {}

  WorkloadRecord decode(NamedObject named) {
    Value object = named.object;
    record_.meta = std::move(named.meta);
    record_.owners = decode_owners(object["metadata"], record_.meta.key.name_space, fields_);
    fields_.known_keys(object, kObjectKeys);
    Value spec = fields_.object(object, "spec");
    fields_.known_keys(spec, kWorkloadSpecKeys);
    Workload& workload = record_.workload;
    workload.name_space = record_.meta.key.name_space;
    workload.name = std::move(named.name);
    workload.uid = record_.meta.uid;
    workload.created = record_.meta.created;
    workload.queue = reference(fields_, KeyKind::LocalQueue, fields_.string(spec, "queueName"));
    if (workload.queue.valid()) record_.queue = fields_.report().place(spec["queueName"]);
    workload.active = fields_.boolean(spec, "active", true);
    decode_priority(spec);
    decode_pod_sets(spec.absent() ? object : spec);
    Value metadata = object["metadata"];
    workload.movable = decode_movable(metadata, fields_).value_or(false);
    decode_promise(metadata["annotations"], record_, fields_);
    StatusDecoder(fields_.object(object, "status"), record_, fields_).run();
    if (workload.queued == kNoTime) workload.queued = workload.created;
    return std::move(record_);
  }

 private:
  void decode_priority(Value spec) {
    if (std::optional<int64_t> read = fields_.integer(spec, "priority", INT32_MIN, INT32_MAX)) {
      record_.priority = static_cast<int32_t>(*read);
    }
    Value name = spec["priorityClassName"];
    fields_.string(spec, "priorityClassName");
    std::string_view source = fields_.word(spec, "priorityClassSource", kClassSources);
    if (source == kClassSources[1]) record_.priority_source = PrioritySource::WorkloadClasses;
    if (source == kClassSources[2]) record_.priority_source = PrioritySource::PodClasses;
    Value reference = fields_.object(spec, "priorityClassRef");
    if (!reference.absent()) {
      fields_.known_keys(reference, kClassKeys);
      fields_.string(reference, "name");
      name = reference["name"];
      std::string_view kind = fields_.word(reference, "kind", kClassKinds);
      if (kind == kClassKinds[0]) record_.priority_source = PrioritySource::WorkloadClasses;
      if (kind == kClassKinds[1]) record_.priority_source = PrioritySource::PodClasses;
    }
    record_.workload.priority_class = fields_.intern_if(name.text());
    if (!name.absent()) record_.priority_class = fields_.report().place(name);
  }

  void decode_pod_sets(Value spec) {
    Value list = fields_.list(spec, "podSets");
    if (spec["podSets"].absent()) {
      fields_.missing(spec, "podSets", "from 1 to 18 PodSets");
    } else if (list.exists() && (list.size() == 0 || list.size() > kMostPodSets)) {
      fields_.error(list, std::to_string(list.size()) + " PodSets", "from 1 to 18");
    }
    std::vector<PlacedRequest> requests;
    for (Value item : list.items()) {
      if (item.is(ValueKind::Object)) {
        take_pod_set(item, requests);
      } else {
        fields_.error(item, describe(item), "an object with name, count and template");
      }
    }
    check_request_groups(requests, record_.workload.pod_sets, fields_);
  }

  void take_pod_set(Value item, std::vector<PlacedRequest>& requests) {
    PodSet set;
    fields_.known_keys(item, kPodSetKeys);
    std::string_view name = fields_.string(item, "name");
    set.name = fields_.intern(name.empty() ? kDefaultPodSet : name);
    std::vector<PodSet>& sets = record_.workload.pod_sets;
    bool again = check_pod_set_name(name.empty() ? item : item["name"], set.name, sets, fields_);
    set.count = static_cast<int32_t>(fields_.integer(item, "count", 0, INT32_MAX).value_or(1));
    decode_min_count(item, set);
    SharedValue<PreferenceKeys> preferences;
    SharedValue<PodClaims> claims;
    std::optional<StrId> priority_class = decode_template(item, set, preferences, claims);
    RequestBounds bounds{.pods = set.count};
    Value request = fields_.object(item, "topologyRequest");
    PlacedRequest placed = decode_topology_request(request, bounds, fields_);
    set.topology = placed.request;
    Value annotations = item["template"]["metadata"]["annotations"];
    set.topology.index_offset = decode_index_offset(annotations, fields_);
    set.topology.balanced = decode_balance(annotations, fields_);
    if (again) return;
    if (priority_class) record_.pod_priority_classes.push_back(*priority_class);
    sets.push_back(std::move(set));
    record_.preferences.push_back(std::move(preferences));
    record_.claims.push_back(std::move(claims));
    requests.push_back(placed);
  }

  void decode_min_count(Value item, PodSet& set) {
    std::optional<int64_t> read = fields_.integer(item, "minCount", 1, INT32_MAX);
    if (!read) return;
    if (*read > set.count) {
      fields_.error(item["minCount"], describe(item["minCount"]),
                    "at most the count, " + std::to_string(set.count));
      return;
    }
    const std::vector<PodSet>& sets = record_.workload.pod_sets;
    auto given = [](const PodSet& other) { return other.min_count.has_value(); };
    if (std::any_of(sets.begin(), sets.end(), given)) {
      fields_.error(item["minCount"], "a second PodSet with minCount", "at most one");
    }
    set.min_count = static_cast<int32_t>(*read);
  }

  // The priority class of the PodSet's pods; nullopt: there is no template.
  std::optional<StrId> decode_template(Value item, PodSet& set,
                                       SharedValue<PreferenceKeys>& preferences,
                                       SharedValue<PodClaims>& claims) {
    Value pod_template = fields_.object(item, "template");
    if (pod_template.absent()) {
      if (item["template"].absent()) fields_.missing(item, "template", "the pods of the PodSet");
      return std::nullopt;
    }
    PodRecord pod = pods_.decode_template(pod_template);
    set.spec = *pod.object.spec;
    set.labels = std::move(pod.object.pod.labels);
    preferences = std::move(pod.keys.preferences);
    claims = std::move(pod.claims);
    return pod.priority_class;
  }

  PodDecoder& pods_;
  FieldReader& fields_;
  WorkloadRecord record_;
};

}  // namespace

bool check_pod_set_name(Value at, StrId name, std::span<const PodSet> sets, FieldReader& fields) {
  std::string_view text = fields.vocabulary().strings.view(name);
  if (!is_dns_label(text)) {
    fields.error(at, "PodSet " + in_quotes(text),
                 "a name of at most 63 lower case letters, digits and '-'");
  }
  bool again = std::ranges::any_of(sets, [&](const PodSet& set) { return set.name == name; });
  if (again) fields.error(at, "PodSet " + in_quotes(text) + " a second time", "each name once");
  return again;
}

WorkloadRecord decode_workload(NamedObject named, PodDecoder& pods, FieldReader& fields) {
  return WorkloadDecoder(pods, fields).decode(std::move(named));
}

}  // namespace trellis
