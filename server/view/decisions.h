// The Decisions document: what one cycle decided, for programs to read.
#pragma once

#include "server/document/document_writer.h"
#include "session/cluster/cluster.h"
#include "session/record/record.h"

namespace trellis {

// Writes and finishes the document. `cycles`: the number of cycles that ran; `record` is of the
// last one. Cost: O(pods + gangs + nodes), and a sort of each by name.
void write_decisions(DocumentWriter& out, const Cluster& cluster, const CycleRecord& record,
                     int64_t cycles);

// Writes the members of one gang's object.
void write_gang(DocumentWriter& out, const Cluster& cluster, const CycleRecord& record,
                GangId gang);

}  // namespace trellis
