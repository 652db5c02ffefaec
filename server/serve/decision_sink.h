// Where a cycle's decisions go to be carried out.
//
// Guarantees: all calls come from the cycle thread, and none of them waits for anything outside:
// decisions are noted here and carried out elsewhere. What is decided is assumed by the cluster
// from the next cycle on (ExecutionMode::Assume), until the objects say otherwise or it has failed.
#pragma once

#include "framework/string_table.h"
#include "server/sources/object_diff.h"
#include "session/cluster/cluster.h"
#include "session/record/record.h"

namespace trellis {

class DecisionSink {
 public:
  virtual ~DecisionSink() = default;

  // Whether it is for us to decide now. While it is not, no cycle runs; once it is again, nothing
  // that was assumed before counts.
  virtual bool active() = 0;

  // A finished cycle, and the cluster as it found it. Cost: O(decisions).
  virtual void take(const CycleRecord& record, const Cluster& cluster) = 0;

  // The source's changes, before the cluster takes it. Cost: O(changes).
  virtual void seen(const ObjectChanges& changes, const StringTable& strings) = 0;

  // What has failed for good since it was last asked: its objects are read again.
  virtual Forgotten failed() = 0;
};

}  // namespace trellis
