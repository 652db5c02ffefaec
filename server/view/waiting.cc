#include "server/view/waiting.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "server/document/timestamp.h"
#include "server/wording/names_text.h"

namespace trellis {
namespace {

// Whether the gang waits for its workload, which is listed itself, or for another scheduler.
bool waits_for_others(const GangOutcome& outcome) {
  ReasonCode code = outcome.reasons.front().code;
  return code == ReasonCode::WorkloadNotAdmitted || code == ReasonCode::OtherScheduler;
}

std::string name_of_waiter(const Cluster& cluster, const Waiter& waiter) {
  return waiter.gang.valid() ? full_name(cluster, waiter.gang)
                             : full_name(cluster, waiter.workload);
}

class Waiting {
 public:
  Waiting(const Cluster& cluster, const CycleRecord& record) : cluster_(cluster), record_(record) {}

  WaitingList list(size_t longest) {
    for (uint32_t i = 0; i < record_.gangs.size(); ++i) take(GangId(i));
    for (uint32_t i = 0; i < cluster_.workloads().workloads().size(); ++i) take(WorkloadId(i));
    return {.counts = counts(), .longest = shortened(longest)};
  }

 private:
  void take(GangId gang) {
    if (!cluster_.alive(gang) || !waits(record_.gangs[gang])) return;
    const GangOutcome& outcome = record_.gangs[gang];
    ++counts_[to_string(outcome.reasons.front().code)].gangs;
    if (waits_for_others(outcome)) return;
    waiters_.push_back({.gang = gang, .since = waiting_since(cluster_, record_, gang)});
  }

  void take(WorkloadId workload) {
    if (!cluster_.workloads().workloads().alive(workload)) return;
    WorkloadOutcome outcome = record_.workloads[workload];
    if (!waits(outcome)) return;
    ++counts_[to_string(outcome.reasons->front().code)].workloads;
    waiters_.push_back({.workload = workload, .since = waiting_since(cluster_, record_, workload)});
  }

  std::vector<WaitingCount> counts() const {
    std::vector<WaitingCount> list;
    for (const auto& [code, count] : counts_) {
      list.push_back({.code = code, .gangs = count.gangs, .workloads = count.workloads});
    }
    std::stable_sort(list.begin(), list.end(), [](const WaitingCount& a, const WaitingCount& b) {
      return a.gangs + a.workloads > b.gangs + b.workloads;
    });
    return list;
  }

  // Names decide only between equal times, so few are made.
  std::vector<Waiter> shortened(size_t longest) {
    size_t count = std::min(longest, waiters_.size());
    auto end = waiters_.begin() + static_cast<std::ptrdiff_t>(count);
    std::partial_sort(waiters_.begin(), end, waiters_.end(), [&](const Waiter& a, const Waiter& b) {
      auto key = [](const Waiter& one) { return std::tuple(one.since == kNoTime, one.since); };
      if (key(a) != key(b)) return key(a) < key(b);
      return name_of_waiter(cluster_, a) < name_of_waiter(cluster_, b);
    });
    waiters_.resize(count);
    return std::move(waiters_);
  }

  const Cluster& cluster_;
  const CycleRecord& record_;
  std::map<std::string_view, WaitingCount> counts_;
  std::vector<Waiter> waiters_;
};

}  // namespace

bool waits(const GangOutcome& outcome) {
  return outcome.status != GangStatus::Finished && !outcome.reasons.empty();
}

bool waits(const WorkloadOutcome& outcome) {
  bool queued =
      outcome.status == WorkloadStatus::Pending || outcome.status == WorkloadStatus::Reserved;
  return queued && outcome.reasons && !outcome.reasons->empty();
}

int64_t count_waiting_workloads(const Cluster& cluster, const CycleRecord& record) {
  int64_t count = 0;
  for (uint32_t i = 0; i < cluster.workloads().workloads().size(); ++i) {
    WorkloadId id(i);
    bool alive = cluster.workloads().workloads().alive(id);
    count += alive && waits(record.workloads[id]) ? 1 : 0;
  }
  return count;
}

TimeUs waiting_since(const Cluster& cluster, const CycleRecord& record, GangId gang) {
  if (!waits(record.gangs[gang])) return kNoTime;
  TimeUs latest = cluster.gangs()[gang].created;
  for (PodId pod : cluster.pods_of(gang)) {
    if (record.pods[pod].status != PodStatus::Pending) continue;
    latest = std::max(latest, cluster.pods()[pod].pod.created);
  }
  return latest;
}

TimeUs waiting_since(const Cluster& cluster, const CycleRecord& record, WorkloadId workload) {
  if (!waits(record.workloads[workload])) return kNoTime;
  const Workload& waiter = cluster.workloads()[workload];
  return waiter.queued != kNoTime ? waiter.queued : waiter.created;
}

void write_waiting_since(DocumentWriter& out, TimeUs since) {
  if (since != kNoTime) out.field("waitingSince", format_timestamp(since));
}

std::string waiting_since_text(TimeUs since) {
  return since == kNoTime ? "" : ", waits since " + format_timestamp(since);
}

WaitingList list_waiting(const Cluster& cluster, const CycleRecord& record, size_t longest) {
  return Waiting(cluster, record).list(longest);
}

}  // namespace trellis
