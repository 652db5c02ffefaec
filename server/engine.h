// The living cluster and its scheduler, put together from a configuration.
#pragma once

#include <cstdint>
#include <memory>

#include "framework/config.h"
#include "framework/time.h"
#include "server/simulate/save.h"
#include "session/cluster.h"
#include "session/record.h"
#include "session/scheduler.h"

namespace trellis {

class Engine {
 public:
  explicit Engine(const Config& config);

  Cluster& cluster() { return cluster_; }
  const Cluster& cluster() const { return cluster_; }
  Vocabulary& vocabulary() { return cluster_.vocabulary(); }
  Scheduler& scheduler() { return scheduler_; }

  // Runs cycles, one `period` apart; between them time passes for the pods (simulate/). Gives the
  // last one's record. The cluster stands as that last cycle found it. REQUIRES: cycles >= 1.
  std::shared_ptr<const CycleRecord> run(TimeUs now, int64_t cycles);

  // What was written on the pods that these cycles bound, and that still stand.
  const BindNotes& notes() const { return notes_; }

 private:
  TimeUs period_;
  Cluster cluster_;
  Scheduler scheduler_;
  BindNotes notes_;
};

}  // namespace trellis
