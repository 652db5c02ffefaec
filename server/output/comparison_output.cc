#include "server/output/comparison_output.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "server/output/quantity_text.h"
#include "server/output/reason_text.h"
#include "server/output/text_table.h"

namespace trellis {
namespace {

constexpr size_t kChangesShown = 40;
constexpr size_t kNodesNamed = 3;

void write_fate(DocumentWriter& out, std::string_view key, const ComparedCycle& cycle,
                const std::optional<GangFate>& fate) {
  if (!fate) return;
  const GangOutcome& outcome = cycle.record.gangs[fate->gang];
  out.begin_object(key);
  out.field("status", to_string(fate->status));
  out.field("pods", fate->pods);
  out.field("placed", fate->placed);
  if (outcome.placement) {
    out.begin_object("placement");
    out.field("topology", outcome.placement->topology);
    if (!outcome.placement->level.empty()) out.field("level", outcome.placement->level);
    out.begin_array("domain");
    for (const std::string& value : outcome.placement->domain) out.text(value);
    out.end_array();
    out.end_object();
  }
  out.begin_array("nodes");
  for (const std::string& node : fate->nodes) out.text(node);
  out.end_array();
  if (!outcome.reasons.empty()) {
    out.begin_array("reasons");
    for (const Reason& reason : outcome.reasons) {
      write_reason(out, cycle.engine.cluster(), reason);
    }
    out.end_array();
  }
  out.end_object();
}

void write_gangs(DocumentWriter& out, std::string_view key, const ComparedCycle& before,
                 const ComparedCycle& after, const std::vector<GangChange>& changes) {
  out.begin_array(key);
  for (const GangChange& change : changes) {
    out.begin_object();
    out.field("namespace", change.name_space);
    out.field("name", change.name);
    write_fate(out, "before", before, change.before);
    write_fate(out, "after", after, change.after);
    out.end_object();
  }
  out.end_array();
}

void write_numbers(DocumentWriter& out, std::string_view key, int64_t before, int64_t after) {
  out.begin_object(key);
  out.field("before", before);
  out.field("after", after);
  out.end_object();
}

void write_domains(DocumentWriter& out, const std::vector<DomainChange>& domains) {
  out.begin_array("domains");
  for (const DomainChange& change : domains) {
    out.begin_object();
    out.field("topology", change.domain.topology);
    if (!change.domain.level.empty()) out.field("level", change.domain.level);
    out.begin_array("path");
    for (const std::string& value : change.domain.domain) out.text(value);
    out.end_array();
    write_numbers(out, "gangs", change.before.gangs, change.after.gangs);
    write_numbers(out, "gpus", change.before.gpus, change.after.gpus);
    out.end_object();
  }
  out.end_array();
}

std::string placement_text(const GangOutcome& outcome) {
  if (!outcome.placement) return "";
  if (outcome.placement->domain.empty()) return ", whole topology";
  return ", " + std::string(short_level(outcome.placement->level)) + " " +
         path_text(outcome.placement->domain);
}

std::string fate_text(const ComparedCycle& cycle, const std::optional<GangFate>& fate) {
  if (!fate) return "-";
  const GangOutcome& outcome = cycle.record.gangs[fate->gang];
  std::string text(to_string(fate->status));
  text += " " + std::to_string(fate->placed) + "/" + std::to_string(fate->pods);
  if (fate->placed > 0) text += placement_text(outcome);
  if (fate->placed < fate->pods && !outcome.reasons.empty()) {
    text += ": " + reason_text(cycle.engine.cluster(), outcome.reasons.front());
  }
  return text;
}

std::string nodes_text(const GangFate& fate) {
  std::vector<std::string> nodes = fate.nodes;
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  std::string text = " on";
  for (size_t i = 0; i < nodes.size() && i < kNodesNamed; ++i) text += " " + nodes[i];
  if (nodes.size() > kNodesNamed) text += " +" + std::to_string(nodes.size() - kNodesNamed);
  return text;
}

// Nodes are named where nothing else tells the two apart.
std::pair<std::string, std::string> fate_texts(const ComparedCycle& before,
                                               const ComparedCycle& after,
                                               const GangChange& change) {
  std::pair<std::string, std::string> texts(fate_text(before, change.before),
                                            fate_text(after, change.after));
  if (texts.first == texts.second && change.before && change.after) {
    texts.first += nodes_text(*change.before);
    texts.second += nodes_text(*change.after);
  }
  return texts;
}

std::string arrow(int64_t before, int64_t after) {
  if (before == after) return grouped_text(after);
  return grouped_text(before) + " -> " + grouped_text(after);
}

// As many rows of each kind as have room.
std::string gangs_table(const ComparedCycle& before, const ComparedCycle& after,
                        const Comparison& comparison, Colours colours) {
  struct Kind {
    std::string_view word;
    Style style;
    const std::vector<GangChange>& changes;
  };
  const Kind kinds[] = {{"added", Style::Good, comparison.added},
                        {"lost", Style::Bad, comparison.lost},
                        {"moved", Style::Waiting, comparison.moved},
                        {"waits", Style::Bad, comparison.waiting},
                        {"removed", Style::Dim, comparison.removed}};
  TextTable table({{"CHANGE"}, {"GANG"}, {"BEFORE"}, {"AFTER"}});
  std::string more;
  bool any = false;
  for (const Kind& kind : kinds) {
    for (size_t i = 0; i < kind.changes.size() && i < kChangesShown; ++i) {
      const GangChange& change = kind.changes[i];
      any = true;
      auto [was, is] = fate_texts(before, after, change);
      table.add_row({{std::string(kind.word), kind.style},
                     {change.name_space + "/" + change.name},
                     {std::move(was)},
                     {std::move(is)}});
    }
    if (kind.changes.size() <= kChangesShown) continue;
    more += grouped_text(static_cast<int64_t>(kind.changes.size() - kChangesShown)) + " more " +
            std::string(kind.word) + "; -o json lists them all\n";
  }
  return any ? table.render(colours) + more + "\n" : "no gang changes\n\n";
}

std::string domains_table(const std::vector<DomainChange>& domains, Colours colours) {
  if (domains.empty()) return "";
  TextTable table({{"LEVEL"}, {"DOMAIN"}, {"GANGS", Align::Right}, {"GPUS USED", Align::Right}});
  for (size_t i = 0; i < domains.size() && i < kChangesShown; ++i) {
    const DomainChange& change = domains[i];
    const GangPlacement& domain = change.domain;
    table.add_row({{domain.level.empty() ? "-" : std::string(short_level(domain.level))},
                   {domain.domain.empty() ? domain.topology : path_text(domain.domain)},
                   {arrow(change.before.gangs, change.after.gangs)},
                   {arrow(change.before.gpus, change.after.gpus)}});
  }
  std::string text = table.render(colours);
  if (domains.size() > kChangesShown) {
    text += grouped_text(static_cast<int64_t>(domains.size() - kChangesShown)) +
            " more domains; -o json lists them all\n";
  }
  return text + "\n";
}

std::string gangs_text(size_t count, std::string_view verb, std::string_view verbs) {
  return grouped_text(static_cast<int64_t>(count)) + " " + std::string(count == 1 ? verb : verbs);
}

}  // namespace

void write_comparison(DocumentWriter& out, const ComparedCycle& before, const ComparedCycle& after,
                      const Comparison& comparison) {
  out.begin_object();
  write_gangs(out, "added", before, after, comparison.added);
  write_gangs(out, "lost", before, after, comparison.lost);
  write_gangs(out, "moved", before, after, comparison.moved);
  write_numbers(out, "gpus", comparison.before.gpus_used, comparison.after.gpus_used);
  write_domains(out, comparison.domains);
  write_numbers(out, "domainsSpanned", comparison.before.domains, comparison.after.domains);
  write_gangs(out, "waiting", before, after, comparison.waiting);
  write_gangs(out, "removed", before, after, comparison.removed);
  out.end_object();
  out.finish();
}

std::string comparison_text(const ComparedCycle& before, const ComparedCycle& after,
                            const Comparison& comparison, Colours colours) {
  std::string summary = gangs_text(comparison.added.size(), "gang gets in", "gangs get in") + ", " +
                        gangs_text(comparison.lost.size(), "is pushed out", "are pushed out") +
                        ", " + gangs_text(comparison.moved.size(), "moves", "move");
  if (!comparison.waiting.empty()) {
    summary += ", " + gangs_text(comparison.waiting.size(), "new one waits", "new ones wait");
  }
  summary += "; GPUs used: " + arrow(comparison.before.gpus_used, comparison.after.gpus_used) +
             " of " + grouped_text(comparison.after.gpus) +
             "; domains spanned: " + arrow(comparison.before.domains, comparison.after.domains);
  return gangs_table(before, after, comparison, colours) +
         domains_table(comparison.domains, colours) + styled(summary, Style::Bold, colours) + "\n";
}

}  // namespace trellis
