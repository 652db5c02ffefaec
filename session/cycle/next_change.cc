#include "session/cycle/next_change.h"

#include <algorithm>
#include <vector>

#include "framework/running_since.h"
#include "session/cluster/gang_life.h"

namespace trellis {
namespace {

class NextChange {
 public:
  explicit NextChange(const Session& session)
      : session_(session), cluster_(session.cluster()), limits_(session.config().limits) {}

  TimeUs find() {
    collect_min_runtimes();
    for (uint32_t i = 0; i < cluster_.gangs().size(); ++i) {
      if (cluster_.alive(GangId(i))) look_at(GangId(i));
    }
    const WorkloadLedger& ledger = session_.snapshot().workloads();
    const WorkloadRecords& workloads = cluster_.workloads();
    for (WorkloadId id : ledger.holders()) {
      consider(pods_ready_deadline(workloads[id], session_.config().wait_for_pods_ready), 0);
    }
    for (WorkloadId id : ledger.delayed()) consider(workloads[id].requeue_at, 0);
    return earliest_;
  }

 private:
  // Whose minimum counts depends on the gang that would move others, so every length that might
  // count is taken.
  void collect_min_runtimes() {
    const QueuesConfig& queues = session_.config().queues;
    for (TimeUs length :
         {queues.default_preempt_min_runtime_us, queues.default_reclaim_min_runtime_us}) {
      if (length > 0) lengths_.push_back(length);
    }
    for (const Queue& queue : cluster_.queues()) {
      for (const auto& length : {queue.preempt_min_runtime_us, queue.reclaim_min_runtime_us}) {
        if (length.value_or(0) > 0) lengths_.push_back(*length);
      }
    }
    std::sort(lengths_.begin(), lengths_.end());
    lengths_.erase(std::unique(lengths_.begin(), lengths_.end()), lengths_.end());
  }

  void look_at(GangId id) {
    const Gang& gang = cluster_.gangs()[id];
    const GangCounts& counts = session_.snapshot().gang_counts()[id];
    if (gang.stale_since != kNoTime && staleness_grace_us(gang, limits_) >= 0) {
      consider(gang.stale_since, staleness_grace_us(gang, limits_));
    }
    bool delayed = gang.preemption_delay_us > 0 || limits_.reserve_after_us > 0;
    if (counts.waiting > 0 && delayed) {
      TimeUs since = session_.waiting_since(id);
      if (gang.preemption_delay_us > 0) consider(since, gang.preemption_delay_us);
      if (limits_.reserve_after_us > 0) consider(since, limits_.reserve_after_us);
    }
    if (lengths_.empty() || counts.placed == 0) return;
    TimeUs started = running_since(gang, cluster_.pods(), cluster_.pods_of(id));
    for (TimeUs length : lengths_) consider(started, length);
  }

  void consider(TimeUs since, TimeUs length) {
    if (since == kNoTime) return;
    TimeUs end = since + length;
    if (end > session_.now() && (earliest_ == kNoTime || end < earliest_)) earliest_ = end;
  }

  const Session& session_;
  const Cluster& cluster_;
  const Limits& limits_;
  std::vector<TimeUs> lengths_;  // of minimum run times; sorted
  TimeUs earliest_ = kNoTime;
};

}  // namespace

TimeUs next_change(const Session& session) { return NextChange(session).find(); }

}  // namespace trellis
