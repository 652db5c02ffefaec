// What becomes of the ResourceClaims of the pods that a cycle binds.
#pragma once

#include "server/document/document_writer.h"
#include "session/cluster/cluster.h"
#include "session/record/record.h"

namespace trellis {

// A list `claims` by namespace and name: the allocation as `status.allocation` has it, and the pods
// that the claim is reserved for; nothing where no pod that is bound has claims. Cost:
// O(decisions).
void write_device_claims(DocumentWriter& out, const Cluster& cluster, const CycleRecord& record);

}  // namespace trellis
