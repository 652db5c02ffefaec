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
#include "server/wording/reason_text.h"

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

// The nodes of the placed pods, then why the other pods wait, or why the gang does although it was
// promised a place.
std::string fate_cell(const Cluster& cluster, const GangSummary& gang, const GangOutcome& outcome) {
  bool leaves = outcome.status == GangStatus::Evicted || outcome.status == GangStatus::Releasing;
  if (leaves && !gang.leaving.empty()) return "leaving " + names_text(gang.leaving);
  std::string text = names_text(gang.nodes);
  bool placed = gang.placed == gang.pods && gang.pods > 0;
  bool settled = placed && outcome.status != GangStatus::Pipelined;
  if (outcome.reasons.empty() || settled) return text.empty() ? "-" : text;
  if (!text.empty()) text += "; ";
  if (!text.empty() && !placed) text += std::to_string(gang.pods - gang.placed) + " wait: ";
  return text + reason_text(cluster, outcome.reasons.front());
}

Cell status_cell(GangStatus status) { return {std::string(to_string(status)), style_of(status)}; }

std::vector<Cell> gang_row(const Cluster& cluster, const GangSummary& summary,
                           const GangOutcome& outcome) {
  const StringTable& strings = cluster.vocabulary().strings;
  const Gang& gang = cluster.gangs()[summary.gang];
  std::string name = std::string(strings.view(gang.name_space)) + "/" + gang.name;
  std::string_view queue = gang.queue.valid() ? strings.view(*gang.queue) : "-";
  return {{std::move(name)},
          {std::string(queue)},
          status_cell(outcome.status),
          {std::to_string(summary.placed) + "/" + std::to_string(summary.pods)},
          {placement_text(outcome.placement)},
          {fate_cell(cluster, summary, outcome)}};
}

// Adds a row for each subgroup, below the row of the gang.
void add_subgroups(const Cluster& cluster, const CycleRecord& record, GangId id, TextTable& table) {
  const Gang& gang = cluster.gangs()[id];
  const GangOutcome& outcome = record.gangs[id];
  if (outcome.subgroups.size() != gang.subgroups.size()) return;
  std::vector<SubgroupSummary> summaries = summarize_subgroups(cluster, record, id);
  for (size_t i : depth_first(gang.subgroups)) {
    const SubgroupOutcome& one = outcome.subgroups[i];
    std::string indent(2 * static_cast<size_t>(summaries[i].depth + 1), ' ');
    std::string nodes = names_text(summaries[i].nodes);
    table.add_row(
        {{indent + std::string(cluster.vocabulary().strings.view(gang.subgroups[i].name))},
         {""},
         status_cell(one.status),
         {std::to_string(summaries[i].placed) + "/" + std::to_string(summaries[i].pods)},
         {placement_text(one.placement)},
         {nodes.empty() ? "-" : nodes}});
  }
}

}  // namespace

std::string gangs_table(const Cluster& cluster, const CycleRecord& record,
                        std::span<const GangSummary> gangs, Colours colours) {
  TextTable table(
      {{"GANG"}, {"QUEUE"}, {"STATUS"}, {"PODS", Align::Right}, {"DOMAIN"}, {"NODES OR REASON"}});
  for (const GangSummary& gang : gangs) {
    table.add_row(gang_row(cluster, gang, record.gangs[gang.gang]));
    bool finished = record.gangs[gang.gang].status == GangStatus::Finished;
    if (!finished) add_subgroups(cluster, record, gang.gang, table);
  }
  return table.render(colours);
}

std::string decisions_end(const Cluster& cluster, const CycleRecord& record, Colours colours) {
  std::string text = evictions_table(cluster, record, colours);
  if (!text.empty()) text += "\n";
  std::string summary =
      summary_text(summarize(cluster, record), summarize_workloads(cluster, record));
  return text + styled(summary, Style::Bold, colours) + "\n";
}

std::string decisions_table(const Cluster& cluster, const CycleRecord& record, Colours colours) {
  std::vector<GangSummary> gangs = summarize_gangs(cluster, record);
  std::string table = workloads_table(cluster, record, colours);
  if (!gangs.empty()) {
    if (!table.empty()) table += "\n";
    table += gangs_table(cluster, record, gangs, colours);
  }
  if (table.empty()) table = "no pods and no gangs were read\n";
  return table + "\n" + decisions_end(cluster, record, colours);
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

std::string evictions_table(const Cluster& cluster, const CycleRecord& record, Colours colours) {
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
  return table.render(colours);
}

}  // namespace trellis
