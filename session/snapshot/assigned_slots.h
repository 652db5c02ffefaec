// Slots of admitted workloads: room that they keep whether or not the pods exist yet.
//
// Words: a *slot row* is a number of equal pods of one PodSet on one node, or (loose) in one
// domain, where the topology ends above single nodes. What its pods already hold is not held twice.
// Guarantees: rows of a workload follow its record; a slot in a domain that does not exist, or on a
// node that is not fit any more, is *lost*.
// Cost: a workload that changed O(its domains + pods); topologies or nodes that came or went
// O(workloads).
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "framework/ids.h"
#include "framework/indexed_vector.h"
#include "session/cluster/cluster.h"
#include "session/cluster/id_set.h"
#include "topology/tree.h"

namespace trellis {

struct SlotRow {
  WorkloadId workload;
  uint32_t pod_set = 0;
  PodClassId pod_class;
  int32_t count = 0;
};

struct DomainSlots {
  SlotRow row;
  TopologyId topology;
  DomainId domain;
};

struct LostSlots {
  uint32_t pod_set = 0;
  std::string value;  // of the lowest level: a hostname
  int32_t count = 0;
  bool gone = false;  // no such domain is left; else its node is not Ready
};

class AssignedSlots {
 public:
  // Removes the slots of the workload; appends nodes whose rows changed.
  void remove(WorkloadId workload, std::vector<NodeId>& nodes);
  // Adds the slots of an admitted workload. `topologies`, by PodSet: that of its flavor; kNone:
  // none. `classes`, by PodSet: with what its flavor adds.
  struct Source {
    WorkloadId workload;
    std::span<const TopologyId> topologies;
    std::span<const PodClassId> classes;
  };
  void add(const Cluster& cluster, const IndexedVector<TopologyId, TopologyTree>& trees,
           const Source& source, std::vector<NodeId>& nodes);
  // Trees are new: earlier look-ups are no longer valid.
  void forget_names() { by_hostname_.clear(); }
  // Appends workloads with slots on those of the nodes that became fit or stopped being fit.
  void find_flipped(const Cluster& cluster, std::span<const NodeId> nodes,
                    std::vector<WorkloadId>& workloads);
  void resize(size_t nodes, size_t workloads);

  std::span<const SlotRow> of(NodeId node) const { return rows_[node]; }
  std::span<const DomainSlots> loose(WorkloadId workload) const { return loose_[workload]; }
  // Workloads with loose slots, in no order.
  std::span<const WorkloadId> with_loose() const { return with_loose_.ids(); }
  std::span<const LostSlots> lost(WorkloadId workload) const { return lost_[workload]; }
  // Nodes with slots of the workload.
  std::span<const NodeId> nodes(WorkloadId workload) const { return nodes_of_[workload]; }

  // The domain of an assignment's values; kNone: no such domain. If several domains have the given
  // hostname, the first.
  DomainId find(const TopologyTree& tree, TopologyId topology, const Topology& levels,
                const StringTable& strings, std::span<const StrId> assigned_levels,
                std::span<const StrId> values) const;
  // Whether the domain's value is unique among those of the deepest level.
  bool has_own_name(const TopologyTree& tree, TopologyId topology, DomainId leaf) const;

 private:
  // The domains of the deepest level with one value.
  struct Named {
    DomainId first;
    bool several = false;
  };
  using Names = absl::flat_hash_map<uint32_t, Named>;

  const Names& names_of(const TopologyTree& tree, TopologyId topology) const;
  void add_pod_set(const Cluster& cluster, const TopologyTree& tree, TopologyId topology,
                   const SlotRow& row, const PodSetAdmission& admission, int32_t reclaimed,
                   std::vector<NodeId>& nodes);

  IndexedVector<NodeId, std::vector<SlotRow>> rows_;
  IndexedVector<WorkloadId, std::vector<DomainSlots>> loose_;
  IdSet<WorkloadId> with_loose_;
  IndexedVector<WorkloadId, std::vector<LostSlots>> lost_;
  IndexedVector<WorkloadId, std::vector<NodeId>> nodes_of_;
  IndexedVector<NodeId, uint8_t> usable_;  // when last looked at
  // By topology: hostname (a value of the deepest level) to domain; built on first use.
  mutable std::vector<Names> by_hostname_;
};

// Pods of the PodSet on the node: those that are on it now, and those that will stay.
struct SlotUse {
  int32_t now = 0;
  int32_t future = 0;
};
SlotUse slot_use(const Cluster& cluster, NodeId node, const SlotRow& row);

}  // namespace trellis
