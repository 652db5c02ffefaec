// The read-only view of a session that plugins have: records and columns. Valid while the session
// is open.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "framework/config.h"
#include "framework/gang.h"
#include "framework/ids.h"
#include "framework/indexed_vector.h"
#include "framework/node.h"
#include "framework/node_class.h"
#include "framework/node_state.h"
#include "framework/pod.h"
#include "framework/queue.h"
#include "framework/queue_amounts.h"
#include "framework/topology.h"
#include "framework/vocabulary.h"

namespace trellis {

class QueueTree;
class TopologyTree;
class DomainCounts;
struct SegmentLevel;
class NodeValues;
class ChangeLog;
class QuotaTree;
struct ClusterQueue;
struct Flavor;
struct QuotaHolding;
struct Workload;
struct Storage;
struct DeviceStock;

// The numbers of placed and waiting pods of a gang, or of a leaf subgroup.
struct GangCounts {
  int64_t placed = 0;   // count for the minimum: bound, running, promised a node, succeeded
  int64_t waiting = 0;  // pending and free to be placed
};

// Allocatable pods of a class, per domain of a topology; brought up to date at each call.
class CountSource {
 public:
  virtual ~CountSource() = default;
  virtual const DomainCounts& domain_counts(TopologyId topology, PodClassId pod_class,
                                            FitMode mode) = 0;
  // The same in whole segments of these layers, coarse to fine. Good until the next call for the
  // class.
  virtual const DomainCounts& whole_counts(TopologyId topology, PodClassId pod_class, FitMode mode,
                                           std::span<const SegmentLevel> layers) = 0;
  virtual int32_t node_fit(NodeId node, PodClassId pod_class, FitMode mode) = 0;
  // The verdict of the class filters; None: the class fits.
  virtual ReasonCode class_verdict(PodClassId pod_class, NodeId node) = 0;
  virtual const IndexedVector<NodeId, int32_t>& node_fits(PodClassId pod_class, FitMode mode) = 0;
  // False: pods on other nodes also limit this class, so that counts are only upper bounds.
  virtual bool exact(PodClassId pod_class) const = 0;
  // False: no pod is leaving, so FitMode::Future gives the same as FitMode::Now.
  virtual bool anything_leaving() const = 0;
};

struct View {
  const Config* config = nullptr;
  const Vocabulary* vocabulary = nullptr;
  const IndexedVector<NodeId, Node>* nodes = nullptr;
  const IndexedVector<PodId, PodSlot>* pods = nullptr;
  const IndexedVector<GangId, Gang>* gangs = nullptr;
  const IndexedVector<GangId, std::vector<PodId>>* pods_of_gang = nullptr;  // in no order
  const IndexedVector<PodClassId, PodSpec>* pod_classes = nullptr;
  const IndexedVector<NodeClassId, NodeClass>* node_classes = nullptr;
  const IndexedVector<NodeId, NodeClassId>* class_of_node = nullptr;
  const NodeState* state = nullptr;
  const IndexedVector<GangId, GangCounts>* gang_counts = nullptr;
  const IndexedVector<GangId, std::vector<GangCounts>>* subgroup_counts = nullptr;  // by subgroup
  const IndexedVector<QueueId, Queue>* queues = nullptr;
  const QueueTree* queue_tree = nullptr;
  const IndexedVector<QueueId, QueueUse>* queue_use = nullptr;  // queues below them included
  const IndexedVector<GangId, QueueUse>* gang_use = nullptr;
  const QueueAmounts* queue_capacity = nullptr;                          // what the queues share
  const IndexedVector<GangId, Maybe<QueueId>>* queue_of_gang = nullptr;  // none: no such queue
  const IndexedVector<TopologyId, Topology>* topologies = nullptr;
  const IndexedVector<TopologyId, TopologyTree>* trees = nullptr;
  CountSource* counts = nullptr;
  const NodeValues* node_values = nullptr;
  const QuotaTree* quota_tree = nullptr;
  const std::vector<int64_t>* quota_usage = nullptr;  // by QuotaTree::index()
  const IndexedVector<ClusterQueueId, ClusterQueue>* cluster_queues = nullptr;
  const IndexedVector<FlavorId, Flavor>* flavors = nullptr;
  const IndexedVector<WorkloadId, Workload>* workloads = nullptr;
  const IndexedVector<WorkloadId, QuotaHolding>* quota_holdings = nullptr;
  const TopologyTree* all_nodes = nullptr;          // without levels: in order of name
  const ChangeLog* changes = nullptr;               // nodes whose columns changed
  const std::vector<PodId>* failed_pods = nullptr;  // on a node, with the time; in no order
  const Storage* storage = nullptr;
  const DeviceStock* devices = nullptr;
};

}  // namespace trellis
