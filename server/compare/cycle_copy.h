// A finished cycle, copied to be run again with a change.
//
// Guarantees: the engine that ran the cycle is not touched. Without a change the copy decides what
// the cycle decided.
// Cost: a copy of the cluster's records, and a cycle on a cluster that is new to it.
#pragma once

#include <memory>

#include "framework/time.h"
#include "server/compare/changed_cycle.h"
#include "server/engine/engine.h"
#include "session/cluster/objects.h"

namespace trellis {

class CycleCopy {
 public:
  // REQUIRES: the engine's cluster is as its last cycle found it. The engine outlives the copy.
  explicit CycleCopy(Engine& engine);

  // The objects as the cycle found them, with ids of vocabulary().
  Objects& objects() { return objects_; }
  const Objects& objects() const { return objects_; }
  // The cluster that was copied.
  const Cluster& original() const { return original_; }
  Vocabulary& vocabulary() { return copy_->vocabulary(); }

  // Runs the cycle on the objects as they are by now. Once.
  ChangedCycle run(TimeUs now);

 private:
  const Cluster& original_;
  std::unique_ptr<Engine> copy_;
  Objects objects_;
};

}  // namespace trellis
