#include "server/view/decisions_table.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "server/view/gang_summary.h"
#include "server/view/text_table.h"
#include "server/view/workload_output.h"
#include "server/wording/names_text.h"
#include "server/wording/quantity_text.h"
#include "server/wording/reason_parts.h"
#include "server/wording/reason_text.h"
#include "session/explain/room.h"

namespace trellis {
namespace {

Style style_of(GangStatus status) {
  switch (status) {
    case GangStatus::Running:
    case GangStatus::Scheduled:
      return Style::Good;
    case GangStatus::Pipelined:
      return Style::Waiting;
    case GangStatus::Pending:
      return Style::Bad;
    case GangStatus::Evicted:
    case GangStatus::Releasing:
    case GangStatus::Finished:
      return Style::Dim;
  }
  return Style::Plain;
}

// Wide: with more columns, and the names of all nodes.
enum class Detail : uint8_t { Short, Wide };

// The names of the first nodes. A gang whose row names its domain has many nodes there: their
// number will do.
std::string nodes_cell(const std::vector<std::string>& nodes,
                       const std::optional<GangPlacement>& placement, Detail detail) {
  if (detail == Detail::Wide) {
    std::string text;
    for (const std::string& node : nodes) text += (text.empty() ? "" : " ") + node;
    return text;
  }
  bool in_domain = placement && !placement->domain.empty();
  if (in_domain && nodes.size() > kNamesShown) {
    return grouped_text(static_cast<int64_t>(nodes.size())) + " nodes";
  }
  return names_text(nodes);
}

// The nodes of the placed pods, then why the other pods wait, or why the gang does although it was
// promised a place.
std::string fate_cell(const Cluster& cluster, const GangSummary& gang, const GangOutcome& outcome,
                      Detail detail) {
  bool leaves = outcome.status == GangStatus::Evicted || outcome.status == GangStatus::Releasing;
  if (leaves && !gang.leaving.empty()) {
    return "leaving " + nodes_cell(gang.leaving, std::nullopt, detail);
  }
  std::string text = nodes_cell(gang.nodes, outcome.placement, detail);
  bool placed = gang.placed == gang.pods && gang.pods > 0;
  bool settled = placed && outcome.status != GangStatus::Pipelined;
  if (outcome.reasons.empty() || settled) return text.empty() ? "-" : text;
  if (!text.empty()) text += "; ";
  if (!text.empty() && !placed) text += std::to_string(gang.pods - gang.placed) + " wait: ";
  return text + reason_text(cluster, outcome.reasons.front());
}

Cell status_cell(GangStatus status) { return {std::string(to_string(status)), style_of(status)}; }

std::string requests_text(const Cluster& cluster, GangId gang) {
  ResourceList requests;
  for (PodId pod : cluster.pods_of(gang)) {
    const PodSlot& slot = cluster.pods()[pod];
    if (!has_finished(slot.pod.status)) {
      requests.add(asked_by(cluster.pod_classes()[slot.pod_class]));
    }
  }
  return people_amounts_text(cluster.vocabulary().resources, requests);
}

std::vector<Cell> gang_row(const Cluster& cluster, const GangSummary& summary,
                           const GangOutcome& outcome, Detail detail) {
  const StringTable& strings = cluster.vocabulary().strings;
  const Gang& gang = cluster.gangs()[summary.gang];
  std::string name = std::string(strings.view(gang.name_space)) + "/" + gang.name;
  std::string_view queue = gang.queue.valid() ? strings.view(*gang.queue) : "-";
  std::vector<Cell> row = {{std::move(name)},
                           {std::string(queue)},
                           status_cell(outcome.status),
                           {std::to_string(summary.placed) + "/" + std::to_string(summary.pods)}};
  if (detail == Detail::Wide) {
    row.push_back({std::to_string(gang.min_member)});
    row.push_back({std::to_string(gang.priority)});
    row.push_back({requests_text(cluster, summary.gang)});
  }
  row.push_back({placement_text(outcome.placement)});
  row.push_back({fate_cell(cluster, summary, outcome, detail)});
  return row;
}

// Adds a row for each subgroup, below the row of the gang.
void add_subgroups(const Cluster& cluster, const CycleRecord& record, GangId id, Detail detail,
                   TextTable& table) {
  const Gang& gang = cluster.gangs()[id];
  const GangOutcome& outcome = record.gangs[id];
  if (outcome.subgroups.size() != gang.subgroups.size()) return;
  std::vector<SubgroupSummary> summaries = summarize_subgroups(cluster, record, id);
  for (size_t i : depth_first(gang.subgroups)) {
    const SubgroupOutcome& one = outcome.subgroups[i];
    std::string indent(2 * static_cast<size_t>(summaries[i].depth + 1), ' ');
    std::string nodes = nodes_cell(summaries[i].nodes, one.placement, detail);
    std::vector<Cell> row = {
        {indent + std::string(cluster.vocabulary().strings.view(gang.subgroups[i].name))},
        {""},
        status_cell(one.status),
        {std::to_string(summaries[i].placed) + "/" + std::to_string(summaries[i].pods)}};
    if (detail == Detail::Wide) row.insert(row.end(), {{""}, {""}, {""}});
    row.push_back({placement_text(one.placement)});
    row.push_back({nodes.empty() ? "-" : nodes});
    table.add_row(std::move(row));
  }
}

std::string detailed_table(const Cluster& cluster, const CycleRecord& record,
                           std::span<const GangSummary> gangs, Detail detail, TableForm form) {
  std::vector<TextTable::Column> columns = {
      {"GANG"}, {"QUEUE"}, {"STATUS"}, {"PODS", Align::Right}};
  if (detail == Detail::Wide) {
    columns.insert(columns.end(),
                   {{"MINIMUM", Align::Right}, {"PRIORITY", Align::Right}, {"REQUESTS"}});
  }
  columns.push_back({"DOMAIN"});
  columns.push_back({"NODES OR REASON"});
  TextTable table(std::move(columns));
  for (const GangSummary& gang : gangs) {
    table.add_row(gang_row(cluster, gang, record.gangs[gang.gang], detail));
    bool finished = record.gangs[gang.gang].status == GangStatus::Finished;
    if (!finished) add_subgroups(cluster, record, gang.gang, detail, table);
  }
  return table.render(form);
}

std::string rows_text(const Cluster& cluster, const CycleRecord& record,
                      const RowSelection& selection, Detail detail, TableForm form) {
  SelectedRows rows = select_rows(cluster, record, selection);
  std::string text = workloads_table(cluster, record, rows.workloads, form);
  if (!rows.gangs.empty()) {
    if (!text.empty()) text += "\n";
    text += detailed_table(cluster, record, rows.gangs, detail, form);
  }
  if (rows.all_gangs + rows.all_workloads == 0) text = "no pods and no gangs were read\n";
  std::string hidden = hidden_text(rows, selection);
  if (!hidden.empty() && !text.empty()) text += "\n";
  return text + hidden + "\n" + decisions_end(cluster, record, form);
}

}  // namespace

std::string gangs_table(const Cluster& cluster, const CycleRecord& record,
                        std::span<const GangSummary> gangs, TableForm form) {
  return detailed_table(cluster, record, gangs, Detail::Short, form);
}

std::string decisions_end(const Cluster& cluster, const CycleRecord& record, TableForm form) {
  std::string text = evictions_table(cluster, record, form);
  if (!text.empty()) text += "\n";
  std::string summary =
      summary_text(summarize(cluster, record), summarize_workloads(cluster, record));
  return text + styled(summary, Style::Bold, form.colours) + "\n";
}

std::string decisions_table(const Cluster& cluster, const CycleRecord& record,
                            const RowSelection& selection, TableForm form) {
  return rows_text(cluster, record, selection, Detail::Short, form);
}

std::string decisions_table(const Cluster& cluster, const CycleRecord& record, Colours colours) {
  return rows_text(cluster, record, {.all = true}, Detail::Short, colours);
}

std::string wide_decisions_table(const Cluster& cluster, const CycleRecord& record,
                                 const RowSelection& selection, Colours colours) {
  return rows_text(cluster, record, selection, Detail::Wide, colours);
}

namespace {

struct EvictedPods {
  std::vector<std::string> names;
  std::vector<std::string> from;  // nodes
  std::vector<std::string> to;    // nodes that are promised to some of the pods
};

// Gang, action, beneficiary.
using EvictionKey = std::tuple<std::string, std::string_view, std::string>;

std::map<EvictionKey, EvictedPods> group_evictions(const Cluster& cluster,
                                                   const CycleRecord& record) {
  std::map<EvictionKey, EvictedPods> groups;
  for (const Decision& eviction : record.decisions) {
    if (eviction.kind != Decision::Kind::Evict) continue;
    const PodSlot& slot = cluster.pods()[eviction.pod];
    EvictedPods& pods =
        groups[{full_name(cluster, slot.gang), eviction.action, beneficiary(cluster, eviction)}];
    pods.names.push_back(slot.pod.name);
    pods.from.push_back(slot.pod.node);
    const PodOutcome& outcome = record.pods[eviction.pod];
    if (outcome.evicted && outcome.node.valid()) {
      pods.to.push_back(cluster.nodes()[outcome.node].name);
    }
  }
  return groups;
}

}  // namespace

std::string beneficiary(const Cluster& cluster, const Decision& eviction) {
  if (eviction.by_workload.valid()) return "workload " + full_name(cluster, eviction.by_workload);
  return eviction.by.valid() ? full_name(cluster, eviction.by) : "";
}

std::string evictions_table(const Cluster& cluster, const CycleRecord& record, TableForm form) {
  std::map<EvictionKey, EvictedPods> groups = group_evictions(cluster, record);
  if (groups.empty()) return "";
  TextTable table({{"EVICTED PODS"}, {"GANG"}, {"FROM"}, {"TO"}, {"ACTION"}, {"FOR"}});
  for (auto& [key, pods] : groups) {
    const auto& [gang, action, by] = key;
    std::sort(pods.names.begin(), pods.names.end());
    sort_unique(pods.from);
    sort_unique(pods.to);
    table.add_row({{names_text(pods.names), Style::Waiting},
                   {gang},
                   {names_text(pods.from)},
                   {pods.to.empty() ? "-" : names_text(pods.to)},
                   {std::string(action)},
                   {by.empty() ? "-" : by}});
  }
  return table.render(form);
}

}  // namespace trellis
