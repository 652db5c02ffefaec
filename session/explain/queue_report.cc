#include "session/explain/queue_report.h"

#include <algorithm>

#include "framework/queue_tree.h"
#include "session/placement/gang_needs.h"

namespace trellis {
namespace {

class QueueReporter {
 public:
  explicit QueueReporter(const Session& session)
      : session_(session),
        queues_(session.snapshot().queues()),
        tree_(queues_.tree()),
        reports_(tree_.size()),
        firsts_(tree_.size()),
        needs_(tree_.size()),
        served_(tree_.size()) {}

  std::vector<QueueReport> run() {
    for (QueueId queue : tree_.order()) describe(queue);
    count_gangs();
    for (size_t i = tree_.order().size(); i-- > 0;) sort_gangs(tree_.order()[i]);
    if (session_.hooks().queue_rules != nullptr) number_leaves();
    return in_order();
  }

 private:
  void describe(QueueId queue) {
    QueueReport& report = reports_[queue];
    const QueueUse& use = queues_.use()[queue];
    report.queue = queue;
    report.is_leaf = tree_.is_leaf(queue);
    QueueId parent = tree_.parent(queue);
    report.depth = parent.valid() ? reports_[parent].depth + 1 : 0;
    report.allocated = use.allocated;
    report.non_preemptible = use.non_preemptible;
    report.requested = use.allocated;
    if (session_.hooks().queue_rules == nullptr) return;
    report.has_figures = true;
    report.figures = session_.hooks().queue_rules->figures(queue);
    report.requested = report.figures.requested;
  }

  bool has_finished(GangId gang) const {
    const std::vector<PodId>& pods = session_.cluster().pods_of(gang);
    return !pods.empty() && std::all_of(pods.begin(), pods.end(), [&](PodId pod) {
      return trellis::has_finished(session_.snapshot().pod(pod).status);
    });
  }

  void count_gangs() {
    for (GangId gang : session_.cluster().gangs_by_name()) {
      if (!queues_.queue_of_gang()[gang] || has_finished(gang)) continue;
      QueueId queue = *queues_.queue_of_gang()[gang];
      bool waits = session_.snapshot().gang_counts()[gang].waiting > 0;
      if (waits && tree_.is_leaf(queue)) reports_[queue].by_turn.push_back(gang);
      QueueAmounts asked = reports_[queue].has_figures ? QueueAmounts() : waiting_amounts(gang);
      for (QueueId at = queue; at.valid(); at = tree_.parent(at)) {
        ++reports_[at].gangs;
        reports_[at].waiting += session_.has_minimum(gang) ? 0 : 1;
        reports_[at].requested.add(asked);
      }
    }
  }

  QueueAmounts waiting_amounts(GangId gang) const {
    QueueAmounts sum;
    for (PodId pod : session_.waiting_pods(gang)) {
      PodClassId pod_class = session_.snapshot().key(pod).pod_class;
      sum.add(queues_.amounts(session_.cluster(), pod_class, NodeId()));
    }
    return sum;
  }

  // Children before their parents: finds the gang that would be first, and orders the children.
  void sort_gangs(QueueId queue) {
    if (tree_.is_leaf(queue)) {
      std::vector<GangId>& gangs = reports_[queue].by_turn;
      std::sort(gangs.begin(), gangs.end(),
                [&](GangId a, GangId b) { return session_.gang_before(a, b); });
      if (gangs.empty()) return;
      firsts_[queue] = gangs.front();
      needs_[queue] = next_amounts(session_, gangs.front());
      return;
    }
    served_[queue] = in_turn(tree_.children(queue));
    QueueId first = served_[queue].front();
    firsts_[queue] = firsts_[first];
    needs_[queue] = needs_[first];
  }

  std::vector<QueueId> in_turn(std::span<const QueueId> siblings) const {
    std::vector<QueueId> order(siblings.begin(), siblings.end());
    const QueueRules* rules = session_.hooks().queue_rules;
    if (rules == nullptr) return order;
    std::stable_sort(order.begin(), order.end(), [&](QueueId a, QueueId b) {
      if (firsts_[a].valid() != firsts_[b].valid()) return firsts_[a].valid();
      return rules->compare({a, firsts_[a], &needs_[a]}, {b, firsts_[b], &needs_[b]}) < 0;
    });
    return order;
  }

  void number_leaves() {
    int64_t leaves = 0;
    std::vector<QueueId> open;
    auto enter = [&](const std::vector<QueueId>& siblings) {
      int64_t position = 0;
      for (QueueId queue : siblings) {
        if (!tree_.is_open(queue) && !tree_.is_leaf(queue)) reports_[queue].position = ++position;
        if (!tree_.is_open(queue) && tree_.is_leaf(queue)) ++position;
      }
      open.insert(open.end(), siblings.rbegin(), siblings.rend());
    };
    enter(in_turn(tree_.children(QueueId())));
    while (!open.empty()) {
      QueueId queue = open.back();
      open.pop_back();
      if (!tree_.is_leaf(queue)) {
        enter(served_[queue]);
      } else if (!tree_.is_open(queue)) {
        reports_[queue].position = ++leaves;
      }
    }
  }

  std::vector<QueueReport> in_order() {
    std::vector<QueueReport> ordered;
    std::span<const QueueId> roots = tree_.children(QueueId());
    std::vector<QueueId> open(roots.rbegin(), roots.rend());
    while (!open.empty()) {
      QueueId queue = open.back();
      open.pop_back();
      if (tree_.is_open(queue)) continue;
      ordered.push_back(std::move(reports_[queue]));
      std::span<const QueueId> children = tree_.children(queue);
      open.insert(open.end(), children.rbegin(), children.rend());
    }
    return ordered;
  }

  const Session& session_;
  const QueueLedger& queues_;
  const QueueTree& tree_;
  IndexedVector<QueueId, QueueReport> reports_;
  IndexedVector<QueueId, GangId> firsts_;  // kNone: no gang waits
  IndexedVector<QueueId, QueueAmounts> needs_;
  IndexedVector<QueueId, std::vector<QueueId>> served_;  // of inner queues: their children
};

}  // namespace

std::vector<QueueReport> report_queues(const Session& session) {
  if (session.snapshot().queues().tree().empty()) return {};
  return QueueReporter(session).run();
}

}  // namespace trellis
