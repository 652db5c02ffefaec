#include "session/explain/cluster_queue_report.h"

#include <algorithm>
#include <tuple>

#include "framework/quota_arithmetic.h"

namespace trellis {
namespace {

class ClusterQueueReporter {
 public:
  explicit ClusterQueueReporter(const Session& session)
      : cluster_(session.cluster()),
        records_(cluster_.workloads()),
        strings_(cluster_.vocabulary().strings),
        ledger_(session.snapshot().workloads()),
        tree_(ledger_.tree()),
        report_of_(records_.cluster_queues().size(), kNone) {}

  std::vector<ClusterQueueReport> run() {
    walk_tree();
    add_circles();
    count_workloads();
    return std::move(reports_);
  }

 private:
  static constexpr size_t kNone = SIZE_MAX;

  void walk_tree() {
    struct Open {
      QuotaNodeId node;
      int depth = 0;
    };
    std::vector<Open> open;
    auto enter = [&](QuotaTree::Nodes nodes, int depth) {
      for (uint32_t i = nodes.count; i-- > 0;) open.push_back({nodes[i], depth});
    };
    enter(tree_.roots(), 0);
    while (!open.empty()) {
      Open next = open.back();
      open.pop_back();
      ClusterQueueReport& report = add(tree_.queue(next.node));
      report.depth = next.depth;
      QuotaNodeId parent = tree_.parent(next.node);
      if (parent.valid()) report.cohort = name_of(parent);
      if (report.queue.valid()) {
        read_queue(next.node, report);
      } else {
        report.name = name_of(next.node);
        read_cohort(next.node, report);
      }
      enter(tree_.children(next.node), next.depth + 1);
    }
  }

  // A Cohort that has no object gets its name from what names it.
  std::string name_of(QuotaNodeId cohort) const {
    CohortId id = tree_.cohort(cohort);
    if (id.valid()) return records_.cohorts()[id].name;
    QuotaTree::Nodes children = tree_.children(cohort);
    for (uint32_t i = 0; i < children.count; ++i) {
      ClusterQueueId queue = tree_.queue(children[i]);
      CohortId below = tree_.cohort(children[i]);
      Maybe<StrId> name;
      if (queue.valid()) name = records_.cluster_queues()[queue].cohort;
      if (below.valid()) name = records_.cohorts()[below].parent;
      if (name) return std::string(strings_.view(*name));
    }
    return "";
  }

  ClusterQueueReport& add(ClusterQueueId queue) {
    ClusterQueueReport& report = reports_.emplace_back();
    report.queue = queue;
    if (!queue.valid()) return report;
    const ClusterQueue& record = records_.cluster_queues()[queue];
    report_of_[queue] = reports_.size() - 1;
    report.name = record.name;
    if (record.cohort.valid()) report.cohort = strings_.view(*record.cohort);
    report.inactive = record.inactive;
    bool reported = std::any_of(
        report.inactive.begin(), report.inactive.end(),
        [](const Reason& reason) { return reason.code == ReasonCode::ClusterQueueStopped; });
    if (record.stop != StopPolicy::None && !reported) {
      report.inactive.push_back({.code = ReasonCode::ClusterQueueStopped, .subject = record.name});
    }
    return report;
  }

  // In the order in which its groups are written.
  void read_queue(QuotaNodeId node, ClusterQueueReport& report) {
    for (const ResourceGroup& group : records_.cluster_queues()[report.queue].groups) {
      for (const FlavorQuota& flavor : group.flavors) {
        for (const ResourceQuota& quota : flavor.resources) {
          QuotaCellId cell = tree_.cell(flavor.flavor, quota.resource);
          if (!cell.valid()) continue;
          QuotaFigures& figures = read(node, cell, tree_.nominal(node, cell), report);
          figures.borrowing_limit = quota.borrowing_limit;
          figures.lending_limit = quota.lending_limit;
        }
      }
    }
  }

  void read_cohort(QuotaNodeId node, ClusterQueueReport& report) {
    for (uint32_t i = 0; i < tree_.cell_count(); ++i) {
      QuotaCellId cell(i);
      int64_t quota = tree_.subtree_quota(node, cell);
      bool used = ledger_.usage()[tree_.index(node, cell)] != 0;
      if (quota > 0 || used) read(node, cell, quota, report);
    }
    // Ids follow the input's order; names do not.
    auto key = [&](const QuotaFigures& figures) {
      return std::tuple(strings_.view(figures.flavor),
                        std::string_view(cluster_.vocabulary().resources.name(figures.resource)));
    };
    std::sort(report.quotas.begin(), report.quotas.end(),
              [&](const QuotaFigures& a, const QuotaFigures& b) { return key(a) < key(b); });
  }

  QuotaFigures& read(QuotaNodeId node, QuotaCellId cell, int64_t nominal,
                     ClusterQueueReport& report) {
    QuotaFigures& figures = report.quotas.emplace_back();
    figures.flavor = tree_.flavor(cell);
    figures.resource = tree_.resource(cell);
    figures.nominal = nominal;
    figures.used = ledger_.usage()[tree_.index(node, cell)];
    figures.borrowed = std::max<int64_t>(0, figures.used - tree_.subtree_quota(node, cell));
    figures.available = std::max<int64_t>(0, available(tree_, ledger_.usage(), node, cell));
    return figures;
  }

  void add_circles() {
    std::vector<ClusterQueueId> circles;
    for (uint32_t i = 0; i < records_.cluster_queues().size(); ++i) {
      ClusterQueueId id(i);
      bool alive = records_.cluster_queues().alive(id);
      if (alive && !tree_.node(id).valid()) circles.push_back(id);
    }
    std::sort(circles.begin(), circles.end(), [&](ClusterQueueId a, ClusterQueueId b) {
      return records_.cluster_queues()[a].name < records_.cluster_queues()[b].name;
    });
    for (ClusterQueueId id : circles) add(id);
  }

  void count_workloads() {
    for (WorkloadId id : records_.by_name(strings_)) {
      const Workload& workload = records_[id];
      ClusterQueueId queue = ledger_.queue_of(id);
      if (workload.finished || !queue.valid() || report_of_[queue] == kNone) continue;
      ClusterQueueReport& report = reports_[report_of_[queue]];
      if (ledger_.holdings()[id].held != 0) {
        ++report.holding;
      } else if (workload.active) {
        report.by_turn.push_back(id);
      }
    }
    auto turn = [&](WorkloadId id) {
      return std::tuple(-int64_t{records_[id].priority}, records_[id].queued);
    };
    for (ClusterQueueReport& report : reports_) {
      std::stable_sort(report.by_turn.begin(), report.by_turn.end(),
                       [&](WorkloadId a, WorkloadId b) { return turn(a) < turn(b); });
    }
  }

  const Cluster& cluster_;
  const WorkloadRecords& records_;
  const StringTable& strings_;
  const WorkloadLedger& ledger_;
  const QuotaTree& tree_;
  std::vector<ClusterQueueReport> reports_;
  IndexedVector<ClusterQueueId, size_t> report_of_;
};

}  // namespace

std::vector<ClusterQueueReport> report_cluster_queues(const Session& session) {
  if (session.cluster().workloads().cluster_queues().size() == 0) return {};
  return ClusterQueueReporter(session).run();
}

}  // namespace trellis
