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
        line_of_(records_.cluster_queues().size(), kNoLine) {}

  std::vector<ClusterQueueLine> run() {
    walk_tree();
    add_circles();
    count_workloads();
    return std::move(lines_);
  }

 private:
  static constexpr size_t kNoLine = SIZE_MAX;

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
      ClusterQueueLine& line = add(tree_.queue(next.node));
      line.depth = next.depth;
      QuotaNodeId parent = tree_.parent(next.node);
      if (parent.valid()) line.cohort = name_of(parent);
      if (line.queue.valid()) {
        read_queue(next.node, line);
      } else {
        line.name = name_of(next.node);
        read_cohort(next.node, line);
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

  ClusterQueueLine& add(ClusterQueueId queue) {
    ClusterQueueLine& line = lines_.emplace_back();
    line.queue = queue;
    if (!queue.valid()) return line;
    const ClusterQueue& record = records_.cluster_queues()[queue];
    line_of_[queue] = lines_.size() - 1;
    line.name = record.name;
    if (record.cohort.valid()) line.cohort = strings_.view(*record.cohort);
    line.inactive = record.inactive;
    bool told = std::any_of(line.inactive.begin(), line.inactive.end(), [](const Reason& reason) {
      return reason.code == ReasonCode::ClusterQueueStopped;
    });
    if (record.stop != StopPolicy::None && !told) {
      line.inactive.push_back({.code = ReasonCode::ClusterQueueStopped, .subject = record.name});
    }
    return line;
  }

  // In the order in which its groups are written.
  void read_queue(QuotaNodeId node, ClusterQueueLine& line) {
    for (const ResourceGroup& group : records_.cluster_queues()[line.queue].groups) {
      for (const FlavorQuota& flavor : group.flavors) {
        for (const ResourceQuota& quota : flavor.resources) {
          QuotaCellId cell = tree_.cell(flavor.flavor, quota.resource);
          if (!cell.valid()) continue;
          QuotaFigures& figures = read(node, cell, tree_.nominal(node, cell), line);
          figures.borrowing_limit = quota.borrowing_limit;
          figures.lending_limit = quota.lending_limit;
        }
      }
    }
  }

  void read_cohort(QuotaNodeId node, ClusterQueueLine& line) {
    for (uint32_t i = 0; i < tree_.cell_count(); ++i) {
      QuotaCellId cell(i);
      int64_t quota = tree_.subtree_quota(node, cell);
      bool used = ledger_.usage()[tree_.index(node, cell)] != 0;
      if (quota > 0 || used) read(node, cell, quota, line);
    }
    // Ids follow the input's order; names do not.
    auto key = [&](const QuotaFigures& figures) {
      return std::tuple(strings_.view(figures.flavor),
                        std::string_view(cluster_.vocabulary().resources.name(figures.resource)));
    };
    std::sort(line.quotas.begin(), line.quotas.end(),
              [&](const QuotaFigures& a, const QuotaFigures& b) { return key(a) < key(b); });
  }

  QuotaFigures& read(QuotaNodeId node, QuotaCellId cell, int64_t nominal, ClusterQueueLine& line) {
    QuotaFigures& figures = line.quotas.emplace_back();
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
      if (workload.finished || !queue.valid() || line_of_[queue] == kNoLine) continue;
      ClusterQueueLine& line = lines_[line_of_[queue]];
      if (ledger_.holdings()[id].held != 0) {
        ++line.holding;
      } else if (workload.active) {
        line.in_line.push_back(id);
      }
    }
    auto turn = [&](WorkloadId id) {
      return std::tuple(-int64_t{records_[id].priority}, records_[id].queued);
    };
    for (ClusterQueueLine& line : lines_) {
      std::stable_sort(line.in_line.begin(), line.in_line.end(),
                       [&](WorkloadId a, WorkloadId b) { return turn(a) < turn(b); });
    }
  }

  const Cluster& cluster_;
  const WorkloadRecords& records_;
  const StringTable& strings_;
  const WorkloadLedger& ledger_;
  const QuotaTree& tree_;
  std::vector<ClusterQueueLine> lines_;
  IndexedVector<ClusterQueueId, size_t> line_of_;
};

}  // namespace

std::vector<ClusterQueueLine> report_cluster_queues(const Session& session) {
  if (session.cluster().workloads().cluster_queues().size() == 0) return {};
  return ClusterQueueReporter(session).run();
}

}  // namespace trellis
