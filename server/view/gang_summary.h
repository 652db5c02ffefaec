// The outcome of each gang, and sums over all: the data of the table and the tree.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "server/view/cycle_tally.h"
#include "server/view/workload_output.h"
#include "session/cluster/cluster.h"
#include "session/record/record.h"

namespace trellis {

struct GangSummary {
  GangId gang;
  int64_t pods = 0;                  // that have not finished
  int64_t placed = 0;                // of them: on a node, or promised one
  std::vector<std::string> nodes;    // that the placed pods are on, by name
  std::vector<std::string> leaving;  // that pods are leaving
};

struct SubgroupSummary {
  int64_t pods = 0;                // that have not finished, with those of subgroups below
  int64_t placed = 0;              // of them
  int depth = 0;                   // 0: at the top
  std::vector<std::string> nodes;  // that its placed pods are on, by name
};

bool is_placed(PodStatus status);   // Bound, Running, Pipelined
bool is_placed(GangStatus status);  // Scheduled, Running, Pipelined

// By namespace and name; gangs without pods included.
std::vector<GangSummary> summarize_gangs(const Cluster& cluster, const CycleRecord& record);

// Of each subgroup of the gang, in their order.
std::vector<SubgroupSummary> summarize_subgroups(const Cluster& cluster, const CycleRecord& record,
                                                 GangId gang);

// Positions of subgroups, each followed by those below it.
std::vector<size_t> depth_first(const std::vector<Subgroup>& subgroups);

// `rack b1/r7`; `-` where there is none.
std::string placement_text(const std::optional<GangPlacement>& placement);

// Devices of the node, of any make.
int64_t whole_gpus(const Node& node);

// `3 of 4 gangs placed, 24 of 104 pods, 96 of 556 GPUs used, 2 domains spanned`; of workloads first
// where there are any.
std::string summary_text(const CycleSummary& summary, const WorkloadSummary& workloads);

// `, 4 idle on closed nodes`; "" where no GPU is.
std::string closed_text(const CycleSummary& summary);

// Some pod has no place. Those that are another scheduler's to place do not count.
bool leaves_pods_waiting(const Cluster& cluster, const CycleRecord& record);

}  // namespace trellis
