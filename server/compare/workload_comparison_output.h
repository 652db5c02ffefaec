// Writes a comparison of workloads as JSON, and as a table.
#pragma once

#include <string>

#include "server/compare/workload_comparison.h"
#include "server/document/document_writer.h"
#include "server/text/style.h"

namespace trellis {

// Writes "workloads":{"added","lost","moved","waiting","removed"} into the open object.
void write_workload_comparison(DocumentWriter& out, const ComparedWorkloads& before,
                               const ComparedWorkloads& after,
                               const WorkloadComparison& comparison);

// A row for each workload that changes; "" when no workload changes.
std::string changed_workloads_table(const ComparedWorkloads& before, const ComparedWorkloads& after,
                                    const WorkloadComparison& comparison, Colours colours);

// `1 workload gets in, 0 are pushed out, 2 move`
std::string changed_workloads_text(const WorkloadComparison& comparison);

}  // namespace trellis
