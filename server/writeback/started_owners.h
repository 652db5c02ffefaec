// The pods of Jobs whose workloads a cycle admitted, as the next cycle finds them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "server/manifest/manifest.h"
#include "server/writeback/save.h"
#include "session/cluster/cluster.h"
#include "session/record/record.h"

namespace trellis {

// Adds the pods, and their gangs, to the cluster, and their text to `objects`. REQUIRES:
// pass_time() was called with this record. O(objects) when some Job starts.
struct OwnerStarts {
  std::vector<RawObject>& objects;
  SavedWorkloads workloads;
  std::span<const std::string> scheduler_names;  // as in ReadingSettings
};
void start_owners(Cluster& cluster, const CycleRecord& record, const OwnerStarts& starts);

}  // namespace trellis
