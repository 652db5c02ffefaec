#include "server/view/workload_output.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "server/view/text_table.h"
#include "server/wording/names_text.h"
#include "server/wording/reason_text.h"

namespace trellis {
namespace {

constexpr size_t kDomainsShown = 3;

bool is_admitted(const WorkloadOutcome& outcome) {
  return outcome.status == WorkloadStatus::Admitted;
}

void write_assignment(DocumentWriter& out, const StringTable& strings,
                      const TopologyAssignment& assignment) {
  out.begin_object("topologyAssignment");
  out.begin_array("levels");
  for (StrId level : assignment.levels) out.text(strings.view(level));
  out.end_array();
  out.begin_array("domains");
  size_t width = assignment.levels.size();
  for (size_t i = 0; i < assignment.size(); ++i) {
    out.begin_object();
    out.begin_array("values");
    for (size_t k = 0; k < width; ++k) out.text(strings.view(assignment.values[i * width + k]));
    out.end_array();
    out.field("count", int64_t{assignment.counts[i]});
    out.end_object();
  }
  out.end_array();
  out.end_object();
}

void write_pod_sets(DocumentWriter& out, const Cluster& cluster, const Admission& admission) {
  const StringTable& strings = cluster.vocabulary().strings;
  out.begin_array("podSetAssignments");
  for (const PodSetAdmission& set : admission.pod_sets) {
    out.begin_object();
    out.field("name", strings.view(set.name));
    out.field("count", int64_t{set.count});
    out.begin_object("flavors");
    for (const auto& [resource, flavor] : set.flavors) {
      out.field(cluster.vocabulary().resources.name(resource), strings.view(flavor));
    }
    out.end_object();
    if (set.delayed_topology) out.field("delayedTopologyRequest", "Pending");
    if (set.topology) write_assignment(out, strings, *set.topology);
    out.end_object();
  }
  out.end_array();
}

// The places of all PodSets.
std::string places_text(const Cluster& cluster, const Admission& admission) {
  std::string text;
  for (const PodSetAdmission& set : admission.pod_sets) {
    if (!set.topology) continue;
    if (!text.empty()) text += "; ";
    if (admission.pod_sets.size() > 1) {
      text.append(cluster.vocabulary().strings.view(set.name)).append(" ");
    }
    text += assignment_text(cluster.vocabulary().strings, *set.topology);
  }
  return text.empty() ? "-" : text;
}

// What a workload is promised; if it moves, from where and for whom.
void write_promise(DocumentWriter& out, const Cluster& cluster, const WorkloadOutcome& outcome,
                   WorkloadId id) {
  if (!outcome.promised) return;
  out.begin_object("promised");
  write_pod_sets(out, cluster, *outcome.promised);
  out.end_object();
  if (outcome.status != WorkloadStatus::Evicted) return;
  if (const std::optional<Admission>& left = cluster.workloads()[id].admission) {
    out.begin_object("movedFrom");
    write_pod_sets(out, cluster, *left);
    out.end_object();
  }
  const Beneficiary& by = outcome.moved_for;
  out.begin_object("movedFor");
  out.field("kind", by.gang.valid() ? "gang" : "workload");
  out.field("name",
            by.gang.valid() ? full_name(cluster, by.gang) : full_name(cluster, by.workload));
  out.end_object();
}

Cell status_cell(const WorkloadOutcome& outcome) {
  auto style = [&] {
    switch (outcome.status) {
      case WorkloadStatus::Admitted:
        return Style::Good;
      case WorkloadStatus::Reserved:
        return Style::Waiting;
      case WorkloadStatus::Pending:
        return Style::Bad;
      default:
        return Style::Dim;
    }
  };
  return {std::string(to_string(outcome.status)), style()};
}

}  // namespace

int64_t count_pods(const Cluster& cluster, const CycleRecord& record, WorkloadId id) {
  int64_t pods = 0;
  if (const Admission* admission = admission_of(cluster, record, id)) {
    for (const PodSetAdmission& set : admission->pod_sets) pods += set.count;
  } else {
    for (const PodSet& set : cluster.workloads()[id].pod_sets) pods += set.count;
  }
  return pods;
}

WorkloadSummary summarize_workloads(const Cluster& cluster, const CycleRecord& record) {
  WorkloadSummary summary;
  for (WorkloadId id : cluster.workloads().by_name(cluster.vocabulary().strings)) {
    WorkloadStatus status = record.workloads[id].status;
    if (status == WorkloadStatus::Finished) continue;
    int64_t pods = count_pods(cluster, record, id);
    bool admitted = status == WorkloadStatus::Admitted;
    ++summary.workloads;
    summary.admitted += admitted ? 1 : 0;
    summary.pods += pods;
    summary.pods_admitted += admitted ? pods : 0;
  }
  return summary;
}

std::string workload_flavors_text(const Cluster& cluster, const CycleRecord& record,
                                  WorkloadId id) {
  const Admission* admission = admission_of(cluster, record, id);
  if (admission == nullptr) return "-";
  std::vector<std::string_view> names;
  for (const PodSetAdmission& set : admission->pod_sets) {
    for (const auto& [resource, flavor] : set.flavors) {
      std::string_view name = cluster.vocabulary().strings.view(flavor);
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  std::string text;
  for (std::string_view name : names) text.append(text.empty() ? "" : " ").append(name);
  return text.empty() ? "-" : text;
}

std::string workload_fate_text(const Cluster& cluster, const CycleRecord& record, WorkloadId id) {
  const WorkloadOutcome& outcome = record.workloads[id];
  if (!is_admitted(outcome) && outcome.reasons && !outcome.reasons->empty()) {
    std::string reason = reason_text(cluster, outcome.reasons->front());
    if (!outcome.promised) return reason;
    std::string places = places_text(cluster, *outcome.promised);
    if (outcome.status != WorkloadStatus::Evicted) return reason + "; promised " + places;
    const std::optional<Admission>& left = cluster.workloads()[id].admission;
    return reason + ": from " + (left ? places_text(cluster, *left) : "-") + " to " + places;
  }
  const Admission* admission = admission_of(cluster, record, id);
  return admission == nullptr ? "-" : places_text(cluster, *admission);
}

std::string assignment_text(const StringTable& strings, const TopologyAssignment& assignment) {
  std::string text;
  size_t width = assignment.levels.size();
  size_t shown = std::min(assignment.size(), kDomainsShown);
  for (size_t i = 0; i < shown; ++i) {
    if (i > 0) text += ", ";
    for (size_t k = 0; k < width; ++k) {
      text.append(k > 0 ? "/" : "").append(strings.view(assignment.values[i * width + k]));
    }
    text += ": " + std::to_string(assignment.counts[i]);
  }
  if (assignment.size() > shown) text += " +" + std::to_string(assignment.size() - shown);
  return text;
}

void write_workload(DocumentWriter& out, const Cluster& cluster, const CycleRecord& record,
                    WorkloadId id) {
  const Workload& workload = cluster.workloads()[id];
  const WorkloadOutcome& outcome = record.workloads[id];
  out.field("namespace", cluster.vocabulary().strings.view(workload.name_space));
  out.field("name", workload.name);
  out.field("status", to_string(outcome.status));
  out.field("admitted", is_admitted(outcome));
  if (outcome.status == WorkloadStatus::Evicted) out.field("evicted", true);
  if (outcome.status == WorkloadStatus::Finished) out.field("finished", true);
  write_admission(out, cluster, record, id);
}

void write_admission(DocumentWriter& out, const Cluster& cluster, const CycleRecord& record,
                     WorkloadId id) {
  const WorkloadOutcome& outcome = record.workloads[id];
  const Admission* admission = admission_of(cluster, record, id);
  if (admission != nullptr) write_pod_sets(out, cluster, *admission);
  write_promise(out, cluster, outcome, id);
  if (!outcome.reasons || outcome.reasons->empty()) return;
  write_reasons(out, cluster, *outcome.reasons);
}

void write_workloads(DocumentWriter& out, const Cluster& cluster, const CycleRecord& record) {
  out.begin_array("workloads");
  for (WorkloadId id : cluster.workloads().by_name(cluster.vocabulary().strings)) {
    out.begin_object();
    write_workload(out, cluster, record, id);
    out.end_object();
  }
  out.end_array();
}

std::string workloads_table(const Cluster& cluster, const CycleRecord& record,
                            std::span<const WorkloadId> ids, TableForm form) {
  const StringTable& strings = cluster.vocabulary().strings;
  if (ids.empty()) return "";
  TextTable table({{"WORKLOAD"},
                   {"QUEUE"},
                   {"STATUS"},
                   {"PODS", Align::Right},
                   {"FLAVORS"},
                   {"DOMAINS OR REASON"}});
  for (WorkloadId id : ids) {
    const Workload& workload = cluster.workloads()[id];
    const WorkloadOutcome& outcome = record.workloads[id];
    std::string queue(workload.queue.valid() ? strings.view(workload.queue) : "-");
    table.add_row({{full_name(cluster, id)},
                   {std::move(queue)},
                   status_cell(outcome),
                   {std::to_string(count_pods(cluster, record, id))},
                   {workload_flavors_text(cluster, record, id)},
                   {workload_fate_text(cluster, record, id)}});
  }
  return table.render(form);
}

}  // namespace trellis
