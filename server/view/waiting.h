// Who waits, and since when.
//
// Words: a gang waits while pods of it have no place, as its reasons say; a workload waits while it
// is not admitted, for a reason. What has finished does not wait, nor does a workload that leaves.
// The page, the report and the metrics all count by this rule.
// Guarantees: since when something waits follows from the timestamps of its objects alone, so equal
// input gives equal answers, after a restart too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "framework/time.h"
#include "server/document/document_writer.h"
#include "session/cluster/cluster.h"
#include "session/record/record.h"

namespace trellis {

bool waits(const GangOutcome& outcome);
bool waits(const WorkloadOutcome& outcome);

// A gang waits since it and all of its waiting pods were created; a workload since it joined its
// queue: when it was created, evicted or requeued. kNoTime: it does not wait, or its objects have
// no timestamps.
TimeUs waiting_since(const Cluster& cluster, const CycleRecord& record, GangId gang);
TimeUs waiting_since(const Cluster& cluster, const CycleRecord& record, WorkloadId workload);

// "waitingSince" in the open object; nothing for kNoTime.
void write_waiting_since(DocumentWriter& out, TimeUs since);
// ", waits since 2026-01-01T00:00:00Z"; "" for kNoTime.
std::string waiting_since_text(TimeUs since);

// Cost: O(workloads).
int64_t count_waiting_workloads(const Cluster& cluster, const CycleRecord& record);

struct WaitingCount {
  std::string_view code;
  int64_t gangs = 0;
  int64_t workloads = 0;
};

// A gang or a workload; the other id is kNone.
struct Waiter {
  GangId gang;
  WorkloadId workload;
  TimeUs since = kNoTime;
};

struct WaitingList {
  std::vector<WaitingCount> counts;  // by the first reason; most members first, then by code
  std::vector<Waiter> longest;  // first those that wait longest; those without a time come last
};

// Gangs whose workload is not admitted wait with it, and gangs of another scheduler wait for that
// one: they are not among the longest. Cost: O(gangs + workloads + pods of waiting gangs), and a
// sort of the longest by name.
WaitingList list_waiting(const Cluster& cluster, const CycleRecord& record, size_t longest);

}  // namespace trellis
