// The configuration, decoded. Defaults here are the defaults; server/config reads and prints them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "framework/backfill.h"
#include "framework/daily_window.h"
#include "framework/time.h"

namespace trellis {

// Fragmentation, of GPUs only: what is left is to be useful for the pods that are likely to come.
enum class Strategy : uint8_t { Binpack, Spread, Fragmentation };

struct PluginConfig {
  bool enabled = true;
  double weight = 1.0;
  std::string arguments_json = "{}";             // as they were written
  std::map<std::string, std::string> arguments;  // the arguments that the plugin reads, as text

  std::string argument(const std::string& key) const;  // "" where it is not given
  bool operator==(const PluginConfig&) const = default;
};

struct PlacementStrategy {
  Strategy gpu = Strategy::Fragmentation;
  Strategy cpu = Strategy::Binpack;
  Strategy domain = Strategy::Binpack;
  bool operator==(const PlacementStrategy&) const = default;
};

enum class PlacementProfile : uint8_t { Trellis, Kueue };
enum class ReclaimResolve : uint8_t { Lca, Queue };

struct QueuesConfig {
  bool full_hierarchy = true;
  bool allow_consolidating_reclaim = true;
  double k_value = 1.0;
  TimeUs default_preempt_min_runtime_us = 0;
  TimeUs default_reclaim_min_runtime_us = 0;
  ReclaimResolve reclaim_resolve_method = ReclaimResolve::Lca;
  Backfill backfill = Backfill::Easy;        // of queues that do not state their own
  double run_time_quantile = 0;              // of past runs, where no run time is stated; 0: off
  std::string usage;                         // the file that past_usage was read from; "": none
  std::map<std::string, double> past_usage;  // GPU-hours by queue
  bool operator==(const QueuesConfig&) const = default;
};

// Settings of waitForPodsReady: a workload whose pods do not become ready in time makes room for
// others.
struct WaitForPodsReady {
  TimeUs timeout_us = 0;           // since admission; 0: off
  TimeUs recovery_timeout_us = 0;  // since ready pods stopped being ready; 0: off
  bool block_admission = false;    // nothing is admitted while pods of some workload are not ready
  bool operator==(const WaitForPodsReady&) const = default;
};

enum class RequeueTime : uint8_t { Eviction, Creation };

// How workloads that were evicted for that come back (waitForPodsReady.requeuingStrategy).
struct RequeuingStrategy {
  RequeueTime timestamp = RequeueTime::Eviction;
  TimeUs backoff_base_us = 60 * kSecondUs;  // doubled each further time
  TimeUs backoff_max_us = 3600 * kSecondUs;
  int64_t backoff_limit = -1;  // times it may come back; -1: no limit
  bool operator==(const RequeuingStrategy&) const = default;
};

struct Limits {
  int64_t consolidation_victims = 16;                 // -1: no limit
  int64_t search_budget = 2'000'000;                  // work of one gang's search
  TimeUs staleness_grace_period_us = 60 * kSecondUs;  // negative: never
  TimeUs leaving_grace_period_us = 120 * kSecondUs;   // negative: for ever
  TimeUs reserve_after_us = 0;                        // 0: off
  int64_t look_ahead = 16;                            // gangs; 0: off
  bool operator==(const Limits&) const = default;
};

// Moves of running gangs that enlarge the room which is left, while no gang waits for it.
struct Defragmentation {
  bool enabled = false;
  DailyWindow window;
  int64_t max_moved_gpus_per_hour = 8;
  double min_gain = 0.5;  // GPUs of gain for each GPU that moves
  bool operator==(const Defragmentation&) const = default;
};

// ProvisioningRequests, by which a cluster autoscaler is asked for nodes that take a gang together.
struct NodeRequests {
  std::string provisioning_class;    // ""; none are made
  TimeUs after_us = 10 * kSecondUs;  // a gang waits for so long first
  bool operator==(const NodeRequests&) const = default;
};

struct Config {
  std::vector<std::string> actions = {"admit",   "allocate",          "consolidation",  "reclaim",
                                      "preempt", "stalegangeviction", "defragmentation"};
  std::map<std::string, PluginConfig> plugins;  // only those that differ from the default
  PlacementStrategy placement_strategy;
  PlacementProfile placement_profile = PlacementProfile::Trellis;
  std::map<std::string, bool> kueue_feature_gates;
  WaitForPodsReady wait_for_pods_ready;
  QueuesConfig queues;
  Limits limits;
  Defragmentation defragmentation;
  NodeRequests node_requests;
  std::vector<std::string> scheduler_names;  // empty: every pod
  TimeUs period_us = kSecondUs;
  RequeuingStrategy requeuing;
  // The numbers in the files that plugins' arguments name: by file, as it is named, by node.
  std::map<std::string, std::map<std::string, double>> node_numbers;

  PluginConfig plugin(const std::string& name) const;
  bool operator==(const Config&) const = default;
};

}  // namespace trellis
