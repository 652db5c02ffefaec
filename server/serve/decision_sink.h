// Receives the decisions of cycles and has them carried out.
//
// Guarantees: all calls come from the cycle thread, and none of them waits for anything outside:
// decisions are recorded here and carried out elsewhere. The cluster assumes a decision from the
// next cycle on (ExecutionMode::Assume), until the objects contradict it or it has failed.
#pragma once

#include "framework/string_table.h"
#include "server/sources/object_diff.h"
#include "session/cluster/cluster.h"
#include "session/record/record.h"

namespace trellis {

class DecisionSink {
 public:
  virtual ~DecisionSink() = default;

  // Whether this service may decide now. While it may not, no cycle runs; once it may again,
  // nothing that was assumed before counts.
  virtual bool active() = 0;

  // Takes a finished cycle, and the cluster as that cycle found it. Cost: O(decisions).
  virtual void take(const CycleRecord& record, const Cluster& cluster) = 0;

  // Takes the source's changes, before the cluster takes them. Cost: O(changes).
  virtual void seen(const ObjectChanges& changes, const StringTable& strings) = 0;

  // Returns what has failed for good since the last call: its objects are read again.
  virtual Forgotten failed() = 0;
};

}  // namespace trellis
