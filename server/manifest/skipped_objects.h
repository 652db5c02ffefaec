// Reports, once for the whole input, which objects were skipped: those that no step of reading
// used.
#pragma once

#include <vector>

#include "framework/string_table.h"
#include "server/document/report.h"
#include "server/objects/records.h"

namespace trellis {

// Of owners, which all objects of unknown kinds are. One that names a queue or a scheduler probably
// has pods that are missing from the input: these are a warning, the others a note.
// REQUIRES: OwnerRecord::used is final.
void report_skipped(const std::vector<OwnerRecord>& owners, const StringTable& strings,
                    Report& report);

}  // namespace trellis
