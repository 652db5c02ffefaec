#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "server/output/explanation.h"
#include "server/output/gang_summary.h"
#include "server/output/quantity_text.h"
#include "server/output/reason_text.h"
#include "server/output/text_table.h"

namespace trellis {
namespace {

constexpr size_t kRowsShown = 20;

std::string full_name(const Cluster& cluster, StrId name_space, std::string_view name) {
  return std::string(cluster.vocabulary().strings.view(name_space)).append("/").append(name);
}

std::string reasons_of(const Cluster& cluster, const NodeJudgement& node) {
  std::string text;
  for (const NodeReason& reason : node.reasons) {
    if (!text.empty()) text += "; ";
    text += reason_text(cluster, reason);
  }
  return text;
}

std::string scores_of(const NodeJudgement& node) {
  std::string text;
  for (const auto& [plugin, score] : node.scores) {
    if (!text.empty()) text += ' ';
    text.append(plugin).append("=").append(number_text(score));
  }
  return text;
}

// The nodes that fit, best first, then those that do not; each by name among equals.
std::vector<const NodeJudgement*> by_merit(const PodExplanation& explanation) {
  std::vector<const NodeJudgement*> nodes;
  for (const NodeJudgement& node : explanation.nodes) nodes.push_back(&node);
  auto better = [](const NodeJudgement* a, const NodeJudgement* b) {
    return std::pair(a->fits, a->fits ? a->total : 0) > std::pair(b->fits, b->fits ? b->total : 0);
  };
  std::stable_sort(nodes.begin(), nodes.end(), better);
  return nodes;
}

// How many nodes refuse for which cause, most first.
std::string refusals_text(const Cluster& cluster, const PodExplanation& explanation) {
  std::map<std::string, int64_t> counts;
  int64_t fitting = 0;
  for (const NodeJudgement& node : explanation.nodes) {
    fitting += node.fits ? 1 : 0;
    for (NodeReason reason : node.reasons) {
      reason.short_by = 0;  // counted by cause, whatever is short
      ++counts[reason_text(cluster, reason)];
    }
  }
  std::vector<std::pair<std::string, int64_t>> sorted(counts.begin(), counts.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text =
      std::to_string(fitting) + "/" + std::to_string(explanation.nodes.size()) + " nodes fit";
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
                   {node.fits ? number_text(node.total) : "-"},
                   {node.fits ? scores_of(node) : reasons_of(cluster, node)}});
  }
  std::string text = table.render(colours);
  if (nodes.size() > kRowsShown) {
    text += std::to_string(nodes.size() - kRowsShown) + " more nodes; -o json lists them all\n";
  }
  return text;
}

std::string shortages_of(const Cluster& cluster, const DomainJudgement& domain) {
  const ResourceTable& resources = cluster.vocabulary().resources;
  std::string text;
  for (const Shortage& shortage : domain.shortages) {
    if (!text.empty()) text += ", ";
    text += resources.name(shortage.resource) + ": " +
            quantity_text(resources, shortage.resource, shortage.by) + " short";
  }
  return text.empty() ? "-" : text;
}

// Most pods first, so that the nearest misses stand on top.
std::string domains_table(const Cluster& cluster, std::vector<DomainJudgement> domains,
                          Colours colours) {
  if (domains.empty()) return "";
  std::stable_sort(
      domains.begin(), domains.end(), [](const DomainJudgement& a, const DomainJudgement& b) {
        return std::pair(a.fits, a.allocatable_pods) > std::pair(b.fits, b.allocatable_pods);
      });
  TextTable table({{"LEVEL"}, {"DOMAIN"}, {"FITS"}, {"PODS", Align::Right}, {"SHORT OF"}});
  for (size_t i = 0; i < domains.size() && i < kRowsShown; ++i) {
    const DomainJudgement& domain = domains[i];
    table.add_row({{domain.level.empty() ? "-" : std::string(short_level(domain.level))},
                   {domain.path.empty() ? domain.topology : path_text(domain.path)},
                   {domain.fits ? "yes" : "no", domain.fits ? Style::Good : Style::Bad},
                   {std::to_string(domain.allocatable_pods) + "/" + std::to_string(domain.needed)},
                   {shortages_of(cluster, domain)}});
  }
  std::string text = "\n" + table.render(colours);
  if (domains.size() > kRowsShown) {
    text += std::to_string(domains.size() - kRowsShown) + " more domains; -o json lists them all\n";
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

std::string pod_explanation_text(const Cluster& cluster, const CycleRecord& record, PodId pod,
                                 const PodExplanation& explanation, Colours colours) {
  const PodSlot& slot = cluster.pods()[pod];
  const PodOutcome& outcome = record.pods[pod];
  std::string title = "pod " + full_name(cluster, slot.pod.name_space, slot.pod.name);
  std::string text =
      styled(title, Style::Bold, colours) + ": " + std::string(to_string(outcome.status));
  if (outcome.node.valid()) text += " on " + cluster.nodes()[outcome.node].name;
  text += ", gang " + std::string(cluster.vocabulary().strings.view(slot.pod.gang)) + "\n";
  text += reason_lines(cluster, record.gangs[slot.gang]);
  text += refusals_text(cluster, explanation) + "\n\n";
  text += nodes_table(cluster, explanation, colours);
  return text + domains_table(cluster, explanation.domains, colours);
}

std::string gang_explanation_text(const Cluster& cluster, const CycleRecord& record, GangId gang,
                                  const std::vector<DomainJudgement>& domains, Colours colours) {
  const Gang& described = cluster.gangs()[gang];
  const GangOutcome& outcome = record.gangs[gang];
  std::string title = "gang " + full_name(cluster, described.name_space, described.name);
  std::string text = styled(title, Style::Bold, colours) + ": " +
                     std::string(to_string(outcome.status)) + ", minimum " +
                     std::to_string(described.min_member) + " of " +
                     std::to_string(cluster.pods_of(gang).size()) + " pods\n";
  text += reason_lines(cluster, outcome);
  return text + domains_table(cluster, domains, colours);
}

}  // namespace trellis
