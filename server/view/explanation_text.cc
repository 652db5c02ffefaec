#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include "server/text/printable.h"
#include "server/view/domain_output.h"
#include "server/view/explanation.h"
#include "server/view/preference_output.h"
#include "server/view/standing_output.h"
#include "server/view/text_table.h"
#include "server/view/waiting.h"
#include "server/wording/names_text.h"
#include "server/wording/node_request_text.h"
#include "server/wording/quantity_text.h"
#include "server/wording/reason_parts.h"
#include "server/wording/reason_text.h"

namespace trellis {
namespace {

// For people: at most three digits after the point.
std::string short_number_text(double value) {
  return milli_text(std::llround(value * static_cast<double>(kMilli)));
}

std::string with_plugin(const Cluster& cluster, const NodeReason& reason) {
  std::string text = reason_text(cluster, reason);
  if (!reason.plugin.empty()) text.append(" (").append(reason.plugin).append(")");
  return text;
}

std::string reasons_of(const Cluster& cluster, const NodeJudgement& node) {
  std::string text;
  for (const NodeReason& reason : node.reasons) {
    if (!text.empty()) text += "; ";
    text += with_plugin(cluster, reason);
  }
  return text;
}

std::string scores_of(const NodeJudgement& node) {
  std::string text;
  for (const auto& [plugin, score] : node.scores) {
    if (score == 0) continue;
    if (!text.empty()) text += ' ';
    text.append(plugin).append("=").append(short_number_text(score));
  }
  return text.empty() ? "no plugin has a preference" : text;
}

// The nodes that fit, best first, then the others: what lacks one thing before what lacks several,
// and last what is outside the domain. Equal nodes by name.
std::vector<const NodeJudgement*> by_merit(const PodExplanation& explanation) {
  std::vector<const NodeJudgement*> nodes;
  for (const NodeJudgement& node : explanation.nodes) nodes.push_back(&node);
  auto lacks = [](const NodeJudgement& node) {
    bool outside = std::ranges::any_of(node.reasons, [](const NodeReason& reason) {
      return reason.code == ReasonCode::OutsideDomain;
    });
    return std::pair(outside, node.reasons.size());
  };
  auto better = [&](const NodeJudgement* a, const NodeJudgement* b) {
    if (a->fits != b->fits) return a->fits;
    return a->fits ? a->total > b->total : lacks(*a) < lacks(*b);
  };
  std::stable_sort(nodes.begin(), nodes.end(), better);
  return nodes;
}

// The one reason under which a node is counted. Properties of the node come before its free
// amounts, and both before its domain.
const NodeReason& foremost(const NodeJudgement& node) {
  auto weight = [](const NodeReason& reason) {
    if (reason.code == ReasonCode::OutsideDomain) return 4;
    if (reason.code == ReasonCode::TooManyPods) return 2;
    if (reason.code != ReasonCode::InsufficientResource) {
      bool of_the_node =
          reason.code >= ReasonCode::NodeNotReady && reason.code <= ReasonCode::NodeFeatureMissing;
      return of_the_node ? 0 : 3;
    }
    return ResourceTable::is_gpu(reason.resource) ? 1 : 2;
  };
  return *std::min_element(
      node.reasons.begin(), node.reasons.end(),
      [&](const NodeReason& a, const NodeReason& b) { return weight(a) < weight(b); });
}

// `0/1200 nodes: 900 insufficient nvidia.com/gpu, 300 outside rack b1/r7`
std::string refusals_text(Session& session, const PodExplanation& explanation) {
  DomainName bound = name_of(session, explanation.bound);
  std::map<std::string, int64_t> counts;
  int64_t fitting = 0;
  for (const NodeJudgement& node : explanation.nodes) {
    fitting += node.fits ? 1 : 0;
    if (node.fits) continue;
    NodeReason reason = foremost(node);
    reason.short_by = 0;  // nodes are counted by cause, without the missing amount
    reason.container = StrId();
    reason.parts.clear();
    reason.devices.clear();
    std::string text = reason_text(session.cluster(), reason);
    if (reason.code == ReasonCode::OutsideDomain && !bound.path.empty()) {
      text = "outside " + std::string(short_level(bound.level)) + " " + path_text(bound.path);
    }
    ++counts[text];
  }
  std::vector<std::pair<std::string, int64_t>> sorted(counts.begin(), counts.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text =
      std::to_string(fitting) + "/" + std::to_string(explanation.nodes.size()) + " nodes";
  if (sorted.empty()) return text + " fit";
  std::string_view separator = ": ";
  for (const auto& [cause, count] : sorted) {
    text.append(separator).append(std::to_string(count)).append(" ").append(cause);
    separator = ", ";
  }
  return text;
}

std::string nodes_table(const Cluster& cluster, const PodExplanation& explanation, TableForm form) {
  TextTable table({{"NODE"}, {"FITS"}, {"SCORE", Align::Right}, {"WHY"}});
  std::vector<const NodeJudgement*> nodes = by_merit(explanation);
  for (size_t i = 0; i < nodes.size() && i < kRowsShown; ++i) {
    const NodeJudgement& node = *nodes[i];
    table.add_row({{cluster.nodes()[node.node].name},
                   {node.fits ? "yes" : "no", node.fits ? Style::Good : Style::Bad},
                   {node.fits ? short_number_text(node.total) : "-"},
                   {node.fits ? scores_of(node) : reasons_of(cluster, node)}});
  }
  return table.render(form) + more_text(nodes.size(), "nodes");
}

}  // namespace

std::string pod_explanation_text(Session& session, const CycleRecord& record, PodId pod,
                                 const PodExplanation& explanation, TableForm form) {
  const Cluster& cluster = session.cluster();
  const PodSlot& slot = cluster.pods()[pod];
  const PodOutcome& outcome = record.pods[pod];
  std::string text = styled("pod " + full_name(cluster, pod), Style::Bold, form.colours) + ": " +
                     std::string(to_string(outcome.status));
  if (outcome.node.valid()) text += " on " + cluster.nodes()[outcome.node].name;
  text += ", gang " + printable(cluster.vocabulary().strings.view(slot.pod.gang)) + "\n";
  if (has_finished(outcome.status)) return text;
  std::string reasons = reason_lines(cluster, record.gangs[slot.gang].reasons);
  std::string refusals = refusals_text(session, explanation) + "\n";
  // Of a gang of one pod the first reason is the same.
  text += reasons + (reasons.find(refusals) == std::string::npos ? refusals : "") + "\n";
  text += nodes_table(cluster, explanation, form);
  return text +
         domains_tables(session, explanation.gang, look_into(session, explanation.gang), form) +
         preferences_text(cluster.vocabulary().strings, placement_groups(session, slot.gang), form);
}

std::string gang_explanation_text(Session& session, const CycleRecord& record, GangId gang,
                                  const DemandExplanation& explanation, TableForm form) {
  const Cluster& cluster = session.cluster();
  const GangOutcome& outcome = record.gangs[gang];
  std::string text = styled("gang " + full_name(cluster, gang), Style::Bold, form.colours) + ": " +
                     std::string(to_string(outcome.status)) + ", minimum " +
                     std::to_string(cluster.gangs()[gang].min_member) + " of " +
                     std::to_string(cluster.pods_of(gang).size()) + " pods" +
                     waiting_since_text(waiting_since(cluster, record, gang)) + "\n";
  text += reason_lines(cluster, outcome.reasons);
  if (const NodeRequest* request = cluster.node_request_of(gang)) {
    text += "asked for nodes: " + printable(node_request_text(*request)) + "\n";
  }
  text += standing_text(session, where_it_stands(session, record, gang, explanation));
  bool waits = outcome.status == GangStatus::Pending;
  if (waits) text += outlook_text(session, explanation, help_for(session, explanation));
  return text + domains_tables(session, explanation, look_into(session, explanation), form) +
         preferences_text(cluster.vocabulary().strings, placement_groups(session, gang), form);
}

}  // namespace trellis
