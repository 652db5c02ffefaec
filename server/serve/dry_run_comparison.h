// Compares a dry run's decisions with those of the scheduler beside it: for each pod that the other
// scheduler binds, the node of our last decision.
//
// The cycle thread writes; any thread may read. Cost: O(pods that changed, wait or
// were decided about) a cycle; of the differences the newest kMostKept are kept. Evictions are not
// compared.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "framework/time.h"
#include "server/log/log.h"
#include "server/metrics/cycle_figures.h"
#include "session/cluster/cluster.h"
#include "session/cluster/objects.h"
#include "session/record/record.h"

namespace trellis {

class DryRunComparison {
 public:
  static constexpr size_t kMostKept = 1000;

  // `log` must outlive it.
  explicit DryRunComparison(Log& log) : log_(log) {}

  // Takes a cycle that ran on this cluster and whose decisions are only shown, and what changed
  // before the cycle.
  void take(const CycleRecord& record, const std::vector<ObjectChanges>& changes,
            const Cluster& cluster);

  ComparisonCounts figures() const;
  // {"same": ..., "elsewhere": ..., "waiting": ..., "differences": [...]}, the newest first.
  std::string json() const;

 private:
  // Our last decision about a pod that waits.
  struct Choice {
    std::string uid;
    std::string node;    // empty: the pod waits
    std::string domain;  // of its gang; empty: none
    TimeUs since = 0;
    int64_t cycle = 0;  // the last one that decided so
  };
  struct Difference {
    std::string pod;
    Choice ours;
    std::string theirs;
    TimeUs seen = 0;
  };
  void look(const Pod& pod, const Cluster& cluster, TimeUs now);
  void compare(const std::string& pod, const Choice& ours, const std::string& theirs, TimeUs now);
  void choose(const Decision& decision, const CycleRecord& record, const Cluster& cluster);

  Log& log_;
  std::map<std::string, Choice, std::less<>> choices_;  // by NAMESPACE/NAME; of the cycle thread
  int64_t cycle_ = 0;
  size_t lines_ = 0;  // of the log, about this cycle
  mutable std::mutex mutex_;
  ComparisonCounts figures_;            // guarded by mutex_
  std::deque<Difference> differences_;  // guarded by mutex_; the newest first
};

}  // namespace trellis
