// A cluster whose queues want more than their share, with the actions that settle it.
//
// The shapes are those of KAI-Scheduler's own benchmarks: nodes of 8 GPUs, every pod asks one core
// and one GB beside its GPUs, older gangs first, only GPUs are limited.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "session/cluster/cluster.h"
#include "session/cycle/action.h"
#include "session/cycle/scheduler.h"

namespace trellis::bench {

class QueueWorld {
 public:
  // All plugins, and these actions in their order.
  explicit QueueWorld(std::vector<std::string> actions);

  Cluster& cluster() { return cluster_; }
  Scheduler& scheduler() { return scheduler_; }

  void add_nodes(int32_t count);

  struct QueueShape {
    std::string name;
    std::string parent;  // "": a root
    int64_t gpus = 0;    // quota
    double weight = 1.0;
  };
  void add_queue(const QueueShape& shape);

  struct GangShape {
    std::string name;
    std::string queue;
    int32_t pods = 1;
    int64_t gpus = 1;               // a pod
    int32_t minute = 0;             // of its creation
    std::string required;           // level of topology "hall"
    std::vector<std::string> runs;  // on these nodes, pod by pod; the other pods wait
  };
  GangId add_gang(const GangShape& shape);

  // Opens a session and runs the actions.
  Session& run_actions();

  // What the actions of a session have decided.
  struct Counts {
    int64_t bound = 0;
    int64_t pipelined = 0;
    int64_t evicted = 0;
    bool operator==(const Counts&) const = default;
  };
  static Counts count(const Session& session);

 private:
  explicit QueueWorld(Config config);

  Cluster cluster_;
  std::vector<Action> actions_;
  Scheduler scheduler_;
};

}  // namespace trellis::bench
