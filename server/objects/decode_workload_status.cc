#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/kueue/assignment_decoder.h"
#include "server/objects/decoders.h"

namespace trellis {
namespace {

class StatusDecoder {
 public:
  StatusDecoder(Value status, WorkloadRecord& record, FieldReader& fields)
      : status_(status), record_(record), workload_(record.workload), fields_(fields) {}

  void run() {
    for (Value condition : fields_.list(status_, "conditions").items()) take_condition(condition);
    decode_admission(fields_.object(status_, "admission"));
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
      evicted_ = true;
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

  void decode_admission(Value value) {
    if (value.absent() || evicted_) return;
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
        return;
      }
      admission.pod_sets.push_back(std::move(*found));
    }
    if (!queue) return;
    admission.cluster_queue = *queue;
    workload_.admission = std::move(admission);
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
  bool evicted_ = false;
  bool first_start_ = false;  // PodsReady is false, as its pods were never ready yet
};

}  // namespace

void decode_workload_status(Value status, WorkloadRecord& record, FieldReader& fields) {
  StatusDecoder(status, record, fields).run();
}

}  // namespace trellis
