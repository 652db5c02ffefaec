#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include "server/text/printable.h"
#include "server/view/explanation.h"
#include "server/view/preference_output.h"
#include "server/view/standing_output.h"
#include "server/view/text_table.h"
#include "server/wording/names_text.h"
#include "server/wording/quantity_text.h"
#include "server/wording/reason_parts.h"
#include "server/wording/reason_text.h"
#include "session/explain/remedy.h"

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

// The nodes that fit, best first, then the others; equal nodes by name.
std::vector<const NodeJudgement*> by_merit(const PodExplanation& explanation) {
  std::vector<const NodeJudgement*> nodes;
  for (const NodeJudgement& node : explanation.nodes) nodes.push_back(&node);
  auto better = [](const NodeJudgement* a, const NodeJudgement* b) {
    return std::pair(a->fits, a->fits ? a->total : 0) > std::pair(b->fits, b->fits ? b->total : 0);
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
      bool of_the_node = reason.code >= ReasonCode::NodeNotReady &&
                         reason.code <= ReasonCode::NodeAffinityMismatch;
      return of_the_node ? 0 : 3;
    }
    return ResourceTable::is_gpu(reason.resource) ? 1 : 2;
  };
  return *std::min_element(
      node.reasons.begin(), node.reasons.end(),
      [&](const NodeReason& a, const NodeReason& b) { return weight(a) < weight(b); });
}

std::string domain_text(const DomainName& name) {
  if (name.topology.empty()) return "whole cluster";
  return name.path.empty() ? name.topology : path_text(name.path);
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

std::string nodes_table(const Cluster& cluster, const PodExplanation& explanation,
                        Colours colours) {
  TextTable table({{"NODE"}, {"FITS"}, {"SCORE", Align::Right}, {"WHY"}});
  std::vector<const NodeJudgement*> nodes = by_merit(explanation);
  for (size_t i = 0; i < nodes.size() && i < kRowsShown; ++i) {
    const NodeJudgement& node = *nodes[i];
    table.add_row({{cluster.nodes()[node.node].name},
                   {node.fits ? "yes" : "no", node.fits ? Style::Good : Style::Bad},
                   {node.fits ? short_number_text(node.total) : "-"},
                   {node.fits ? scores_of(node) : reasons_of(cluster, node)}});
  }
  return table.render(colours) + more_text(nodes.size(), "nodes");
}

// The missing amounts, then the reasons for which nodes refuse the pods.
std::string obstacles_text(Session& session, const DemandExplanation& explanation,
                           const DomainJudgement& judgement) {
  if (judgement.fits) return "-";
  const Cluster& cluster = session.cluster();
  std::string text = amounts_text(cluster.vocabulary().resources, explanation.short_of(judgement));
  for (const VerdictCount& refusal : refusals_in(session, explanation, judgement)) {
    if (!text.empty()) text += "; ";
    text += std::to_string(refusal.nodes) + (refusal.nodes == 1 ? " node " : " nodes ");
    text += reason_text(cluster, NodeReason{refusal.code, refusal.plugin, refusal.resource, 0});
  }
  VerdictCount limited = limited_in(session, explanation, judgement);
  if (limited.nodes > 0) {
    if (!text.empty()) text += "; ";
    text += limit_text(limited);
  }
  if (!text.empty()) return text;
  SegmentFit segments = explanation.segments_of(judgement);
  if (segments.takes < segments.needed) return "room for whole segments";
  return explanation.part_of(judgement).rows.size() > 1 ? "no way to place all together" : "-";
}

std::string help_text(Session& session, const DemandExplanation& explanation,
                      const DomainJudgement& judgement) {
  DomainName name = name_of(session, judgement.domain);
  std::string text = remedy_text(session.cluster().vocabulary().resources,
                                 remedy_for(session, explanation, judgement), domain_text(name));
  bool soon = judgement.later_pods > judgement.allocatable_pods;
  if (soon && judgement.later_pods >= judgement.needed && !judgement.fits) {
    text = "wait for pods that are leaving" + (text.empty() ? "" : "; or " + text);
  }
  return text.empty() ? "-" : text;
}

Cell fits_cell(const DomainJudgement& judgement) {
  if (!judgement.fits) return {"no", Style::Bad};
  return {judgement.proved ? "yes" : "by count", Style::Good};
}

// The domains that fit, then the others by the number of pods that they lack, so that the nearest
// misses come first. Single nodes are included only if they take all pods, or if there are no other
// domains.
std::vector<const DomainJudgement*> by_nearness(const Session& session,
                                                const DemandExplanation& explanation,
                                                uint32_t part) {
  std::vector<const DomainJudgement*> domains;
  std::vector<const DomainJudgement*> nodes;
  for (const DomainJudgement& judgement : explanation.domains) {
    if (judgement.part != part) continue;
    bool told = judgement.fits || judgement.needed == 1 || !is_node(session, judgement.domain);
    (told ? domains : nodes).push_back(&judgement);
  }
  if (domains.empty()) domains = std::move(nodes);
  auto nearer = [](const DomainJudgement* a, const DomainJudgement* b) {
    if (a->fits != b->fits) return a->fits;
    if (a->fits) return a->allocatable_pods > b->allocatable_pods;
    return a->needed - a->allocatable_pods < b->needed - b->allocatable_pods;
  };
  std::stable_sort(domains.begin(), domains.end(), nearer);
  return domains;
}

std::string domains_table(Session& session, const DemandExplanation& explanation, uint32_t index,
                          Colours colours) {
  const DemandPart& part = explanation.parts[index];
  std::vector<const DomainJudgement*> domains = by_nearness(session, explanation, index);
  if (domains.empty()) return "";
  bool segmented = explanation.segments_of(*domains.front()).size > 0;
  std::vector<TextTable::Column> columns = {
      {"LEVEL"}, {"DOMAIN"}, {"FITS"}, {"PODS", Align::Right}};
  if (segmented) columns.push_back({"SEGMENTS", Align::Right});
  columns.push_back({"SHORT OF"});
  columns.push_back({"WHAT WOULD HELP"});
  TextTable table(std::move(columns));
  for (size_t i = 0; i < domains.size() && i < kRowsShown; ++i) {
    const DomainJudgement& judgement = *domains[i];
    DomainName name = name_of(session, judgement.domain);
    std::vector<Cell> row = {{name.level.empty() ? "-" : std::string(short_level(name.level))},
                             {domain_text(name)},
                             fits_cell(judgement),
                             {count_text(judgement.allocatable_pods, judgement.needed)}};
    if (segmented) {
      SegmentFit segments = explanation.segments_of(judgement);
      row.push_back({count_text(segments.takes, segments.needed)});
    }
    row.push_back({obstacles_text(session, explanation, judgement)});
    row.push_back({help_text(session, explanation, judgement)});
    table.add_row(std::move(row));
  }
  std::string text = "\n";
  if (part.subgroup.valid()) {
    std::string name(session.cluster().vocabulary().strings.view(part.subgroup));
    text += styled("subgroup " + name, Style::Bold, colours) + "\n";
  }
  return text + table.render(colours) + more_text(domains.size(), "domains");
}

std::string domains_tables(Session& session, const DemandExplanation& explanation,
                           Colours colours) {
  std::string text;
  for (uint32_t part = 0; part < explanation.parts.size(); ++part) {
    text += domains_table(session, explanation, part, colours);
  }
  return text;
}

std::string reason_lines(const Cluster& cluster, const GangOutcome& outcome) {
  std::string text;
  for (const Reason& reason : outcome.reasons) {
    text.append(to_string(reason.code)).append(": ").append(reason_text(cluster, reason)) += "\n";
  }
  return text;
}

}  // namespace

std::string pod_explanation_text(Session& session, const CycleRecord& record, PodId pod,
                                 const PodExplanation& explanation, Colours colours) {
  const Cluster& cluster = session.cluster();
  const PodSlot& slot = cluster.pods()[pod];
  const PodOutcome& outcome = record.pods[pod];
  std::string text = styled("pod " + full_name(cluster, pod), Style::Bold, colours) + ": " +
                     std::string(to_string(outcome.status));
  if (outcome.node.valid()) text += " on " + cluster.nodes()[outcome.node].name;
  text += ", gang " + printable(cluster.vocabulary().strings.view(slot.pod.gang)) + "\n";
  text += reason_lines(cluster, record.gangs[slot.gang]);
  text += refusals_text(session, explanation) + "\n\n";
  text += nodes_table(cluster, explanation, colours);
  return text + domains_tables(session, explanation.gang, colours) +
         preferences_text(session, slot.gang, colours);
}

std::string gang_explanation_text(Session& session, const CycleRecord& record, GangId gang,
                                  const DemandExplanation& explanation, Colours colours) {
  const Cluster& cluster = session.cluster();
  const GangOutcome& outcome = record.gangs[gang];
  std::string text = styled("gang " + full_name(cluster, gang), Style::Bold, colours) + ": " +
                     std::string(to_string(outcome.status)) + ", minimum " +
                     std::to_string(cluster.gangs()[gang].min_member) + " of " +
                     std::to_string(cluster.pods_of(gang).size()) + " pods\n";
  text += reason_lines(cluster, outcome);
  text += standing_text(session, record, gang, explanation);
  bool waits = outcome.status == GangStatus::Pending;
  if (waits) text += outlook_text(session, explanation);
  return text + domains_tables(session, explanation, colours) +
         preferences_text(session, gang, colours);
}

}  // namespace trellis
