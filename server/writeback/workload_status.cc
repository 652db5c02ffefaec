#include "server/writeback/workload_status.h"

#include <map>
#include <string>
#include <string_view>

#include "server/document/timestamp.h"
#include "server/objects/workload_keys.h"
#include "server/wording/quantity_text.h"
#include "server/wording/reason_text.h"

namespace trellis {
namespace {

constexpr std::string_view kTrue = "True";
constexpr std::string_view kFalse = "False";

struct Condition {
  std::string_view type;
  std::string_view status;
  std::string reason;
  std::string message;
  TimeUs since = 0;
};

std::string_view text_of(const StatusSource& source, StrId id) {
  return id.valid() ? source.cluster.vocabulary().strings.view(id) : std::string_view();
}

Json pod_set_object(const StatusSource& source, const PodSetAdmission& set) {
  const ResourceTable& resources = source.cluster.vocabulary().resources;
  std::map<std::string, std::string> flavors;
  std::map<std::string, std::string> usage;
  for (const auto& [resource, flavor] : set.flavors) {
    flavors[resources.name(resource)] = text_of(source, flavor);
  }
  for (const auto& [resource, amount] : set.usage.items()) {
    usage[resources.name(resource)] = quantity_text(resources, resource, amount);
  }
  Json written = Json::object();
  written["name"] = text_of(source, set.name);
  written["flavors"] = flavors;
  written["resourceUsage"] = usage;
  written["count"] = set.count;
  if (set.topology) {
    std::string assignment;
    append_assignment(assignment, *set.topology, source.cluster.vocabulary().strings, source.form);
    written["topologyAssignment"] = parse_object(assignment);
  }
  if (set.delayed_topology) written["delayedTopologyRequest"] = set.topology ? "Ready" : "Pending";
  return written;
}

Json admission_object(const StatusSource& source, const Admission& admission) {
  Json written = Json::object();
  written["clusterQueue"] = text_of(source, admission.cluster_queue);
  Json& sets = written["podSetAssignments"] = Json::array();
  for (const PodSetAdmission& set : admission.pod_sets) {
    sets.push_back(pod_set_object(source, set));
  }
  return written;
}

class StatusWriter {
 public:
  StatusWriter(Json& object, const StatusSource& source)
      : source_(source), status_(object_at(object, "status")) {}

  void run() {
    const Workload& workload = source_.workload;
    if (workload.unhealthy_nodes.empty()) status_.erase("unhealthyNodes");
    if (workload.finished) return write_end();
    if (source_.note.evicted) write_eviction();
    write_return();
    if (workload.admission) {
      write_admission(*workload.admission);
    } else {
      write_waiting();
    }
    if (status_.empty()) return;
    if (auto found = status_.find("conditions"); found != status_.end() && found->empty()) {
      status_.erase("conditions");
    }
  }

 private:
  Json* find_condition(std::string_view type) {
    Json& list = status_["conditions"];
    if (!list.is_array()) list = Json::array();
    for (Json& condition : list) {
      if (condition.is_object() && holds_text(condition, "type", type)) return &condition;
    }
    return nullptr;
  }

  bool holds(std::string_view type) {
    Json* condition = find_condition(type);
    return condition != nullptr && holds_text(*condition, "status", kTrue);
  }

  void set(const Condition& wanted) {
    Json* condition = find_condition(wanted.type);
    if (condition == nullptr) {
      Json& list = status_["conditions"];
      list.push_back(Json::object());
      condition = &list.back();
      (*condition)["type"] = wanted.type;
    }
    Json& found = *condition;
    if (!holds_text(found, "status", wanted.status)) {
      found["status"] = wanted.status;
      found["lastTransitionTime"] = format_timestamp(wanted.since);
    }
    found["reason"] = wanted.reason;
    found["message"] = wanted.message;
  }

  void erase(std::string_view type) {
    Json* found = find_condition(type);
    Json& list = status_["conditions"];
    if (found != nullptr) list.erase(static_cast<size_t>(found - &list[0]));
  }

  void drop_true(std::string_view type) {
    if (holds(type)) erase(type);
  }

  void write_end() {
    if (holds("Finished")) return;
    bool failed = source_.workload.failed;
    set({"Finished", kTrue, failed ? "Failed" : "Succeeded",
         failed ? "Its owner has failed" : "Its owner has finished successfully", source_.now});
  }

  void write_eviction() {
    const Reason& reason = *source_.note.evicted;
    TimeUs at = source_.note.evicted_at;
    std::string message = reason_text(source_.cluster, reason);
    // There may be a condition of an earlier eviction.
    erase("Evicted");
    // Kueue's controllers know no moves: to them it is a preemption.
    bool moved = reason.code == ReasonCode::Moved;
    bool preempted = moved || reason.code == ReasonCode::Preempted;
    std::string code(to_string(preempted ? ReasonCode::Preempted : reason.code));
    set({"Evicted", kTrue, code, message, at});
    if (preempted) {
      erase("Preempted");
      set({"Preempted", kTrue, moved ? std::string(to_string(reason.code)) : reason.subject,
           message, at});
    }
    bool at_once = preempted || reason.code == ReasonCode::NodeFailures;
    set({"Requeued", at_once ? kTrue : kFalse, code, message, at});
    erase("PodsReady");
    write_requeue_state();
    // The workload has come back since: its reservation is a new one.
    if (!source_.workload.admission) return;
    set({"QuotaReserved", kFalse, "PendingEvaluation", "The workload waits for its turn", at});
    set({"Admitted", kFalse, "NoReservation", "The workload has no reservation", at});
  }

  void write_requeue_state() {
    const Workload& workload = source_.workload;
    status_.erase("requeueState");
    if (workload.requeues > 0) status_["requeueState"] = {{"count", workload.requeues}};
    if (workload.requeue_at == kNoTime) return;
    status_["requeueState"]["requeueAt"] = format_timestamp(workload.requeue_at);
  }

  // Updates Requeued when what kept the workload out of its queue since its eviction is over.
  void write_return() {
    if (!source_.workload.active || !status_.contains("conditions")) return;
    Json* requeued = find_condition("Requeued");
    if (requeued == nullptr || !holds_text(*requeued, "status", kFalse)) return;
    std::string reason = text_at(*requeued, "reason");
    if (reason.starts_with("Deactivated")) {
      set({"Requeued", kTrue, "Reactivated", "The workload was reactivated", source_.now});
    }
    if (reason == "PodsReadyTimeout" && !backs_off(source_.workload, source_.now)) {
      TimeUs end = source_.workload.requeue_at;
      set({"Requeued", kTrue, "BackoffFinished", "The workload backoff was finished",
           end == kNoTime ? source_.now : end});
      object_at(status_, "requeueState").erase("requeueAt");
      if (status_["requeueState"].empty()) status_.erase("requeueState");
    }
  }

  void write_waiting() {
    bool was_admitted = status_.contains("admission");
    status_.erase("admission");
    const auto& waits = source_.note.waits;
    if (source_.note.evicted || was_admitted || holds("QuotaReserved")) {
      TimeUs at = source_.note.evicted ? source_.note.evicted_at : source_.now;
      if (find_condition("Admitted") != nullptr || was_admitted) {
        set({"Admitted", kFalse, "NoReservation", "The workload has no reservation", at});
      }
      if (!waits || waits->empty()) {
        set({"QuotaReserved", kFalse, "PendingEvaluation", "The workload waits for its turn", at});
      }
    }
    if (!waits || waits->empty()) return;
    const Reason& reason = waits->front();
    set({"QuotaReserved", kFalse, std::string(to_string(reason.code)),
         reason_text(source_.cluster, reason), source_.now});
  }

  void write_admission(const Admission& admission) {
    TimeUs at = admission.reserved_at == kNoTime ? source_.now : admission.reserved_at;
    std::string queue(text_of(source_, admission.cluster_queue));
    // Conditions without an admission are left from an earlier one: they and their times are over.
    if (!status_.contains("admission") || !status_["admission"].is_object()) {
      for (std::string_view type : {"QuotaReserved", "Admitted", "PodsReady"}) drop_true(type);
    }
    for (std::string_view type : {"Evicted", "Preempted"}) {
      Json* left = find_condition(type);
      if (left == nullptr || !holds_text(*left, "status", kTrue)) continue;
      std::string message = "Previously: " + text_at(*left, "message");
      set({type, kFalse, "QuotaReserved", message, at});
    }
    if (!holds("QuotaReserved")) {
      set({"QuotaReserved", kTrue, "QuotaReserved", "Quota reserved in ClusterQueue " + queue, at});
    }
    if (is_started(source_.workload)) {
      if (!holds("Admitted")) {
        set({"Admitted", kTrue, "Admitted", "The workload is admitted", started_at()});
        erase("PodsReady");
      }
      write_readiness();
    } else if (lacks_topology(admission) && !source_.workload.checks_pending) {
      set({"Admitted", kFalse, "PendingDelayedTopologyRequests",
           "There are pending delayed topology requests", source_.now});
    }
    status_["admission"] = admission_object(source_, admission);
  }

  void write_readiness() {
    const Workload& workload = source_.workload;
    bool ready = workload.pods_ready == PodsReady::Ready;
    if (ready == holds("PodsReady")) return;
    if (!ready) {
      if (workload.pods_ready != PodsReady::Waiting || !workload.ever_ready) return;
      return set({"PodsReady", kFalse, "WaitForRecovery",
                  "At least one pod has failed, waiting for recovery", source_.now});
    }
    TimeUs since = workload.pods_ready_since;
    set({"PodsReady", kTrue, was_ready_before() ? "Recovered" : "Started",
         "All pods reached readiness and the workload is running",
         since == kNoTime ? source_.now : since});
  }

  // In this admission, as far as it is known.
  bool was_ready_before() {
    const Json* known = find_condition("PodsReady");
    return known != nullptr && holds_text(*known, "reason", "WaitForRecovery");
  }

  TimeUs started_at() const {
    const Workload& workload = source_.workload;
    bool known = workload.pods_ready == PodsReady::Waiting && !workload.ever_ready &&
                 workload.pods_ready_since != kNoTime;
    return known ? workload.pods_ready_since : source_.now;
  }

  const StatusSource& source_;
  Json& status_;
};

}  // namespace

bool is_started(const Workload& workload) {
  return workload.admission && workload.active && !workload.finished && !workload.checks_pending &&
         !lacks_topology(*workload.admission);
}

void write_status(Json& object, const StatusSource& source) { StatusWriter(object, source).run(); }

void write_promise(Json& object, const StatusSource& source) {
  const Workload& workload = source.workload;
  Json& metadata = object_at(object, "metadata");
  std::string key(kPromiseKey);
  if (!workload.promised || workload.admission || workload.finished) {
    return erase_from(metadata, "annotations", key.c_str());
  }
  object_at(metadata, "annotations")[key] = one_line(admission_object(source, *workload.promised));
}

}  // namespace trellis
