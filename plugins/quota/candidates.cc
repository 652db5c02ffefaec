#include "plugins/quota/candidates.h"

#include <algorithm>

#include "framework/workload.h"

namespace trellis {

bool fits(const QuotaTree& tree, QuotaUsage usage, const Contest& contest, Borrowing borrowing) {
  return std::all_of(contest.amounts.begin(), contest.amounts.end(), [&](QuotaAmount amount) {
    if (borrowing == Borrowing::Forbidden && borrows_with(tree, usage, contest.node, amount)) {
      return false;
    }
    return amount.amount <= available(tree, usage, contest.node, amount.cell);
  });
}

bool within_quota(const QuotaTree& tree, QuotaUsage usage, QuotaNodeId node,
                  std::span<const QuotaCellId> cells) {
  return std::none_of(cells.begin(), cells.end(), [&](QuotaCellId cell) {
    return borrows_with(tree, usage, node, {cell, 0});
  });
}

Sides sides(const QuotaTree& tree, QuotaNodeId a, QuotaNodeId b) {
  while (true) {
    for (QuotaNodeId at = a; tree.parent(at).valid(); at = tree.parent(at)) {
      if (tree.parent(at) == tree.parent(b)) return {at, b};
    }
    b = tree.parent(b);
  }
}

void QuotaTrial::change(QuotaNodeId node, std::span<const QuotaAmount> amounts, int64_t times) {
  for (const QuotaAmount& amount : amounts) {
    add_usage(tree_, usage_, node, amount.cell, times * amount.amount,
              [](int64_t& cell, int64_t value) { cell = value; });
  }
}

namespace {

const QuotaHolding& holding(const View& view, WorkloadId workload) {
  return (*view.quota_holdings)[workload];
}

// Collects, queue by queue, the workloads that may leave.
class Collector {
 public:
  Collector(const View& view, QuotaHolders& holders, const Contest& contest)
      : view_(view),
        tree_(*view.quota_tree),
        usage_(*view.quota_usage),
        holders_(holders),
        contest_(contest),
        policy_((*view.cluster_queues)[contest.queue].preemption),
        workload_((*view.workloads)[contest.workload]) {}

  void collect_own() {
    if (policy_.within_queue == PreemptWithin::Never) return;
    collect(contest_.node, CandidateKind::OwnQueue);
  }

  // Goes upwards subtree by subtree; once a subtree has the quota, all queues that borrow outside
  // of it must yield.
  void collect_hierarchy() {
    if (policy_.within_cohort == ReclaimWithin::Never) return;
    remaining_.assign(contest_.amounts.begin(), contest_.amounts.end());
    bool advantage = covers_rest(contest_.node);
    QuotaNodeId done = contest_.node;
    for (QuotaNodeId top = tree_.parent(done); top.valid(); top = tree_.parent(top)) {
      for_borrowers(top, done, [&](QuotaNodeId queue) {
        collect(queue, advantage ? CandidateKind::Hierarchical : CandidateKind::WithoutBorrowing);
      });
      advantage = covers_rest(top) || advantage;
      done = top;
    }
  }

  void collect_sharers(CandidateKind kind) {
    if (policy_.within_cohort == ReclaimWithin::Never) return;
    for (uint32_t i = 0; i < tree_.node_count(); ++i) {
      QuotaNodeId node(i);
      if (!tree_.queue(node).valid() || node == contest_.node || root(node) != root(contest_.node))
        continue;
      if (!within_quota(tree_, usage_, node, contest_.contested)) collect(node, kind);
    }
  }

  std::vector<Candidate> take() {
    std::sort(found_.begin(), found_.end(), [&](const Candidate& a, const Candidate& b) {
      if (rank(a.kind) != rank(b.kind)) return rank(a.kind) < rank(b.kind);
      return leaves_before(view_, a, b);
    });
    return std::move(found_);
  }

 private:
  static int rank(CandidateKind kind) {
    switch (kind) {
      case CandidateKind::OwnQueue:
        return 2;
      case CandidateKind::WithoutBorrowing:
      case CandidateKind::WhileBorrowing:
        return 1;
      default:
        return 0;
    }
  }

  QuotaNodeId root(QuotaNodeId node) const {
    while (tree_.parent(node).valid()) node = tree_.parent(node);
    return node;
  }

  // Whether the node's quota has room for what is left to find; subtracts what the node itself has
  // free.
  bool covers_rest(QuotaNodeId node) {
    bool covers = true;
    for (QuotaAmount& rest : remaining_) {
      covers = covers && !borrows_with(tree_, usage_, node, rest);
      int64_t free = tree_.local_quota(node, rest.cell) - usage_[tree_.index(node, rest.cell)];
      rest.amount = std::max<int64_t>(0, rest.amount - std::max<int64_t>(0, free));
    }
    return covers;
  }

  // Calls queue(node) for the queues below `top` that borrow and whose Cohorts below `top` all
  // borrow; skips the subtree of `done`.
  template <class Queue>
  void for_borrowers(QuotaNodeId top, QuotaNodeId done, const Queue& queue) {
    std::vector<QuotaNodeId> open = {top};
    while (!open.empty()) {
      QuotaTree::Nodes children = tree_.children(open.back());
      open.pop_back();
      for (uint32_t i = 0; i < children.count; ++i) {
        QuotaNodeId child = children[i];
        if (child == done || within_quota(tree_, usage_, child, contest_.contested)) continue;
        if (tree_.queue(child).valid()) {
          queue(child);
        } else {
          open.push_back(child);
        }
      }
    }
  }

  void collect(QuotaNodeId node, CandidateKind kind) {
    for (WorkloadId workload : holders_.of(tree_.queue(node))) {
      const QuotaHolding& held = holding(view_, workload);
      if (held.held == 0 || !holds_contested(held) || !yields(workload, kind)) continue;
      CandidateKind found = kind;
      if (kind == CandidateKind::WithoutBorrowing && yields_to_borrower(workload)) {
        found = CandidateKind::WhileBorrowing;
      }
      found_.push_back({workload, node, found});
    }
  }

  bool holds_contested(const QuotaHolding& held) const {
    return std::any_of(held.amounts.begin(), held.amounts.end(), [&](const QuotaAmount& amount) {
      return std::find(contest_.contested.begin(), contest_.contested.end(), amount.cell) !=
             contest_.contested.end();
    });
  }

  // Whether the queue's policy lets the workload evict this candidate.
  bool yields(WorkloadId candidate, CandidateKind kind) const {
    const Workload& other = (*view_.workloads)[candidate];
    bool lower = other.priority < workload_.priority;
    if (kind != CandidateKind::OwnQueue) {
      return lower || policy_.within_cohort == ReclaimWithin::Any;
    }
    bool newer = other.priority == workload_.priority && workload_.queued < other.queued;
    return lower || (newer && policy_.within_queue == PreemptWithin::LowerOrNewerEqualPriority);
  }

  bool yields_to_borrower(WorkloadId candidate) const {
    int32_t priority = (*view_.workloads)[candidate].priority;
    return policy_.borrows && priority < workload_.priority &&
           (!policy_.max_borrow_priority || priority <= *policy_.max_borrow_priority);
  }

  const View& view_;
  const QuotaTree& tree_;
  QuotaUsage usage_;
  QuotaHolders& holders_;
  const Contest& contest_;
  const WorkloadPreemption& policy_;
  const Workload& workload_;
  std::vector<QuotaAmount> remaining_;
  std::vector<Candidate> found_;
};

}  // namespace

PreemptionCause cause_of(CandidateKind kind) {
  switch (kind) {
    case CandidateKind::OwnQueue:
      return PreemptionCause::InClusterQueue;
    case CandidateKind::WhileBorrowing:
      return PreemptionCause::InCohortReclaimWhileBorrowing;
    case CandidateKind::ByShare:
      return PreemptionCause::InCohortFairSharing;
    default:
      return PreemptionCause::InCohortReclamation;
  }
}

void QuotaHolders::open(const View& view) {
  view_ = &view;
  known_ = false;
}

std::span<const WorkloadId> QuotaHolders::of(ClusterQueueId queue) {
  if (!known_) read();
  return std::span(workloads_)
      .subspan(first_[queue.value], first_[queue.value + 1] - first_[queue.value]);
}

void QuotaHolders::read() {
  known_ = true;
  first_.assign(view_->cluster_queues->size() + 1, 0);
  // Workloads that were admitted in this session have no admission in their record.
  auto counts = [&](WorkloadId workload) {
    return holding(*view_, workload).queue.valid() && (*view_->workloads)[workload].admission;
  };
  size_t workloads = std::min(view_->workloads->size(), view_->quota_holdings->size());
  for (uint32_t i = 0; i < workloads; ++i) {
    if (counts(WorkloadId(i))) ++first_[holding(*view_, WorkloadId(i)).queue.value];
  }
  uint32_t sum = 0;
  for (uint32_t& first : first_) sum = first += sum;
  workloads_.resize(sum);
  for (uint32_t i = 0; i < workloads; ++i) {
    if (!counts(WorkloadId(i))) continue;
    workloads_[--first_[holding(*view_, WorkloadId(i)).queue.value]] = WorkloadId(i);
  }
}

std::vector<Candidate> classical_candidates(const View& view, QuotaHolders& holders,
                                            const Contest& contest) {
  Collector collector(view, holders, contest);
  collector.collect_own();
  collector.collect_hierarchy();
  return collector.take();
}

std::vector<Candidate> fair_candidates(const View& view, QuotaHolders& holders,
                                       const Contest& contest) {
  QuotaTrial with(*view.quota_tree, *view.quota_usage);
  with.add(contest.node, contest.amounts);
  bool entitled = within_quota(*view.quota_tree, with.usage(), contest.node, contest.contested);
  Collector collector(view, holders, contest);
  collector.collect_own();
  collector.collect_sharers(entitled ? CandidateKind::Entitled : CandidateKind::ByShare);
  return collector.take();
}

bool leaves_before(const View& view, const Candidate& a, const Candidate& b) {
  const QuotaHolding& held_by_a = holding(view, a.workload);
  const QuotaHolding& held_by_b = holding(view, b.workload);
  const Workload& of_a = (*view.workloads)[a.workload];
  const Workload& of_b = (*view.workloads)[b.workload];
  if (of_a.priority != of_b.priority) return of_a.priority < of_b.priority;
  if (held_by_a.reserved_at != held_by_b.reserved_at) {
    return held_by_a.reserved_at > held_by_b.reserved_at;
  }
  if (of_a.uid != of_b.uid) return of_a.uid < of_b.uid;
  const StringTable& strings = view.vocabulary->strings;
  int by_space = strings.view(of_a.name_space).compare(strings.view(of_b.name_space));
  return by_space != 0 ? by_space < 0 : of_a.name < of_b.name;
}

}  // namespace trellis
