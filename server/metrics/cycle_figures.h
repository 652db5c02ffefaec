// The figures of one cycle and of a live cluster: filled in by the caller, counted by Metrics.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "framework/decision.h"
#include "framework/resources.h"

namespace trellis {

struct NamedTime {
  std::string name;
  int64_t ns = 0;
};

struct DecisionCount {
  std::string action;
  Decision::Kind kind = Decision::Kind::Bind;
  int64_t pods = 0;
};

struct PendingCount {
  std::string code;  // of the gang's first reason
  int64_t gangs = 0;
};

struct CycleFigures {
  int64_t cycle_ns = 0;
  std::vector<NamedTime> actions;
  std::vector<NamedTime> plugins;
  std::vector<int64_t> gang_decision_ns;  // one for each gang that was looked at
  std::vector<DecisionCount> decisions;
  std::vector<PendingCount> pending;
  std::vector<std::pair<std::string, int64_t>> workload_decisions;  // how many, by kind
  int64_t gangs = 0;
  int64_t pods = 0;
  int64_t nodes = 0;
  int64_t gpus = 0;
  int64_t gpus_used = 0;
  int64_t gpus_closed = 0;   // idle on closed nodes
  int64_t input_errors = 0;  // in the current input
  int64_t files_read = 0;    // since the last cycle
};

// Figures of one kind that is watched in a live cluster; all but `objects` count since its watch
// began.
struct WatchedKindFigures {
  std::string kind;
  int64_t objects = 0;
  int64_t events = 0;
  int64_t lists = 0;
  int64_t watches = 0;
  int64_t failures = 0;
  int64_t broken = 0;
};

// Counts of binds and evictions in a live cluster, since the service began.
struct BindFigures {
  int64_t sent = 0;       // binds, with those that were sent again
  int64_t bound = 0;      // that the API server reported as done
  int64_t confirmed = 0;  // that the watch reported
  int64_t failed = 0;     // forgotten or lost
  int64_t retried = 0;    // binds and evictions that were sent again
  int64_t evictions_sent = 0;
  int64_t evicted = 0;  // that the API server accepted
  int64_t evictions_failed = 0;
  int64_t open = 0;                 // orders that the watch has not confirmed
  std::vector<int64_t> latency_ms;  // from decision to answer, of each bind; since last taken
};

// Counts of what was written back to a live cluster, since the service began.
struct StatusFigures {
  int64_t written = 0;
  int64_t again = 0;    // tried once more: another write came first, or the server could not
  int64_t refused = 0;  // by the server, for good
  int64_t events = 0;   // written
  int64_t events_dropped = 0;

  void add(const StatusFigures& more) {
    written += more.written;
    again += more.again;
    refused += more.refused;
    events += more.events;
    events_dropped += more.events_dropped;
  }
};

// Pods that the other scheduler bound beside a dry run, so far.
struct ComparisonCounts {
  int64_t same = 0;       // on the node of our decision
  int64_t elsewhere = 0;  // on another node
  int64_t waiting = 0;    // that waited by our decision
};

// Figures of the leader election.
struct ElectionFigures {
  bool leads = false;
  int64_t failures = 0;  // so far
};

// Amounts of one resource, in its unit (framework/resources.h), over all domains of a level.
struct LevelResource {
  std::string resource;
  Unit unit = Unit::Count;
  int64_t allocatable = 0;
  int64_t used = 0;
};

struct LevelFigures {
  std::string topology;
  std::string level;
  std::vector<LevelResource> resources;
  int64_t largest_gang_milli = 0;  // GPUs of the largest gang of equal pods that one domain takes
  int64_t largest_gang_nodes = 0;  // most wholly free nodes in one domain
};

// Nodes that waiting gangs want.
struct NodesWantedFigures {
  std::string shape;   // what one of their pods requests
  std::string domain;  // "": any node of the cluster would do
  int64_t nodes = 0;
};

// Devices for claims, of one driver.
struct DeviceFigures {
  std::string driver;
  int64_t devices = 0;
  int64_t held = 0;         // as a whole, or in part
  int64_t overlapping = 0;  // of the others, those that devices which are held exclude
  int64_t tainted = 0;      // of the others
};

// Free GPUs of open nodes, in thousandths (session/explain/gpu_report.h).
struct GpuFigures {
  int64_t free = 0;
  double fragmentation = 0;
  std::vector<std::pair<std::string, int64_t>> stranded;  // by cause
};

}  // namespace trellis
