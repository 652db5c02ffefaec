#include "tests/oracle/workload_truth.h"

#include <algorithm>
#include <cstdint>
#include <span>

#include "framework/topology_levels.h"

namespace trellis {
namespace {

struct Step {
  size_t choice = 0;  // row and node
  Statement::Checkpoint before;
  size_t row = 0;
  NodeId node;
};

class EveryArrangement {
 public:
  EveryArrangement(Session& session, const std::vector<TrueRow>& rows, FitMode mode)
      : session_(session), rows_(rows), mode_(mode) {}

  bool exists() {
    Statement::Checkpoint start = session_.statement().checkpoint();
    bool found = search();
    session_.statement().rollback(start);
    return found;
  }

 private:
  bool search() {
    size_t nodes = session_.cluster().nodes().size();
    int64_t all = 0;
    for (const TrueRow& row : rows_) all += row.set.count;
    open();
    while (!steps_.empty()) {
      if (static_cast<int64_t>(steps_.size()) == all + 1) return true;
      Step& step = steps_.back();
      session_.statement().rollback(step.before);
      if (step.choice == rows_.size() * nodes) {
        steps_.pop_back();
        continue;
      }
      step.row = step.choice / nodes;
      step.node = NodeId(step.choice % nodes);
      ++step.choice;
      if (!may_take(step)) continue;
      PodClassId pod_class = rows_[step.row].set.pod_class;
      session_.statement().take_slots(pod_class, step.node, 1, mode_);
      open();
    }
    return false;
  }

  void open() {
    Step& step = steps_.emplace_back();
    step.before = session_.statement().checkpoint();
  }

  bool may_take(const Step& step) {
    std::span<const Step> placed(steps_.data(), steps_.size() - 1);
    const TrueRow& row = rows_[step.row];
    int64_t of_row =
        std::ranges::count_if(placed, [&](const Step& other) { return other.row == step.row; });
    bool together = std::ranges::all_of(placed, [&](const Step& other) {
      const TrueRow& its = rows_[other.row];
      if (row.bound_unit < 0 || its.bound_unit != row.bound_unit) return true;
      return domain_of(session_, its, other.node) == domain_of(session_, row, step.node);
    });
    return of_row < row.set.count && together &&
           session_.fits().node_fit(step.node, row.set.pod_class, mode_) > 0 &&
           session_.fits().link_verdict(row.set.pod_class, mode_, step.node).passes();
  }

  Session& session_;
  const std::vector<TrueRow>& rows_;
  FitMode mode_;
  std::vector<Step> steps_;
};

}  // namespace

std::vector<TrueRow> true_rows(const Session& session, WorkloadId workload, FlavorId flavor) {
  const Cluster& cluster = session.cluster();
  const Workload& record = cluster.workloads()[workload];
  const WorkloadLedger& ledger = session.snapshot().workloads();
  std::vector<TrueRow> rows;
  for (size_t i = 0; i < record.pod_sets.size(); ++i) {
    const PodSet& set = record.pod_sets[i];
    TrueRow& row = rows.emplace_back();
    row.set.pod_set = static_cast<uint32_t>(i);
    row.set.flavor = flavor;
    row.set.topology = ledger.topology_of(cluster, flavor);
    row.set.pod_class = ledger.flavored(workload, i, flavor);
    row.set.count = set.count;
    if (!set.topology.required.valid()) continue;
    row.bound_unit = set.topology.group.valid() ? 0 : static_cast<int>(i);
    const StringTable& strings = cluster.vocabulary().strings;
    row.level = find_level(cluster.topologies()[row.set.topology],
                           strings.view(set.topology.required), strings)
                    .value_or(0);
  }
  return rows;
}

DomainId domain_of(const Session& session, const TrueRow& row, NodeId node) {
  const TopologyTree& tree = session.snapshot().trees()[row.set.topology];
  return tree.contains(node) ? tree.ancestor(tree.domain_of(node), row.level) : DomainId();
}

bool has_arrangement(Session& session, const std::vector<TrueRow>& rows, FitMode mode) {
  return EveryArrangement(session, rows, mode).exists();
}

}  // namespace trellis
