// The Decisions document: what one cycle decided, for programs to read.
#pragma once

#include <vector>

#include "framework/bind_note.h"
#include "server/document/document_writer.h"
#include "session/cluster/cluster.h"
#include "session/record/record.h"

namespace trellis {

// Writes "numaZones":{"main":[0]}, the zones of a pod's containers, as in its annotation
// trellis.scheduler/numa-hint; nothing when no note names zones.
void write_numa_zones(DocumentWriter& out, const std::vector<BindNote>& notes);

// Writes and finishes the document. `cycles`: the number of cycles that ran; `record` is of the
// last one. Cost: O(pods + gangs + nodes), and a sort of each by name.
void write_decisions(DocumentWriter& out, const Cluster& cluster, const CycleRecord& record,
                     int64_t cycles);

// Writes "evictions":[{"namespace","pod","gang","action","by"}] into the open object; by name.
void write_evictions(DocumentWriter& out, const Cluster& cluster, const CycleRecord& record);

// Writes the members of one gang's object.
void write_gang(DocumentWriter& out, const Cluster& cluster, const CycleRecord& record,
                GangId gang);

}  // namespace trellis
