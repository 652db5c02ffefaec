// The pods that the next cycle finds of Jobs whose workloads a cycle admitted.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "server/manifest/manifest.h"
#include "server/writeback/save.h"
#include "session/cluster/cluster.h"
#include "session/record/record.h"

namespace trellis {

// Adds them, and their gangs, to the cluster, and their text to `objects`.
// REQUIRES: pass_time() with this record. O(objects) when some Job starts.
struct OwnerStarts {
  std::vector<RawObject>& objects;
  SavedWorkloads workloads;
  std::span<const std::string> scheduler_names;  // as hold_others() has it
};
void start_owners(Cluster& cluster, const CycleRecord& record, const OwnerStarts& starts);

}  // namespace trellis
