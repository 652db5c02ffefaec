#include "server/view/domain_output.h"

#include <algorithm>
#include <utility>

#include "server/view/standing_output.h"
#include "server/view/text_table.h"
#include "server/wording/names_text.h"
#include "server/wording/quantity_text.h"
#include "server/wording/reason_parts.h"
#include "server/wording/reason_text.h"

namespace trellis {
namespace {

void write_segments(DocumentWriter& out, const SegmentFit& segments) {
  if (segments.size == 0) return;
  out.begin_object("segments");
  out.field("size", segments.size);
  out.field("takes", segments.takes);
  out.field("needed", segments.needed);
  out.end_object();
}

std::vector<LeftOut> not_of_room(const std::vector<LeftOut>& left_out) {
  std::vector<LeftOut> others;
  std::copy_if(left_out.begin(), left_out.end(), std::back_inserter(others),
               [](const LeftOut& left) { return !is_of_room(left.count.code); });
  return others;
}

void write_domain(DocumentWriter& out, const Session& session, const DemandExplanation& explanation,
                  const DomainJudgement& judgement, const DomainDetails& details,
                  const DomainWords& words) {
  const Cluster& cluster = session.cluster();
  const ResourceTable& resources = cluster.vocabulary().resources;
  const DemandPart& part = explanation.part_of(judgement);
  out.begin_object();
  write_path(out, name_of(session, judgement.domain));
  out.field(words.pods, judgement.allocatable_pods);
  out.field("needed", judgement.needed);
  out.field("fits", judgement.fits);
  write_shortages(out, resources, "short", explanation.short_of(judgement));
  if (part.subgroup.valid()) {
    out.field("subgroup", cluster.vocabulary().strings.view(part.subgroup));
  }
  if (judgement.later_pods != judgement.allocatable_pods) {
    out.field("laterPods", judgement.later_pods);
  }
  if (judgement.leaders >= 0) out.field("leaders", judgement.leaders);
  if (!judgement.proved) out.field("byCount", true);
  write_segments(out, explanation.segments_of(judgement));
  std::vector<LeftOut> left_out = details.left_out;
  if (!words.of_room) left_out = judgement.fits ? std::vector<LeftOut>() : not_of_room(left_out);
  if (!left_out.empty()) write_left_out(out, cluster, words.left_out, left_out);
  if (details.limited.nodes > 0) write_limit(out, details.limited);
  write_remedy(out, resources, details.remedy);
  out.end_object();
}

// What keeps pods out of a domain that takes them by count; "" for others.
std::string lacks_form(const DemandExplanation& explanation, const DomainJudgement& judgement) {
  bool counts = judgement.allocatable_pods >= judgement.needed;
  if (!counts || !explanation.short_of(judgement).empty()) return "";
  SegmentFit segments = explanation.segments_of(judgement);
  if (segments.takes < segments.needed) return "room for whole segments";
  return explanation.part_of(judgement).rows.size() > 1 ? "no way to place all together" : "";
}

// The missing amounts, then the reasons for which nodes refuse the pods.
std::string obstacles_text(const Session& session, const DemandExplanation& explanation,
                           const DomainJudgement& judgement, const DomainDetails& details) {
  if (judgement.fits) return "-";
  const Cluster& cluster = session.cluster();
  std::vector<std::string> obstacles = {
      amounts_text(cluster.vocabulary().resources, explanation.short_of(judgement)),
      lacks_form(explanation, judgement)};
  for (const LeftOut& left : not_of_room(details.left_out)) {
    std::string nodes = std::to_string(left.count.nodes);
    nodes += left.count.nodes == 1 ? " node " : " nodes ";
    obstacles.push_back(nodes + cause_text(cluster, left));
  }
  if (details.limited.nodes > 0) obstacles.push_back(limit_text(details.limited));
  std::string text;
  for (const std::string& obstacle : obstacles) {
    text += (text.empty() || obstacle.empty() ? "" : "; ") + obstacle;
  }
  return text.empty() ? "-" : text;
}

std::string help_text(const Session& session, const DomainJudgement& judgement,
                      const DomainDetails& details) {
  std::string text = remedy_text(session.cluster().vocabulary().resources, details.remedy,
                                 domain_text(name_of(session, judgement.domain)));
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
std::vector<size_t> by_nearness(const Session& session, const DemandExplanation& explanation,
                                uint32_t part) {
  std::vector<size_t> domains;
  std::vector<size_t> nodes;
  for (size_t i = 0; i < explanation.domains.size(); ++i) {
    const DomainJudgement& judgement = explanation.domains[i];
    if (judgement.part != part) continue;
    bool included = judgement.fits || judgement.needed == 1 || !is_node(session, judgement.domain);
    (included ? domains : nodes).push_back(i);
  }
  if (domains.empty()) domains = std::move(nodes);
  std::stable_sort(domains.begin(), domains.end(), [&](size_t at, size_t other) {
    const DomainJudgement& a = explanation.domains[at];
    const DomainJudgement& b = explanation.domains[other];
    if (a.fits != b.fits) return a.fits;
    if (a.fits) return a.allocatable_pods > b.allocatable_pods;
    return a.needed - a.allocatable_pods < b.needed - b.allocatable_pods;
  });
  return domains;
}

std::string domains_table(const Session& session, const DemandExplanation& explanation,
                          uint32_t index, std::span<const DomainDetails> details, TableForm form) {
  const DemandPart& part = explanation.parts[index];
  std::vector<size_t> domains = by_nearness(session, explanation, index);
  if (domains.empty()) return "";
  bool segmented = explanation.segments_of(explanation.domains[domains.front()]).size > 0;
  std::vector<TextTable::Column> columns = {
      {"LEVEL"}, {"DOMAIN"}, {"FITS"}, {"PODS", Align::Right}};
  if (segmented) columns.push_back({"SEGMENTS", Align::Right});
  columns.push_back({"SHORT OF"});
  columns.push_back({"WHAT WOULD HELP"});
  TextTable table(std::move(columns));
  for (size_t i = 0; i < domains.size() && i < kRowsShown; ++i) {
    const DomainJudgement& judgement = explanation.domains[domains[i]];
    const DomainDetails& found = details[domains[i]];
    DomainName name = name_of(session, judgement.domain);
    std::vector<Cell> row = {{name.level.empty() ? "-" : std::string(short_level(name.level))},
                             {domain_text(name)},
                             fits_cell(judgement),
                             {count_text(judgement.allocatable_pods, judgement.needed)}};
    if (segmented) {
      SegmentFit segments = explanation.segments_of(judgement);
      row.push_back({count_text(segments.takes, segments.needed)});
    }
    row.push_back({obstacles_text(session, explanation, judgement, found)});
    row.push_back({help_text(session, judgement, found)});
    table.add_row(std::move(row));
  }
  std::string text = "\n";
  if (part.subgroup.valid()) {
    std::string name(session.cluster().vocabulary().strings.view(part.subgroup));
    text += styled("subgroup " + name, Style::Bold, form.colours) + "\n";
  }
  if (part.one_more) text += "one pod more:\n";
  return text + table.render(form) + more_text(domains.size(), "domains");
}

}  // namespace

void write_domains(DocumentWriter& out, const Session& session,
                   const DemandExplanation& explanation, std::span<const DomainDetails> details,
                   const DomainWords& words) {
  out.begin_array("domains");
  for (size_t i = 0; i < explanation.domains.size(); ++i) {
    write_domain(out, session, explanation, explanation.domains[i], details[i], words);
  }
  out.end_array();
}

void write_left_out(DocumentWriter& out, const Cluster& cluster, std::string_view key,
                    std::span<const LeftOut> left_out) {
  out.begin_array(key);
  for (const LeftOut& left : left_out) {
    const VerdictCount& count = left.count;
    out.begin_object();
    out.field("code", to_string(count.code));
    if (!count.plugin.empty()) out.field("plugin", count.plugin);
    if (count.code == ReasonCode::InsufficientResource) {
      out.field("resource", cluster.vocabulary().resources.name(count.resource));
    }
    if (left.label.valid()) out.field("label", cluster.vocabulary().strings.view(left.label));
    out.field("nodes", count.nodes);
    out.field("example", cluster.nodes()[count.example].name);
    out.end_object();
  }
  out.end_array();
}

std::string domains_tables(const Session& session, const DemandExplanation& explanation,
                           std::span<const DomainDetails> details, TableForm form) {
  std::string text;
  for (uint32_t part = 0; part < explanation.parts.size(); ++part) {
    text += domains_table(session, explanation, part, details, form);
  }
  return text;
}

std::string cause_text(const Cluster& cluster, const LeftOut& left) {
  const VerdictCount& count = left.count;
  std::string text = reason_text(cluster, NodeReason{count.code, count.plugin, count.resource, 0});
  if (!left.label.valid()) return text;
  std::string_view label = cluster.vocabulary().strings.view(left.label);
  return text + " (" + std::string(short_level(label)) + ")";
}

std::string domain_text(const DomainName& name) {
  if (name.topology.empty()) return "whole cluster";
  return name.path.empty() ? name.topology : path_text(name.path);
}

}  // namespace trellis
