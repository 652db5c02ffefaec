#include "server/view/row_lists.h"

#include <string_view>
#include <vector>

#include "server/wording/names_text.h"
#include "server/wording/reason_text.h"

namespace trellis {
namespace {

std::string csv_line(const std::vector<std::string>& fields) {
  std::string line;
  for (size_t i = 0; i < fields.size(); ++i) {
    if (i > 0) line += ',';
    if (fields[i].find_first_of(",\"\r\n") == std::string::npos) {
      line += fields[i];
      continue;
    }
    line += '"';
    for (char c : fields[i]) line += c == '"' ? std::string("\"\"") : std::string(1, c);
    line += '"';
  }
  return line + "\n";
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::vector<std::string> gang_fields(const Cluster& cluster, const CycleRecord& record,
                                     const GangSummary& summary) {
  const StringTable& strings = cluster.vocabulary().strings;
  const Gang& gang = cluster.gangs()[summary.gang];
  const GangOutcome& outcome = record.gangs[summary.gang];
  bool waits = summary.placed < summary.pods || outcome.status == GangStatus::Pipelined;
  bool has_reason = waits && !outcome.reasons.empty();
  return {"gang",
          std::string(strings.view(gang.name_space)),
          gang.name,
          gang.queue.valid() ? std::string(strings.view(*gang.queue)) : "",
          std::string(to_string(outcome.status)),
          std::to_string(summary.placed),
          std::to_string(summary.pods),
          std::to_string(gang.min_member),
          std::to_string(gang.priority),
          outcome.placement ? path_text(outcome.placement->domain) : "",
          joined(summary.nodes),
          has_reason ? reason_text(cluster, outcome.reasons.front()) : ""};
}

std::vector<std::string> workload_fields(const Cluster& cluster, const CycleRecord& record,
                                         WorkloadId id) {
  const StringTable& strings = cluster.vocabulary().strings;
  const Workload& workload = cluster.workloads()[id];
  const WorkloadOutcome& outcome = record.workloads[id];
  bool admitted = outcome.status == WorkloadStatus::Admitted;
  std::string pods = std::to_string(count_pods(cluster, record, id));
  std::string fate = workload_fate_text(cluster, record, id);
  if (fate == "-") fate.clear();
  return {"workload",
          std::string(strings.view(workload.name_space)),
          workload.name,
          workload.queue.valid() ? std::string(strings.view(workload.queue)) : "",
          std::string(to_string(outcome.status)),
          admitted ? pods : "0",
          pods,
          "",
          std::to_string(workload.priority),
          admitted ? fate : "",
          "",
          admitted ? "" : fate};
}

}  // namespace

std::string row_names(const Cluster& cluster, const CycleRecord& record,
                      const RowSelection& selection) {
  SelectedRows rows = select_rows(cluster, record, selection);
  std::string text;
  for (WorkloadId id : rows.workloads) text += "workload/" + full_name(cluster, id) + "\n";
  for (const GangSummary& gang : rows.gangs) text += "gang/" + full_name(cluster, gang.gang) + "\n";
  return text;
}

std::string rows_csv(const Cluster& cluster, const CycleRecord& record,
                     const RowSelection& selection) {
  SelectedRows rows = select_rows(cluster, record, selection);
  std::string text = csv_line({"kind", "namespace", "name", "queue", "status", "placed", "pods",
                               "minimum", "priority", "domain", "nodes", "reason"});
  for (WorkloadId id : rows.workloads) text += csv_line(workload_fields(cluster, record, id));
  for (const GangSummary& gang : rows.gangs) text += csv_line(gang_fields(cluster, record, gang));
  return text;
}

}  // namespace trellis
