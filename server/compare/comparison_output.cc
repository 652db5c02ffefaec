#include "server/compare/comparison_output.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "server/view/text_table.h"
#include "server/view/workload_output.h"
#include "server/wording/names_text.h"
#include "server/wording/quantity_text.h"
#include "server/wording/reason_text.h"

namespace trellis {

void ChangeTable::add_kind(std::string_view word, Style style, size_t count,
                           const std::function<ChangeRow(size_t)>& row) {
  for (size_t i = 0; i < std::min(count, kChangesShown); ++i) {
    rows_.push_back({{std::string(word), style}, row(i)});
  }
  if (count <= kChangesShown) return;
  more_ += grouped_text(static_cast<int64_t>(count - kChangesShown)) + " more " +
           std::string(word) + "; -o json lists them all\n";
}

std::string ChangeTable::render(TableForm form) const {
  if (rows_.empty()) return "";
  bool waits = std::ranges::any_of(rows_, [](const Row& row) { return !row.change.why.empty(); });
  std::vector<TextTable::Column> columns = {
      {"CHANGE"}, {title_}, {"PODS", Align::Right}, {"BEFORE"}, {"AFTER"}};
  if (waits) columns.push_back({"WHY"});
  TextTable table(std::move(columns));
  for (const Row& row : rows_) {
    const ChangeRow& change = row.change;
    std::vector<Cell> cells = {
        row.kind, {change.name}, {change.pods}, {change.before}, {change.after}};
    if (waits) cells.push_back({change.why.empty() ? "-" : change.why});
    table.add_row(std::move(cells));
  }
  return table.render(form) + more_ + "\n";
}

std::string count_text(size_t count, std::string_view verb, std::string_view verbs) {
  return grouped_text(static_cast<int64_t>(count)) + " " + std::string(count == 1 ? verb : verbs);
}

namespace {

void write_fate(DocumentWriter& out, std::string_view key, const ComparedWorkloads& cycle,
                const std::optional<WorkloadFate>& fate) {
  if (!fate) return;
  out.begin_object(key);
  out.field("status", to_string(cycle.record.workloads[fate->workload].status));
  write_admission(out, cycle.cluster, cycle.record, fate->workload);
  out.end_object();
}

std::string fate_text(const ComparedWorkloads& cycle, const std::optional<WorkloadFate>& fate) {
  if (!fate) return "-";
  WorkloadId id = fate->workload;
  std::string text(to_string(cycle.record.workloads[id].status));
  if (!fate->admitted) return text;
  text += ", " + workload_flavors_text(cycle.cluster, cycle.record, id);
  std::string places = workload_fate_text(cycle.cluster, cycle.record, id);
  return places == "-" ? text : text + ", " + places;
}

int64_t pods_in(const ComparedWorkloads& cycle, const std::optional<WorkloadFate>& fate) {
  return fate ? count_pods(cycle.cluster, cycle.record, fate->workload) : 0;
}

// The number before the change and with it; once where it stays, or where there is one only.
std::string both_text(const std::string& before, const std::string& after) {
  if (before.empty() || after.empty() || before == after) return before.empty() ? after : before;
  return before + " -> " + after;
}

ChangeRow row_of(const ComparedWorkloads& before, const ComparedWorkloads& after,
                 const WorkloadChange& change) {
  auto pods = [](const ComparedWorkloads& cycle, const std::optional<WorkloadFate>& fate) {
    return fate ? std::to_string(pods_in(cycle, fate)) : "";
  };
  ChangeRow row{change.name_space + "/" + change.name,
                both_text(pods(before, change.before), pods(after, change.after)),
                fate_text(before, change.before), fate_text(after, change.after), ""};
  if (!change.after || change.after->admitted) return row;
  row.why = workload_fate_text(after.cluster, after.record, change.after->workload);
  if (row.why == "-") row.why.clear();
  return row;
}

}  // namespace

void write_workload_comparison(DocumentWriter& out, const ComparedWorkloads& before,
                               const ComparedWorkloads& after,
                               const WorkloadComparison& comparison) {
  auto write_list = [&](std::string_view key, const std::vector<WorkloadChange>& changes) {
    write_changes(
        out, key, before, after, changes,
        [&](std::string_view side, const ComparedWorkloads& cycle,
            const std::optional<WorkloadFate>& fate) { write_fate(out, side, cycle, fate); });
  };
  out.begin_object("workloads");
  write_list("added", comparison.added);
  write_list("lost", comparison.lost);
  write_list("moved", comparison.moved);
  write_list("waiting", comparison.waiting);
  write_list("removed", comparison.removed);
  out.end_object();
}

std::string changed_workloads_table(const ComparedWorkloads& before, const ComparedWorkloads& after,
                                    const WorkloadComparison& comparison, TableForm form) {
  ChangeTable table("WORKLOAD");
  auto add = [&](std::string_view word, Style style, const std::vector<WorkloadChange>& changes) {
    table.add_kind(word, style, changes.size(),
                   [&](size_t i) { return row_of(before, after, changes[i]); });
  };
  add("added", Style::Good, comparison.added);
  add("lost", Style::Bad, comparison.lost);
  add("moved", Style::Waiting, comparison.moved);
  add("waits", Style::Bad, comparison.waiting);
  add("removed", Style::Dim, comparison.removed);
  return table.render(form);
}

std::string changed_workloads_text(const WorkloadComparison& comparison) {
  std::string text = count_text(comparison.added.size(), "workload gets in", "workloads get in") +
                     ", " + count_text(comparison.lost.size(), "is pushed out", "are pushed out") +
                     ", " + count_text(comparison.moved.size(), "moves", "move");
  if (comparison.waiting.empty()) return text;
  return text + ", " + count_text(comparison.waiting.size(), "new one waits", "new ones wait");
}

namespace {

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

// ` on n1 (2) n2`: with the number of pods, where it is more than one.
std::string nodes_text(const GangFate& fate) {
  std::vector<std::string> nodes;
  for (size_t i = 0; i < fate.nodes.size();) {
    size_t next = i;
    while (next < fate.nodes.size() && fate.nodes[next] == fate.nodes[i]) ++next;
    nodes.push_back(fate.nodes[i] + (next - i > 1 ? " (" + std::to_string(next - i) + ")" : ""));
    i = next;
  }
  return " on " + names_text(nodes);
}

// A gang without a domain is on nodes.
std::string fate_text(const ComparedCycle& cycle, const std::optional<GangFate>& fate) {
  if (!fate) return "-";
  std::string text(to_string(fate->status));
  if (fate->placed == 0) return text;
  const GangOutcome& outcome = cycle.record.gangs[fate->gang];
  return text + (outcome.placement ? placement_text(outcome) : nodes_text(*fate));
}

std::string pods_text(const std::optional<GangFate>& fate) {
  return fate ? std::to_string(fate->placed) + "/" + std::to_string(fate->pods) : "";
}

// Why pods of the gang wait with the change; of a gang that goes, before it.
std::string why_text(const ComparedCycle& cycle, const std::optional<GangFate>& fate) {
  if (!fate || fate->placed == fate->pods) return "";
  const std::vector<Reason>& reasons = cycle.record.gangs[fate->gang].reasons;
  return reasons.empty() ? "" : reason_text(cycle.engine.cluster(), reasons.front());
}

// Both outcomes as texts, with the nodes where the texts are equal otherwise.
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

std::string gangs_table(const ComparedCycle& before, const ComparedCycle& after,
                        const Comparison& comparison, TableForm form) {
  ChangeTable table("GANG");
  auto add = [&](std::string_view word, Style style, const std::vector<GangChange>& changes) {
    table.add_kind(word, style, changes.size(), [&](size_t i) {
      const GangChange& change = changes[i];
      auto [was, is] = fate_texts(before, after, change);
      return ChangeRow{change.name_space + "/" + change.name,
                       both_text(pods_text(change.before), pods_text(change.after)), std::move(was),
                       std::move(is), why_text(after, change.after)};
    });
  };
  add("added", Style::Good, comparison.added);
  add("lost", Style::Bad, comparison.lost);
  add("moved", Style::Waiting, comparison.moved);
  add("resized", Style::Waiting, comparison.resized);
  add("waits", Style::Bad, comparison.waiting);
  add("removed", Style::Dim, comparison.removed);
  return table.render(form);
}

std::string domains_table(const std::vector<DomainChange>& domains, TableForm form) {
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
  std::string text = table.render(form);
  if (domains.size() > kChangesShown) {
    text += grouped_text(static_cast<int64_t>(domains.size() - kChangesShown)) +
            " more domains; -o json lists them all\n";
  }
  return text + "\n";
}

// `8 -> 4 of 8`, or `8 of 8 -> 4 of 4` where the change opens or closes nodes.
std::string gpus_text(const CycleSummary& before, const CycleSummary& after) {
  int64_t usable_before = before.gpus - before.gpus_closed;
  int64_t usable = after.gpus - after.gpus_closed;
  if (usable_before == usable) {
    return arrow(before.gpus_used, after.gpus_used) + " of " + grouped_text(usable);
  }
  return grouped_text(before.gpus_used) + " of " + grouped_text(usable_before) + " -> " +
         grouped_text(after.gpus_used) + " of " + grouped_text(usable);
}

ComparedWorkloads workloads_of(const ComparedCycle& cycle) {
  return {cycle.engine.cluster(), cycle.record};
}

std::string summary_text(const Comparison& comparison) {
  std::string text = count_text(comparison.added.size(), "gang gets in", "gangs get in") + ", " +
                     count_text(comparison.lost.size(), "is pushed out", "are pushed out") + ", " +
                     count_text(comparison.moved.size(), "moves", "move");
  if (!comparison.resized.empty()) {
    text += ", " + count_text(comparison.resized.size(), "changes size", "change size");
  }
  if (!comparison.waiting.empty()) {
    text += ", " + count_text(comparison.waiting.size(), "new one waits", "new ones wait");
  }
  if (comparison.workloads.any_workload)
    text += "; " + changed_workloads_text(comparison.workloads);
  if (comparison.before.gpus > 0 || comparison.after.gpus > 0) {
    text += "; GPUs used: " + gpus_text(comparison.before, comparison.after);
  }
  return text + "; domains spanned: " + arrow(comparison.before.domains, comparison.after.domains);
}

}  // namespace

void write_comparison(DocumentWriter& out, const ComparedCycle& before, const ComparedCycle& after,
                      const Comparison& comparison) {
  auto write_gangs = [&](std::string_view key, const std::vector<GangChange>& changes) {
    write_changes(out, key, before, after, changes,
                  [&](std::string_view side, const ComparedCycle& cycle,
                      const std::optional<GangFate>& fate) { write_fate(out, side, cycle, fate); });
  };
  out.begin_object();
  write_gangs("added", comparison.added);
  write_gangs("lost", comparison.lost);
  write_gangs("moved", comparison.moved);
  write_gangs("resized", comparison.resized);
  write_numbers(out, "gpus", comparison.before.gpus_used, comparison.after.gpus_used);
  write_domains(out, comparison.domains);
  write_numbers(out, "domainsSpanned", comparison.before.domains, comparison.after.domains);
  write_gangs("waiting", comparison.waiting);
  write_gangs("removed", comparison.removed);
  write_workload_comparison(out, workloads_of(before), workloads_of(after), comparison.workloads);
  out.end_object();
  out.finish();
}

std::string comparison_text(const ComparedCycle& before, const ComparedCycle& after,
                            const Comparison& comparison, TableForm form) {
  std::string text = gangs_table(before, after, comparison, form) +
                     changed_workloads_table(workloads_of(before), workloads_of(after),
                                             comparison.workloads, form);
  if (text.empty()) {
    text = comparison.workloads.any_workload ? "no gang and no workload changes\n\n"
                                             : "no gang changes\n\n";
  }
  return text + domains_table(comparison.domains, form) +
         styled(summary_text(comparison), Style::Bold, form.colours) + "\n";
}

}  // namespace trellis
