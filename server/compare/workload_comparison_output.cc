#include "server/compare/workload_comparison_output.h"

#include <string_view>
#include <utility>
#include <vector>

#include "server/compare/change_text.h"
#include "server/view/workload_output.h"

namespace trellis {
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
  std::string more = workload_fate_text(cycle.cluster, cycle.record, id);
  if (!fate->admitted) return more == "-" ? text : text + ": " + more;
  text += " " + std::to_string(count_pods(cycle.cluster, cycle.record, id)) + ", " +
          workload_flavors_text(cycle.cluster, cycle.record, id);
  return more == "-" ? text : text + ", " + more;
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
                                    const WorkloadComparison& comparison, Colours colours) {
  ChangeTable table("WORKLOAD");
  auto add = [&](std::string_view word, Style style, const std::vector<WorkloadChange>& changes) {
    table.add_kind(word, style, changes.size(), [&](size_t i) {
      const WorkloadChange& change = changes[i];
      return ChangeRow{change.name_space + "/" + change.name, fate_text(before, change.before),
                       fate_text(after, change.after)};
    });
  };
  add("added", Style::Good, comparison.added);
  add("lost", Style::Bad, comparison.lost);
  add("moved", Style::Waiting, comparison.moved);
  add("waits", Style::Bad, comparison.waiting);
  add("removed", Style::Dim, comparison.removed);
  return table.render(colours);
}

std::string changed_workloads_text(const WorkloadComparison& comparison) {
  std::string text = count_text(comparison.added.size(), "workload gets in", "workloads get in") +
                     ", " + count_text(comparison.lost.size(), "is pushed out", "are pushed out") +
                     ", " + count_text(comparison.moved.size(), "moves", "move");
  if (comparison.waiting.empty()) return text;
  return text + ", " + count_text(comparison.waiting.size(), "new one waits", "new ones wait");
}

}  // namespace trellis
