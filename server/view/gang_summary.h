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
  std::vector<std::string> nodes;    // of the placed pods, by name
  std::vector<std::string> leaving;  // nodes that pods are leaving
};

struct SubgroupSummary {
  int64_t pods = 0;                // that have not finished, subgroups below included
  int64_t placed = 0;              // of them
  int depth = 0;                   // 0: at the top
  std::vector<std::string> nodes;  // of its placed pods, by name
};

bool is_placed(PodStatus status);   // Bound, Running, Pipelined
bool is_placed(GangStatus status);  // Scheduled, Running, Pipelined

GangSummary summarize_gang(const Cluster& cluster, const CycleRecord& record, GangId gang);

// All gangs by namespace and name, those without pods included.
std::vector<GangSummary> summarize_gangs(const Cluster& cluster, const CycleRecord& record);

// One summary for each subgroup of the gang, in the order of the subgroups.
std::vector<SubgroupSummary> summarize_subgroups(const Cluster& cluster, const CycleRecord& record,
                                                 GangId gang);

// The indexes of all subgroups; each is followed by the subgroups below it.
std::vector<size_t> depth_first(const std::vector<Subgroup>& subgroups);

// `rack b1/r7`; `-` without a placement.
std::string placement_text(const std::optional<GangPlacement>& placement);

// The number of the node's GPUs, of any vendor.
int64_t whole_gpus(const Node& node);

// `3 of 4 gangs placed, 24 of 104 pods, 96 of 556 GPUs used, 2 domains spanned`; workloads come
// first where there are any.
std::string summary_text(const CycleSummary& summary, const WorkloadSummary& workloads);

// `, 4 idle on closed nodes`; "" when no such GPU exists.
std::string closed_text(const CycleSummary& summary);

// Whether some pod has no node. Pods of another scheduler do not count.
bool leaves_pods_waiting(const Cluster& cluster, const CycleRecord& record);

}  // namespace trellis
