// The zones of a pod's containers, as its annotation trellis.scheduler/numa-hint has them.
#pragma once

#include <vector>

#include "framework/bind_note.h"
#include "server/document/document_writer.h"

namespace trellis {

// "numaZones":{"main":[0]}; nothing where no note names zones.
void write_numa_zones(DocumentWriter& out, const std::vector<BindNote>& notes);

}  // namespace trellis
