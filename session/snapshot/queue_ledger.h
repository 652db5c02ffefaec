// The amounts that queues hold and request: the queue tree, the queue of each gang, and the sums.
//
// A gang in the background counts for no queue.
// Guarantees: a queue's amounts are those of the gangs below it; a gang's are those of its pods.
// Without queues nothing is counted. Cost: a pod that is placed or evicted O(depth of its queue); a
// gang that changed O(its pods); queues that changed, or a saturated sum, O(gangs).
#pragma once

#include <span>
#include <vector>

#include "framework/gang.h"
#include "framework/queue_amounts.h"
#include "framework/queue_tree.h"
#include "session/cluster/cluster.h"
#include "session/snapshot/undo_log.h"

namespace trellis {

class QueueLedger {
 public:
  explicit QueueLedger(QueueTree::Shape shape) : shape_(shape) {}

  // Follows the cluster: after its changes were taken, before anything is charged.
  void refresh(const Cluster& cluster, const ClusterChanges& changes);

  const QueueTree& tree() const { return tree_; }
  const IndexedVector<QueueId, QueueUse>& use() const { return use_; }
  // None: the gang is in no queue of the tree.
  const IndexedVector<GangId, Maybe<QueueId>>& queue_of_gang() const { return queue_of_gang_; }
  const IndexedVector<GangId, QueueUse>& gang_use() const { return gang_use_; }
  const QueueUse& of(GangId gang) const { return gang_use_[gang]; }
  // Gangs that name the queue itself, in no order.
  std::span<const GangId> gangs_of(QueueId queue) const { return gangs_of_[queue]; }
  // The amounts that the queues share: all open nodes (is_closed), less what pods of other
  // schedulers hold.
  const QueueAmounts& capacity() const { return capacity_; }

  // The amounts that a pod counts for: on a node, or (kNone) while it waits, when it takes parts of
  // a GPU by memory on the smallest one.
  QueueAmounts amounts(const Cluster& cluster, PodClassId pod_class, NodeId node) const;

  // Charges a pod of the gang that came to stay (times 1) or no longer does (-1).
  void charge(UndoLog& log, GangId id, const Gang& gang, const QueueAmounts& amounts,
              int64_t times);

  void check_invariants(const Cluster& cluster) const;

 private:
  // What a gang that keeps its minimum holds that is not preemptible: of its pods that stay, as
  // many as the minimum still needs, each counted as their average.
  struct Core {
    int64_t staying = 0;  // pods; a cell of the undo log
    int64_t needed = 0;
    QueueAmounts of(const QueueAmounts& allocated) const;
  };

  void resolve(const Cluster& cluster, GangId gang);
  void move_gang(GangId gang, Maybe<QueueId> to);
  QueueUse count(const Cluster& cluster, GangId gang);
  void recount(const Cluster& cluster, GangId gang);
  bool read_gpu_memory(const Cluster& cluster);
  void add_up(GangId gang, int64_t times);
  void measure(const Cluster& cluster, NodeId node);
  void measure_nodes(const Cluster& cluster, const ClusterChanges& changes);
  void measure_all(const Cluster& cluster);

  QueueTree::Shape shape_;
  QueueTree tree_;
  IndexedVector<QueueId, QueueUse> use_;
  IndexedVector<GangId, Maybe<QueueId>> queue_of_gang_;
  IndexedVector<QueueId, std::vector<GangId>> gangs_of_;
  IndexedVector<GangId, uint32_t> index_;  // in gangs_of_ of its queue
  IndexedVector<GangId, QueueUse> gang_use_;
  IndexedVector<GangId, Core> cores_;  // of gangs that keep their minimum
  IndexedVector<NodeId, QueueAmounts> node_capacity_;
  QueueAmounts capacity_;
  int64_t least_gpu_memory_mib_ = 0;  // of one device of any node; 0: unknown
  bool saturated_ = false;            // a sum has saturated since it was made
};

}  // namespace trellis
