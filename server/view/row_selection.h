// Which gangs and workloads a table shows, and in which order.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "server/view/gang_summary.h"
#include "session/cluster/cluster.h"
#include "session/record/record.h"

namespace trellis {

// Pending first: what waits is what people look for.
enum class RowOrder : uint8_t { Name, Queue, Status, Pods, Priority, Age };

// The place of a status in the order RowOrder::Status.
int rank_of(GangStatus status);
int rank_of(WorkloadStatus status);

struct RowSelection {
  bool all = false;        // also what has finished, and the pods of DaemonSets
  bool pending = false;    // only what waits, as a whole or in part
  std::string name_space;  // only of this; "": of any
  std::string queue;       // the same
  std::string status;      // the same; in lower case
  RowOrder order = RowOrder::Name;
  size_t limit = 0;  // the first of each table; 0: all

  bool narrows() const {
    return pending || limit > 0 || !name_space.empty() || !queue.empty() || !status.empty();
  }
};

struct SelectedRows {
  std::vector<GangSummary> gangs;
  std::vector<WorkloadId> workloads;
  int64_t all_gangs = 0;
  int64_t all_workloads = 0;
  int64_t finished = 0;  // gangs and workloads that are hidden because they have finished
  int64_t daemons = 0;   // hidden gangs of DaemonSets
};

// Whether the gang has pods, all of them of DaemonSets.
bool is_of_daemon_set(const Cluster& cluster, GangId gang);

// Cost: O(cluster), and a sort.
SelectedRows select_rows(const Cluster& cluster, const CycleRecord& record,
                         const RowSelection& selection);

// What is not shown, and how to see it, in a line or two; "" when everything is shown.
std::string hidden_text(const SelectedRows& rows, const RowSelection& selection);

}  // namespace trellis
