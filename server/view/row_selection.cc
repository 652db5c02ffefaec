#include "server/view/row_selection.h"

#include <algorithm>
#include <string_view>

#include "framework/ascii.h"
#include "server/wording/quantity_text.h"

namespace trellis {

int rank_of(GangStatus status) {
  switch (status) {
    case GangStatus::Pending:
      return 0;
    case GangStatus::Evicted:
      return 1;
    case GangStatus::Releasing:
      return 2;
    case GangStatus::Pipelined:
      return 3;
    case GangStatus::Scheduled:
      return 4;
    case GangStatus::Running:
      return 5;
    case GangStatus::Finished:
      return 6;
  }
  return 6;
}

int rank_of(WorkloadStatus status) { return static_cast<int>(status); }

namespace {

class Selector {
 public:
  Selector(const Cluster& cluster, const CycleRecord& record, const RowSelection& selection)
      : cluster_(cluster),
        strings_(cluster.vocabulary().strings),
        record_(record),
        selection_(selection) {}

  SelectedRows select() {
    select_gangs();
    select_workloads();
    return std::move(rows_);
  }

 private:
  bool is_named(StrId name_space, std::string_view queue, std::string_view status) const {
    const RowSelection& s = selection_;
    return (s.name_space.empty() || strings_.view(name_space) == s.name_space) &&
           (s.queue.empty() || queue == s.queue) && (s.status.empty() || lower(status) == s.status);
  }

  std::string_view queue_of(GangId gang) const {
    const Gang& record = cluster_.gangs()[gang];
    return record.queue.valid() ? strings_.view(*record.queue) : "";
  }
  std::string_view queue_of(WorkloadId workload) const {
    const Workload& record = cluster_.workloads()[workload];
    return record.queue.valid() ? strings_.view(record.queue) : "";
  }

  void select_gangs() {
    for (GangSummary& gang : summarize_gangs(cluster_, record_)) {
      ++rows_.all_gangs;
      GangStatus status = record_.gangs[gang.gang].status;
      if (!is_named(cluster_.gangs()[gang.gang].name_space, queue_of(gang.gang), to_string(status)))
        continue;
      bool hides = !selection_.all && selection_.status.empty();
      bool finished = status == GangStatus::Finished;
      bool waits = !finished && (gang.placed < gang.pods || !is_placed(status));
      if (selection_.pending && !waits) continue;
      if (hides && finished) {
        ++rows_.finished;
      } else if (hides && !waits && is_of_daemon_set(cluster_, gang.gang)) {
        ++rows_.daemons;
      } else {
        rows_.gangs.push_back(std::move(gang));
      }
    }
    sort(rows_.gangs, [&](const GangSummary& a, const GangSummary& b) { return precedes(a, b); });
  }

  void select_workloads() {
    for (WorkloadId id : cluster_.workloads().by_name(strings_)) {
      ++rows_.all_workloads;
      WorkloadStatus status = record_.workloads[id].status;
      if (!is_named(cluster_.workloads()[id].name_space, queue_of(id), to_string(status))) continue;
      bool finished = status == WorkloadStatus::Finished;
      if (selection_.pending && (finished || status == WorkloadStatus::Admitted)) continue;
      if (finished && !selection_.all && selection_.status.empty()) {
        ++rows_.finished;
      } else {
        rows_.workloads.push_back(id);
      }
    }
    sort(rows_.workloads, [&](WorkloadId a, WorkloadId b) { return precedes(a, b); });
  }

  // The rows are in the order of names already.
  template <class Row, class Precedes>
  void sort(std::vector<Row>& rows, Precedes precedes) const {
    if (selection_.order != RowOrder::Name) std::stable_sort(rows.begin(), rows.end(), precedes);
    if (selection_.limit > 0 && rows.size() > selection_.limit) {
      rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(selection_.limit), rows.end());
    }
  }

  bool precedes(const GangSummary& a, const GangSummary& b) const {
    const Gang& first = cluster_.gangs()[a.gang];
    const Gang& second = cluster_.gangs()[b.gang];
    switch (selection_.order) {
      case RowOrder::Queue:
        return queue_of(a.gang) < queue_of(b.gang);
      case RowOrder::Status:
        return rank_of(record_.gangs[a.gang].status) < rank_of(record_.gangs[b.gang].status);
      case RowOrder::Pods:
        return a.pods > b.pods;
      case RowOrder::Priority:
        return first.priority > second.priority;
      case RowOrder::Age:
        return first.created < second.created;
      case RowOrder::Name:
        break;
    }
    return false;
  }

  bool precedes(WorkloadId a, WorkloadId b) const {
    const Workload& first = cluster_.workloads()[a];
    const Workload& second = cluster_.workloads()[b];
    switch (selection_.order) {
      case RowOrder::Queue:
        return queue_of(a) < queue_of(b);
      case RowOrder::Status:
        return rank_of(record_.workloads[a].status) < rank_of(record_.workloads[b].status);
      case RowOrder::Pods:
        return count_pods(cluster_, record_, a) > count_pods(cluster_, record_, b);
      case RowOrder::Priority:
        return first.priority > second.priority;
      case RowOrder::Age:
        return first.created < second.created;
      case RowOrder::Name:
        break;
    }
    return false;
  }

  const Cluster& cluster_;
  const StringTable& strings_;
  const CycleRecord& record_;
  const RowSelection& selection_;
  SelectedRows rows_;
};

std::string shown_of(size_t shown, int64_t all, std::string_view what) {
  return grouped_text(static_cast<int64_t>(shown)) + " of " + grouped_text(all) + " " +
         std::string(what) + (all == 1 ? "" : "s");
}

}  // namespace

bool is_of_daemon_set(const Cluster& cluster, GangId gang) {
  auto pods = cluster.pods_of(gang);
  return !pods.empty() && std::ranges::all_of(pods, [&](PodId pod) {
    return is_of_daemon_set(cluster.pods()[pod].pod);
  });
}

SelectedRows select_rows(const Cluster& cluster, const CycleRecord& record,
                         const RowSelection& selection) {
  return Selector(cluster, record, selection).select();
}

std::string hidden_text(const SelectedRows& rows, const RowSelection& selection) {
  std::string text;
  if (selection.narrows()) {
    if (rows.all_workloads > 0) {
      text += shown_of(rows.workloads.size(), rows.all_workloads, "workload");
    }
    if (rows.all_gangs > 0) {
      if (!text.empty()) text += ", ";
      text += shown_of(rows.gangs.size(), rows.all_gangs, "gang");
    }
    return text.empty() ? text : text + " shown; the sums below are of all\n";
  }
  if (rows.finished > 0) text += grouped_text(rows.finished) + " that have finished";
  if (rows.daemons > 0) {
    if (!text.empty()) text += ", ";
    text += grouped_text(rows.daemons) + (rows.daemons == 1 ? " DaemonSet" : " DaemonSets");
  }
  return text.empty() ? text : "not shown: " + text + "; --all shows them\n";
}

}  // namespace trellis
