// Writes a comparison of gangs as JSON, and as a table.
#pragma once

#include <string>

#include "server/compare/comparison.h"
#include "server/document/document_writer.h"
#include "server/text/style.h"

namespace trellis {

// {"added","lost","moved","resized","gpus","domains","domainsSpanned","waiting","removed",
// "workloads"}; writes and finishes the document.
void write_comparison(DocumentWriter& out, const ComparedCycle& before, const ComparedCycle& after,
                      const Comparison& comparison);

std::string comparison_text(const ComparedCycle& before, const ComparedCycle& after,
                            const Comparison& comparison, Colours colours);

}  // namespace trellis
