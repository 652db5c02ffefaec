// Observes how long gangs run, for gangs whose run time no object states.
//
// Guarantees: a run counts when its gang is gone, or all its pods have finished; a gang whose pods
// wait again was evicted, and does not count.
// Cost: O(pods of the gangs that changed).
#pragma once

#include <absl/container/flat_hash_map.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "framework/run_history.h"
#include "session/cluster/cluster.h"

namespace trellis {

class RunObserver {
 public:
  // Null: nothing was observed yet.
  const std::shared_ptr<const RunHistory>& history() const { return history_; }
  // Forgets what runs.
  void continue_with(std::shared_ptr<const RunHistory> history);

  // These gangs may be new, gone or in another state.
  void note(std::span<const GangId> changed) {
    changed_.insert(changed_.end(), changed.begin(), changed.end());
  }
  // Looks at the gangs that were noted since the last call.
  void observe(const Cluster& cluster, TimeUs now);

 private:
  struct Run {
    TimeUs since = 0;
    std::string queue;
    std::string name_space;
    std::string name;
  };

  void add(const Run& run, TimeUs length);

  std::vector<GangId> changed_;
  absl::flat_hash_map<uint32_t, Run> runs_;  // by gang; never iterated
  std::shared_ptr<const RunHistory> history_;
};

}  // namespace trellis
