// A report on ClusterQueues and Cohorts as a session finds them: quotas, usage, and waiting
// workloads.
//
// Cost: O(queues x cells + workloads log workloads).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "framework/quota_tree.h"
#include "session/cycle/session.h"

namespace trellis {

// One flavor's amount of one resource, in the resource's unit.
struct QuotaFigures {
  StrId flavor;
  ResourceId resource;
  int64_t nominal = 0;  // of a Cohort: with what its children lend
  std::optional<int64_t> borrowing_limit;
  std::optional<int64_t> lending_limit;
  int64_t used = 0;  // of a Cohort: what its children use above what they keep to themselves
  int64_t borrowed = 0;
  int64_t available = 0;  // never negative
};

struct ClusterQueueReport {
  ClusterQueueId queue;  // kNone: a Cohort
  std::string name;
  std::string cohort;  // that it is in; "": none
  int depth = 0;
  std::vector<QuotaFigures> quotas;
  std::vector<Reason> inactive;     // why a ClusterQueue admits nothing
  int64_t holding = 0;              // workloads that have quota
  std::vector<WorkloadId> by_turn;  // workloads that wait for quota, in the order to try them
};

// Each Cohort is followed by what is below it, Cohorts first, by name; then come the ClusterQueues
// that have no quota because their Cohorts form a cycle. Empty when there are none.
std::vector<ClusterQueueReport> report_cluster_queues(const Session& session);

}  // namespace trellis
