// Writes comparisons of gangs and of workloads as JSON, and as tables.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "server/compare/comparison.h"
#include "server/document/document_writer.h"
#include "server/view/text_table.h"

namespace trellis {

// Rows and counts of the changes between two cycles.

// The maximum number of rows for each kind of change.
inline constexpr size_t kChangesShown = 40;

struct ChangeRow {
  std::string name;
  std::string pods;  // `2/2 -> 0/2`
  std::string before;
  std::string after;
  std::string why;  // it waits with the change; "": it does not
};

class ChangeTable {
 public:
  explicit ChangeTable(std::string title) : title_(std::move(title)) {}

  // Adds the first of `count` rows, at most kChangesShown; `row(i)` makes one.
  void add_kind(std::string_view word, Style style, size_t count,
                const std::function<ChangeRow(size_t)>& row);

  // The table, the number of rows that are left out, and an empty line; "" without any row.
  std::string render(TableForm form) const;

 private:
  struct Row {
    Cell kind;
    ChangeRow change;
  };

  std::string title_;
  std::vector<Row> rows_;
  std::string more_;
};

// `"KEY":[{"namespace","name","before","after"}]`; `write_fate(key, cycle, fate)` writes the last
// two, of the cycle before the change and of the one with it.
template <typename Cycle, typename Change, typename WriteFate>
void write_changes(DocumentWriter& out, std::string_view key, const Cycle& before,
                   const Cycle& after, const std::vector<Change>& changes,
                   const WriteFate& write_fate) {
  out.begin_array(key);
  for (const Change& change : changes) {
    out.begin_object();
    out.field("namespace", change.name_space);
    out.field("name", change.name);
    write_fate("before", before, change.before);
    write_fate("after", after, change.after);
    out.end_object();
  }
  out.end_array();
}

// `1 moves`, `2 move`.
std::string count_text(size_t count, std::string_view verb, std::string_view verbs);

// Writes "workloads":{"added","lost","moved","waiting","removed"} into the open object.
void write_workload_comparison(DocumentWriter& out, const ComparedWorkloads& before,
                               const ComparedWorkloads& after,
                               const WorkloadComparison& comparison);

// A row for each workload that changes; "" when no workload changes.
std::string changed_workloads_table(const ComparedWorkloads& before, const ComparedWorkloads& after,
                                    const WorkloadComparison& comparison, TableForm form);

// `1 workload gets in, 0 are pushed out, 2 move`
std::string changed_workloads_text(const WorkloadComparison& comparison);

// {"added","lost","moved","resized","gpus","domains","domainsSpanned","waiting","removed",
// "workloads"}; writes and finishes the document.
void write_comparison(DocumentWriter& out, const ComparedCycle& before, const ComparedCycle& after,
                      const Comparison& comparison);

std::string comparison_text(const ComparedCycle& before, const ComparedCycle& after,
                            const Comparison& comparison, TableForm form);

}  // namespace trellis
