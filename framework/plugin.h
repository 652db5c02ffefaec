// The plugin interface: the points that a plugin may supply, as callbacks over ids and spans.
//
// A plugin is created once and opened in each session; in open() it registers the points it
// supplies. Callbacks over nodes take batches of nodes, so a virtual call costs per pod class, not
// per node. Their answers depend only on the pod class and on the state of the nodes in the call:
// sessions keep answers until a node changes. An answer that depends on pods on other nodes is
// given by a PodLinks or a LinkScorer, which are called again after each placement.
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "framework/bind_note.h"
#include "framework/device_claims.h"
#include "framework/gang.h"
#include "framework/gpu_grant.h"
#include "framework/ids.h"
#include "framework/learned_mix.h"
#include "framework/placement_preference.h"
#include "framework/presence.h"
#include "framework/queue_amounts.h"
#include "framework/reason.h"
#include "framework/time.h"
#include "framework/view.h"
#include "framework/volumes.h"

namespace trellis {

class QuotaRules;

[[noreturn]] void break_single_point(std::string_view first, std::string_view second);

// Decides from the node class alone; the verdict is kept per (pod class, node class).
class ClassFilter {
 public:
  virtual ~ClassFilter() = default;
  virtual ReasonCode verdict(PodClassId pod_class, NodeClassId node_class) const = 0;  // None: fits
  // Appends all refusals, for reports; verdict() gives the first of them.
  virtual void append_verdicts(PodClassId pod_class, NodeClassId node_class,
                               std::vector<ReasonCode>& codes) const {
    ReasonCode code = verdict(pod_class, node_class);
    if (code != ReasonCode::None) codes.push_back(code);
  }
};

// Counts, from the state of a node, how many pods of a class it can take.
class NodeCounter {
 public:
  virtual ~NodeCounter() = default;
  // Whether the counter limits pods of this class at all.
  virtual bool applies(PodClassId pod_class) const = 0;
  // Lowers counts[i] to what nodes[i] can take; never raises it.
  virtual void count_fit(PodClassId pod_class, FitMode mode, std::span<const NodeId> nodes,
                         std::span<int32_t> counts) const = 0;
  // Why count_fit gives 0 for the node; None when it does not.
  virtual ReasonCode refusal(PodClassId pod_class, FitMode mode, NodeId node) const = 0;
  // Appends all causes, for reports; refusal() gives the first of them.
  virtual void append_refusals(PodClassId pod_class, FitMode mode, NodeId node,
                               std::vector<ReasonCode>& codes) const {
    ReasonCode code = refusal(pod_class, mode, node);
    if (code != ReasonCode::None) codes.push_back(code);
  }
  // Whether a pod that was evicted in this session could stay on its node after all, beside what
  // was placed there since. Asked where the node takes one more pod of the class.
  virtual bool may_stay(PodId /*pod*/, NodeId /*node*/) const { return true; }
};

// Adds weight * score to out[i] for nodes[i]; more is better.
class NodeScorer {
 public:
  virtual ~NodeScorer() = default;
  // False: every node that can take a pod of the class scores the same.
  virtual bool distinguishes(PodClassId pod_class, FitMode mode) const = 0;
  virtual void score(PodClassId pod_class, std::span<const NodeId> nodes, double weight,
                     std::span<double> out) const = 0;
  // Grows, between sessions only, whenever the scores of nodes that did not change may be others.
  virtual uint64_t score_epoch() const { return 0; }
};

// Decides from the pods on other nodes too. Nodes that have the same values of the class's link
// keys get the same verdict. A class with links is *linked*; its counts are upper bounds.
class PodLinks {
 public:
  virtual ~PodLinks() = default;
  virtual bool links(PodClassId pod_class) const = 0;
  // Appends labels of nodes; may repeat.
  virtual void link_keys(PodClassId pod_class, std::vector<StrId>& keys) const = 0;
  // The verdict in the current state of the statement; None: fits. Cost: O(terms).
  virtual ReasonCode link_verdict(PodClassId pod_class, FitMode mode, NodeId node) const = 0;
  // Grows whenever a placement may have changed verdicts of nodes that share no value of a link key
  // with the node of that placement.
  virtual uint64_t affinity_epoch() const = 0;
  // Whether a set of nodes that works in one order of the pods may not work in another order.
  virtual bool order_matters(PodClassId pod_class) const = 0;
  // Appends keys of which all pods of the class must share one value, because the first that is
  // placed binds the others.
  virtual void binding_keys(PodClassId pod_class, FitMode mode, std::vector<StrId>& keys) const = 0;
  // Appends keys of which each value takes at most one pod of the class.
  virtual void exclusive_keys(PodClassId pod_class, std::vector<StrId>& keys) const = 0;
  // A bound on the pods of the class that `nodes` take together when no other pods are placed;
  // fits[i]: what nodes[i] takes by count.
  virtual int64_t most_alone(PodClassId pod_class, std::span<const NodeId> nodes,
                             std::span<const int32_t> fits) const = 0;
  // Whether pods of `other` satisfy the pod affinity that the class requires.
  virtual bool meets_affinity(PodClassId pod_class, PodClassId other) const = 0;
};

// Scores nodes against each other by the pods around them: `nodes` are all that can take the pod.
// Nodes that have the same values of the class's score keys score the same.
class LinkScorer {
 public:
  virtual ~LinkScorer() = default;
  virtual bool scores_links(PodClassId pod_class) const = 0;
  virtual void score_keys(PodClassId pod_class, std::vector<StrId>& keys) const = 0;
  // Adds weight * score to out[i] for nodes[i].
  virtual void score_links(PodClassId pod_class, FitMode mode, std::span<const NodeId> nodes,
                           double weight, std::span<double> out) const = 0;
};

// Chooses the devices of a pod that shares GPUs. Empty: the node has no devices to grant.
class DeviceGranter {
 public:
  virtual ~DeviceGranter() = default;
  // Leaves room for as many of the next `followers` pods of the class as the node can take.
  virtual GpuGrant grant(PodClassId pod_class, FitMode mode, NodeId node,
                         int64_t followers) const = 0;
  // All choices, except between equal devices; for a search that tries them all.
  virtual GpuChoices choices(PodClassId pod_class, FitMode mode, NodeId node) const = 0;
};

// Receives every placement, to keep state of its own; a rollback calls the opposite in reverse
// order.
class PlacementListener {
 public:
  virtual ~PlacementListener() = default;
  virtual bool tracks(PodClassId pod_class) const = 0;
  virtual void placed(PodClassId pod_class, NodeId node, Presence presence) = 0;
  virtual void removed(PodClassId pod_class, NodeId node, Presence presence) = 0;
  // The same calls for an existing pod. placed() and removed() alone are about a slot that a pod of
  // a workload will take.
  virtual void pod_placed(PodId /*pod*/, PodClassId pod_class, NodeId node, Presence presence) {
    placed(pod_class, node, presence);
  }
  virtual void pod_removed(PodId /*pod*/, PodClassId pod_class, NodeId node, Presence presence) {
    removed(pod_class, node, presence);
  }
  // Called once when a session opens, after the calls about what has changed since the last one: no
  // pod that left before comes back by a rollback.
  virtual void settled() {}
  // Whether it is called with Presence::Spare; else spares are promised pods.
  virtual bool distinguishes_spares() const { return false; }
};

inline Presence presence_for(const PlacementListener& listener, Presence presence) {
  bool promised = presence == Presence::Spare && !listener.distinguishes_spares();
  return promised ? Presence::Promised : presence;
}

// Receives the classes of the pods that are new to the cluster, or whose scheduling gates are gone.
class ArrivalListener {
 public:
  virtual ~ArrivalListener() = default;
  // Called once when a session opens, before all other points but those of PlacementListener. In
  // no order; a class may repeat.
  virtual void arrived(std::span<const PodClassId> pod_classes) = 0;
  // What it has learned. `present`: the classes of the pods that a scheduler which continues with
  // the result will read again; they count as arrived already.
  virtual LearnedMix learned(std::span<const PodClassId> present) const = 0;
  // Continues with that. Called when a session opens, before arrived().
  virtual void recall(const LearnedMix& mix) = 0;
};

// Negative: a goes first; 0: no opinion.
class GangOrder {
 public:
  virtual ~GangOrder() = default;
  virtual int compare(GangId a, GangId b) const = 0;
};

// A queue that is compared with its siblings, and the gang below it that would go next.
struct QueueTurn {
  QueueId queue;
  GangId gang;
  const QueueAmounts* need = nullptr;  // what the gang requests next
};

// Pods that leave together for another gang.
struct QueueLoss {
  QueueId queue;  // a leaf
  QueueAmounts amounts;
};

// The figures of a queue, for reports that explain it.
struct QueueFigures {
  QueueAmounts fair_share;
  QueueAmounts requested;  // allocated and waiting, as the session found it
  double dominant_share = 0;
  double past_usage = 0;  // GPU-hours, queues below it included
};

// The rules of queues: what a queue may take, and which one goes first. Amounts of queues are read
// from the view, in the current state of the statement. Every method: REQUIRES a leaf of the tree,
// or the open queue.
class QueueRules {
 public:
  virtual ~QueueRules() = default;
  // Negative: a goes first; 0: no opinion. REQUIRES: siblings.
  virtual int compare(const QueueTurn& a, const QueueTurn& b) const = 0;
  // Why the gang may not take `need` on top of what its queue has; code None when it may.
  virtual Reason may_take(GangId gang, const QueueAmounts& need) const = 0;
  // Why the gang may not keep what it has taken; code None when it may.
  virtual Reason may_keep(GangId gang) const = 0;
  // Why the gang may not have `need` at the cost of any other queue.
  virtual Reason may_reclaim(GangId gang, const QueueAmounts& need) const = 0;
  // Whether `from` is far enough above its share to lose a first pod to the gang.
  virtual bool may_lose(QueueId from, GangId to, const QueueAmounts& need) const = 0;
  // Whether the exchange is fair. The view shows the state after it: the gang has taken `need`, and
  // the losses, in the order in which they are judged, have left.
  virtual bool fair_exchange(GangId to, const QueueAmounts& need,
                             std::span<const QueueLoss> losses) const = 0;
  // The figures of any queue of the tree.
  virtual QueueFigures figures(QueueId queue) const = 0;
};

// The action for which pods would leave.
// Background: only gangs in the background leave.
enum class MoveCause : uint8_t { Background, Consolidation, Reclaim, Preempt, Defragmentation };

// Decides whether a gang may lose pods that it needs. Pods above its minimum leave whatever the
// rule decides.
class VictimRule {
 public:
  virtual ~VictimRule() = default;
  // None: the victim may lose them.
  virtual ReasonCode verdict(GangId victim, GangId by, MoveCause cause, TimeUs now) const = 0;
};

class PodOrder {
 public:
  virtual ~PodOrder() = default;
  virtual int compare(PodId a, PodId b) const = 0;
};

// Equal pods that are placed together.
struct GangRow {
  PodClassId pod_class;
  int32_t count = 0;
};

// Nodes to fill with up to `pods` pods.
struct GroupPart {
  std::span<const NodeId> nodes;
  int64_t pods = 0;
};

// Nodes that may take pods together: parts in the order to fill them.
struct NodeGroup {
  TopologyId topology;  // kNone: the whole cluster
  DomainId domain;
  FitMode mode = FitMode::Now;
  // The parts' pods add up to the demand exactly, by count. False for pods of different sizes,
  // where counts are only an upper bound: the parts are then all there are, in order of preference.
  bool exact = true;
  boost::container::small_vector<GroupPart, 4> parts;
};

// Pods that are to share a domain.
struct ScopeDomain {
  TopologyId topology;
  DomainId domain;
};

struct GroupQuery {
  const TopologyConstraint* constraint = nullptr;
  std::span<const SegmentLayer> segments;  // REQUIRES, unless empty: one row
  bool balanced = false;
  std::span<const GangRow> rows;
  std::span<const NodeId> placed;  // nodes of other pods of the unit that already have one
  std::span<const NodeId> near;    // nodes to be close to, if possible; read at once only
  StrId preferred_above;           // the finest preferred level of what these pods are a part of
  TopologyId scope_topology;       // of `scope`
  DomainId scope;                  // only nodes inside it; kNone: any node
  // Of other topologies, each once: only nodes inside all of them, too.
  std::span<const ScopeDomain> around;
  std::optional<FitMode> mode;  // unset: now before future
  bool divided = true;          // false: parts are not needed
};

// Whether a domain of another topology than this one keeps nodes out.
inline bool has_foreign_scope(const GroupQuery& query, TopologyId topology) {
  return (query.scope.valid() && query.scope_topology != topology) || !query.around.empty();
}

// Ordered groups of nodes, best first. REQUIRES: placements made between two calls are undone
// before the second.
class NodeGroups {
 public:
  virtual ~NodeGroups() = default;
  virtual bool next(NodeGroup& group) = 0;  // false: no more
  // Domains that were examined since the query was made: the search pays for them.
  virtual int64_t looked_at() const = 0;
};

class FeasibleNodes {
 public:
  virtual ~FeasibleNodes() = default;
  // nullptr: the plugin does not group nodes for these pods. The query outlives the groups. `used`:
  // the groups of an earlier query that is finished, whose memory may be used again; nullptr: none.
  virtual std::unique_ptr<NodeGroups> groups(const GroupQuery& query,
                                             std::unique_ptr<NodeGroups> used) = 0;
  // Why groups() would offer nothing whatever the cluster's state; code None when it can.
  virtual Reason refusal(GangId gang) const = 0;
};

struct DivisionQuery {
  PodClassId pod_class;
  FitMode mode = FitMode::Now;
  std::span<const NodeId> nodes;  // to divide among; empty: all
  int64_t pods = 0;
  int64_t waiting = 0;  // waiting pods of the gang, these included; 0: no others will come here
  TimeUs now = 0;
};

// A group of nodes among which pods are divided, for reports that explain the division.
struct DividedGroup {
  int32_t parent = -1;  // index of an earlier group; -1: this one is all nodes
  StrId label;          // kNone: it is all nodes
  StrId value;          // kNone: its nodes lack the label
  int64_t nodes = 0;
  int64_t running = 0;  // pods of the service
  int64_t room = 0;     // so many more pods fit
  int64_t wanted = 0;   // new pods that it would get if every group had room
  int64_t given = 0;    // new pods that it gets
};

// Divides pods among nodes where they have preferences about that.
class PodDivider {
 public:
  virtual ~PodDivider() = default;
  virtual bool divides(PodClassId pod_class) const = 0;
  // Whether some preference may keep pods out of nodes that have room.
  virtual bool may_refuse(PodClassId pod_class) const = 0;
  // The best nodes for the pods in the current state, in the order to fill them; fewer pods than
  // requested where there is no more room. Valid until the next call.
  virtual std::span<const NodePods> divide(const DivisionQuery& query) = 0;
  // The groups of that division, parents before their children.
  virtual std::vector<DividedGroup> explain(const DivisionQuery& query) = 0;
};

// Adds labels and annotations to a pod that is about to be bound.
class BeforeBind {
 public:
  virtual ~BeforeBind() = default;
  // `rank`: the pod's position in the order inside its gang.
  virtual void before_bind(PodId pod, NodeId node, int32_t rank,
                           std::vector<BindNote>& notes) const = 0;
};

// Describes a pod that has a node, by labels and annotations as BeforeBind writes them; for the
// record.
class PodDescriber {
 public:
  virtual ~PodDescriber() = default;
  virtual void describe(PodId pod, NodeId node, std::vector<BindNote>& notes) const = 0;
};

// Chooses the volumes of the claims that wait for a pod.
class ClaimChooser {
 public:
  virtual ~ClaimChooser() = default;
  // Appends what becomes of the pod's waiting claims. REQUIRES: the pod was placed on the node.
  virtual void choose(PodId pod, NodeId node, std::vector<ClaimChoice>& choices) const = 0;
};

// Chooses the devices of the claims of pods that are bound.
class DeviceAllocator {
 public:
  virtual ~DeviceAllocator() = default;
  // Appends what becomes of the pod's claims. REQUIRES: the pod was placed on the node.
  virtual void allocate(PodId pod, NodeId node, std::vector<DeviceGrant>& grants) const = 0;
  // Whether pods that come later find devices beside pods that are bound now. Devices are final for
  // a pod that is bound, while FitMode::Future still lets it have others. O(open claims), or a
  // search where they compete.
  virtual bool promises_hold() const = 0;
  // Appends which requests of the class find no devices on the node, and why.
  virtual void explain(PodClassId pod_class, FitMode mode, NodeId node,
                       std::vector<DeviceShortage>& shortages) const = 0;
  // The devices that the node reaches, of the newest generation of each pool, in the order in which
  // they are tried. O(devices that pods hold + devices near the node).
  virtual std::vector<DeviceStand> devices_near(NodeId node) const = 0;
  // The same devices of all nodes, counted; by driver. O(devices).
  virtual std::vector<DriverDevices> devices_by_driver() const = 0;
};

template <class Point>
struct Registered {
  Point* point = nullptr;
  std::string_view plugin;
  double weight = 1.0;
};

// A point that at most one plugin supplies; a second plugin is a broken check that names both.
template <class Point>
class SinglePoint {
 public:
  void supply(Point* point, std::string_view plugin) {
    if (point_ != nullptr) break_single_point(plugin_, plugin);
    point_ = point;
    plugin_ = plugin;
  }

  operator Point*() const { return point_; }  // NOLINT: it stands for the pointer
  Point* operator->() const { return point_; }
  Point& operator*() const { return *point_; }

 private:
  Point* point_ = nullptr;
  std::string_view plugin_;
};

struct Hooks {
  std::vector<Registered<ClassFilter>> class_filters;
  std::vector<Registered<NodeCounter>> node_counters;
  std::vector<Registered<NodeScorer>> node_scorers;
  std::vector<Registered<PodLinks>> pod_links;
  std::vector<Registered<LinkScorer>> link_scorers;
  std::vector<Registered<PlacementListener>> listeners;
  std::vector<Registered<GangOrder>> gang_orders;
  std::vector<Registered<VictimRule>> victim_rules;
  std::vector<Registered<PodOrder>> pod_orders;
  std::vector<Registered<BeforeBind>> before_binds;
  std::vector<Registered<PodDescriber>> describers;
  SinglePoint<ArrivalListener> arrival_listener;
  SinglePoint<DeviceGranter> device_granter;
  SinglePoint<FeasibleNodes> feasible_nodes;
  SinglePoint<QueueRules> queue_rules;
  SinglePoint<QuotaRules> quota_rules;
  SinglePoint<PodDivider> pod_divider;
  SinglePoint<ClaimChooser> claim_chooser;
  SinglePoint<DeviceAllocator> device_allocator;
};

// All points, for code that handles each of them; a point that is missing here does not compile.
inline auto all_points(Hooks& hooks) {
  auto points =
      std::tie(hooks.class_filters, hooks.node_counters, hooks.node_scorers, hooks.pod_links,
               hooks.link_scorers, hooks.listeners, hooks.arrival_listener, hooks.gang_orders,
               hooks.victim_rules, hooks.pod_orders, hooks.before_binds, hooks.describers,
               hooks.device_granter, hooks.feasible_nodes, hooks.queue_rules, hooks.quota_rules,
               hooks.pod_divider, hooks.claim_chooser, hooks.device_allocator);
  constexpr auto kSize = []<class... Points>(std::type_identity<std::tuple<Points&...>>) {
    return (sizeof(Points) + ...);
  };
  static_assert(kSize(std::type_identity<decltype(points)>()) == sizeof(Hooks));
  return points;
}

class Plugin {
 public:
  virtual ~Plugin() = default;
  virtual std::string_view name() const = 0;  // static storage
  // Registers the points that the plugin supplies. `view` and `hooks` outlive the session.
  virtual void open(const View& view, Hooks& hooks) = 0;
};

}  // namespace trellis
