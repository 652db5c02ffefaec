// The cluster: records with stable ids, names resolved, and what changed since the last
// take_changes().
//
// The class of a pod contains which terms of other pods select it. A term that is new to the
// cluster moves the pods that it selects to other classes; the pods that workloads and DaemonSets
// will make are moved at the next take_changes().
//
// Words: a table slot is an id's position in its table; a removed record leaves a vacant slot
// (alive() is false) that a later record of the same kind may take. Slot order carries no meaning.
// Guarantees: takes changes only between cycles; every decision-relevant order is by name.
// Cost: each change O(1) hash look-ups plus the size of the record; a term that is new O(pods),
// and once between two take_changes() O(PodSets).
#pragma once

#include <absl/container/flat_hash_map.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "framework/device_claims.h"
#include "framework/disruption_budget.h"
#include "framework/gang.h"
#include "framework/ids.h"
#include "framework/indexed_vector.h"
#include "framework/moved_gpus.h"
#include "framework/node.h"
#include "framework/node_request.h"
#include "framework/pod.h"
#include "framework/queue.h"
#include "framework/reservation.h"
#include "framework/topology.h"
#include "framework/vocabulary.h"
#include "framework/volumes.h"
#include "session/cluster/named_table.h"
#include "session/cluster/objects.h"
#include "session/cluster/pod_selectors.h"
#include "session/cluster/workload_records.h"
#include "session/cluster/zone_leavers.h"

namespace trellis {

// The changes since the last take_changes(). Ids may repeat and may be vacant by now.
struct ClusterChanges {
  std::vector<NodeId> nodes;  // records that changed, or whose pods did
  std::vector<PodId> pods;
  std::vector<PodId> arrived;  // pods that are new, or whose scheduling gates are gone
  std::vector<GangId> gangs;   // records that changed, or whose pods did
  bool node_set = false;       // a node was added, removed, or changed its labels
  bool topologies = false;
  bool queues = false;
  bool budgets = false;
  bool storage = false;
  bool devices = false;  // that many nodes may reach
  WorkloadChanges workloads;
  bool empty() const {
    return nodes.empty() && pods.empty() && gangs.empty() && !node_set && !topologies && !queues &&
           !budgets && !storage && !devices && workloads.empty();
  }
};

class Cluster {
 public:
  Cluster();
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  Vocabulary& vocabulary() { return vocabulary_; }
  const Vocabulary& vocabulary() const { return vocabulary_; }

  // Adds or replaces records by name. Strings and resources must be interned in vocabulary().
  void add(Objects objects);
  void apply(ObjectChanges changes);
  void upsert(NameSpace name_space);
  NodeId upsert(Node node);
  PodId upsert(Pod pod, PodSpec spec);
  GangId upsert(Gang gang);
  QueueId upsert(Queue queue);
  TopologyId upsert(Topology topology);
  BudgetId upsert(DisruptionBudget budget);
  void upsert(Volume volume);
  void upsert(StoragePool pool);
  void upsert(DeviceSlice slice);
  void upsert(DeviceClass device_class);
  void upsert(DeviceTaints taints);
  void upsert(DeviceClaim claim);
  void upsert(NodeRequest request);
  void upsert(Reservation reservation);
  WorkloadId upsert(Workload workload);
  void upsert(DaemonSet set);
  void remove_node(std::string_view name);
  void remove_pod(StrId name_space, std::string_view name);
  void remove_gang(std::string_view name_space, std::string_view name);
  void remove_queue(std::string_view name);
  void remove_topology(std::string_view name);
  void remove_budget(std::string_view name_space, std::string_view name);
  void remove_node_request(std::string_view name_space, std::string_view name);

  // Changes a workload as the cluster would report it.
  Workload& edit(WorkloadId workload);

  // The class of pods of class `base` with what `flavor` adds, restricted to nodes that have the
  // label of every level of the flavor's topology.
  PodClassId flavored(PodClassId base, FlavorId flavor);

  // Moves an existing pod, as the cluster would report it. `node` kNone: it has none. A pod that is
  // no longer leaving loses its leaving time.
  void set_pod(PodId pod, PodStatus status, NodeId node, TimeUs started);
  // Sets the node that a pending pod is promised; kNone: none.
  void set_promise(PodId pod, NodeId node);

  // Sets since when a gang runs, and since when it runs below its minimum; kNoTime: it does not.
  void set_gang_times(GangId gang, TimeUs started, TimeUs stale_since);

  // Sets what defragmentation has moved in the current hour.
  void set_moved_gpus(const MovedGpus& moved) { moved_gpus_ = moved; }
  const MovedGpus& moved_gpus() const { return moved_gpus_; }

  NodeId find_node(std::string_view name) const { return nodes_.find(name); }
  PodId find_pod(std::string_view name_space, std::string_view name) const;
  GangId find_gang(std::string_view name_space, std::string_view name) const;
  QueueId find_queue(std::string_view name) const { return queues_.find(name); }
  TopologyId find_topology(std::string_view name) const { return topologies_.find(name); }
  BudgetId find_budget(std::string_view name_space, std::string_view name) const;

  // Tables by id, vacant slots included.
  const IndexedVector<NodeId, Node>& nodes() const { return nodes_.all(); }
  const IndexedVector<PodId, PodSlot>& pods() const { return pods_.all(); }
  const IndexedVector<GangId, Gang>& gangs() const { return gangs_.all(); }
  const IndexedVector<QueueId, Queue>& queues() const { return queues_.all(); }
  const IndexedVector<TopologyId, Topology>& topologies() const { return topologies_.all(); }
  const IndexedVector<BudgetId, DisruptionBudget>& budgets() const { return budgets_.all(); }
  const IndexedVector<NodeRequestId, NodeRequest>& node_requests() const {
    return node_requests_.all();
  }
  const IndexedVector<PodClassId, PodSpec>& pod_classes() const { return pod_classes_; }
  const WorkloadRecords& workloads() const { return workloads_; }
  const Storage& storage() const { return storage_; }
  const DeviceStock& devices() const { return devices_; }
  const std::map<std::string, Reservation>& reservations() const {
    return reservations_;
  }  // by name

  bool alive(NodeId id) const { return nodes_.alive(id); }
  bool alive(PodId id) const { return pods_.alive(id); }
  bool alive(GangId id) const { return gangs_.alive(id); }
  bool alive(QueueId id) const { return queues_.alive(id); }
  bool alive(TopologyId id) const { return topologies_.alive(id); }
  bool alive(BudgetId id) const { return budgets_.alive(id); }
  bool alive(NodeRequestId id) const { return node_requests_.alive(id); }

  const std::vector<PodId>& pods_of(NodeId node) const { return pods_of_node_[node]; }
  const std::vector<PodId>& pods_of(GangId gang) const { return pods_of_gang_[gang]; }

  const IndexedVector<GangId, std::vector<PodId>>& pods_of_gang() const { return pods_of_gang_; }

  // The labels of a namespace that was read, or that a workload is in.
  const Labels& name_space_labels(StrId name_space) const {
    return pod_selectors_.known_labels(name_space);
  }

  // Those that were read, and those of pods and workloads; by id of the name.
  std::vector<NameSpace> name_spaces() const { return pod_selectors_.name_spaces(); }

  // The pods with a promise, in no order.
  const std::vector<PodId>& promised_pods() const { return promised_pods_; }

  // The pods that failed on a node, with the time when they did, in no order.
  const std::vector<PodId>& failed_pods() const { return failed_pods_; }

  // The request for nodes that was made for the gang, the first by name; null: there is none.
  // O(requests).
  const NodeRequest* node_request_of(GangId gang) const;

  // Live ids in order of name (namespace, then name).
  std::vector<NodeId> nodes_by_name() const;
  std::vector<PodId> pods_by_name() const;
  std::vector<GangId> gangs_by_name() const;

  // Grows with every change; equal generations mean nothing changed.
  uint64_t generation() const { return generation_; }
  ClusterChanges take_changes();
  // Marks all records as changed, for a reader that starts again.
  void mark_all_changed();

  // Throws BrokenCheck when an invariant is broken: every name resolves to its slot, every pod is
  // in exactly the lists of its node and gang. O(everything).
  void check_invariants() const;

 private:
  void add_pods(std::vector<PodObject>& pods);
  PodId enter(Pod pod, PodClassId pod_class);
  PodClassId intern_class(PodSpec spec);
  void settle_terms(const Pod& pod, PodSpec& spec);
  void reclassify(PodId pod, std::vector<PodSelectorId> matched);
  PodClassId matched_class(PodClassId base, std::vector<PodSelectorId> matched);
  void match_pod_sets();
  GangId gang_slot(StrId key);
  void name_labels(const Gang& gang, int64_t by);
  void name_label(const TopologyConstraint& constraint, int64_t by);
  void detach(PodId pod);
  void attach(PodId pod);
  void resolve_waiting_pods(NodeId node);
  void note(PodId pod);
  void note_gang(StrId key);
  void note_leaver(PodId pod, const ZonesHeld& held);
  void remove_workloads(const RemovedObjects& removed);
  void remove_storage(const RemovedObjects& removed);
  void remove_devices(const RemovedObjects& removed);
  void note_reach(const devices::Reach& reach);
  void note_devices(const DeviceClaim& claim);
  void log_claim(const std::string& name);
  void remove_reservations(const RemovedObjects& removed);

  Vocabulary vocabulary_;
  NamedTable<NodeId, Node> nodes_;
  NamedTable<PodId, PodSlot, RecordIndex> pods_;
  NamedTable<GangId, Gang, StringIndex> gangs_;  // "namespace/name"
  NamedTable<QueueId, Queue> queues_;
  NamedTable<TopologyId, Topology> topologies_;
  absl::flat_hash_map<uint32_t, int64_t> label_topologies_;  // by name: parts of gangs that name it
  NamedTable<BudgetId, DisruptionBudget> budgets_;           // "namespace/name"
  NamedTable<NodeRequestId, NodeRequest> node_requests_;     // "namespace/name"
  IndexedVector<PodClassId, PodSpec> pod_classes_;
  IndexedVector<NodeId, std::vector<PodId>> pods_of_node_;
  IndexedVector<GangId, std::vector<PodId>> pods_of_gang_;
  std::vector<PodId> promised_pods_;
  std::vector<PodId> failed_pods_;
  std::vector<PodId> homeless_;  // pods that name a node that is not in the cluster
  PodSelectors pod_selectors_;
  bool unmatched_pod_sets_ = false;  // terms may select other pods of workloads and DaemonSets now
  absl::flat_hash_map<size_t, std::vector<PodClassId>> class_ids_;  // by hash; never iterated
  WorkloadRecords workloads_;
  Storage storage_;
  DeviceStock devices_;
  std::map<std::string, Reservation> reservations_;
  MovedGpus moved_gpus_;
  ClusterChanges changes_;
  uint64_t generation_ = 0;
};

}  // namespace trellis
