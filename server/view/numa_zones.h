// The zones of a pod's containers, as in its annotation trellis.scheduler/numa-hint.
#pragma once

#include <vector>

#include "framework/bind_note.h"
#include "server/document/document_writer.h"

namespace trellis {

// Writes "numaZones":{"main":[0]}; nothing when no note names zones.
void write_numa_zones(DocumentWriter& out, const std::vector<BindNote>& notes);

}  // namespace trellis
