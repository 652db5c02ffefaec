#include "actions/workloads/partial_counts.h"

#include <cstdint>
#include <vector>

#include "actions/workloads/admission.h"

namespace trellis {
namespace {

// The counts when `less` of the `most` pods that may be left out are left out.
std::vector<int32_t> counts_with(const Workload& workload, int64_t less, int64_t most) {
  std::vector<int32_t> counts;
  for (const PodSet& set : workload.pod_sets) {
    int64_t spare = set.count - set.min_count.value_or(set.count);
    counts.push_back(static_cast<int32_t>(set.count - spare * less / most));
  }
  return counts;
}

}  // namespace

bool admit_partly(Session& session, Nominator& nominator, WorkloadId id, ClusterQueueId queue) {
  const Workload& workload = session.cluster().workloads()[id];
  int64_t most = 0;
  for (const PodSet& set : workload.pod_sets) {
    most += set.count - set.min_count.value_or(set.count);
  }
  if (most == 0) return false;
  Statement::Checkpoint start = session.statement().checkpoint();
  Nomination best;
  auto fits = [&](int64_t less) {
    session.statement().rollback(start);
    nominator.begin(id, queue);
    nominator.set_counts(counts_with(workload, less, most));
    return nominator.find(Nominator::Need::Fit, best);
  };
  // The fewest pods that must be left out.
  int64_t low = 1;
  int64_t high = most + 1;
  int64_t held = 0;  // the `less` that the statement holds; 0: it holds none
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if (fits(middle)) {
      held = high = middle;
    } else {
      low = middle + 1;
      held = 0;
    }
  }
  if (high > most || (held != high && !fits(high))) {
    session.statement().rollback(start);
    return false;
  }
  admit(session, best);
  return true;
}

}  // namespace trellis
