#include "actions/waiting/promised_places.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "actions/waiting/gang_queue.h"
#include "framework/gang_minimum.h"
#include "framework/topology_levels.h"
#include "session/cycle/gang_step.h"
#include "topology/tree.h"

namespace trellis {
namespace {

struct Promise {
  PodId pod;
  NodeId node;
};

std::vector<Promise> promises_of(const PlacementContext& context, GangId gang) {
  std::vector<Promise> promises;
  const Cluster& cluster = context.cluster();
  for (PodId pod : context.waiting_pods(gang)) {
    const std::string& name = cluster.pods()[pod].pod.promised;
    if (!name.empty()) promises.push_back({pod, cluster.find_node(name)});
  }
  return promises;
}

// The pods that were promised parts of GPUs, by node. Pods that were promised equal parts of a
// node's devices fit there together, so each leaves room for those that follow, whatever their
// gang.
class PromisedShares {
 public:
  explicit PromisedShares(const PlacementContext& context) : context_(context) {
    const Cluster& cluster = context.cluster();
    for (PodId pod : cluster.promised_pods()) {
      if (!waits(pod) || !takes_parts(pod)) continue;
      pods_[cluster.find_node(cluster.pods()[pod].pod.promised)].push_back(pod);
    }
  }

  // Whether the pod takes parts of GPUs.
  bool takes_parts(PodId pod) const { return share(pod).active(); }
  // The pods that still wait for parts as large as this one's, on the same node.
  int64_t followers(const Promise& promise) const {
    if (!takes_parts(promise.pod)) return 0;
    auto found = pods_.find(promise.node);
    if (found == pods_.end()) return 0;
    return std::ranges::count_if(found->second, [&](PodId pod) {
      return pod != promise.pod && waits(pod) && share(pod) == share(promise.pod);
    });
  }

 private:
  bool waits(PodId pod) const {
    return context_.snapshot().pod(pod).status == PodStatus::Pending &&
           context_.snapshot().key(pod).hold == PodHold::None;
  }
  const GpuShare& share(PodId pod) const {
    return context_.cluster().pod_classes()[context_.snapshot().key(pod).pod_class].gpu_share;
  }

  const PlacementContext& context_;
  absl::flat_hash_map<NodeId, std::vector<PodId>> pods_;
};

bool place(PlacementContext& context, const Promise& promise, FitMode mode, int64_t followers) {
  PodClassId pod_class = context.snapshot().key(promise.pod).pod_class;
  return promise.node.valid() && context.fits().fit_now(pod_class, mode, promise.node) > 0 &&
         context.fits().link_verdict(pod_class, mode, promise.node).passes() &&
         context.statement().place(promise.pod, promise.node, mode, followers);
}

// The nodes of the pods that have a node.
struct Places {
  std::vector<NodeId> settled;  // of pods without a promise
  std::vector<NodeId> promised;
};

// Whether a search would give the promised nodes: they are in required domains where other pods of
// the part are, or, where there are no others, in one domain. The others may be in several: labels
// of nodes change.
bool keeps_domain(const PlacementContext& context, const TopologyConstraint& constraint,
                  const Places& places) {
  if (!constraint.required.valid() || places.promised.empty()) return true;
  const Cluster& cluster = context.cluster();
  const StringTable& strings = cluster.vocabulary().strings;
  TopologyId topology = cluster.find_topology(strings.view(constraint.topology));
  if (!topology.valid()) return false;
  int level = resolve_levels(cluster.topologies()[topology], constraint, strings).required;
  const TopologyTree& tree = context.snapshot().trees()[topology];
  bool all_inside = std::ranges::all_of(places.promised, [&](NodeId node) {
    return tree.contains(node) && tree.ancestor(tree.domain_of(node), level).valid();
  });
  if (!all_inside) return false;
  std::vector<DomainId> taken = home_domains(tree, places.promised, level);
  if (places.settled.empty()) return taken.size() == 1;
  return std::ranges::includes(home_domains(tree, places.settled, level), taken);
}

// The places of a gang, by the parts of it that have to stay together.
struct PartPlaces {
  using Segment = std::tuple<int32_t, size_t, int64_t>;  // leaf, layer, number
  Places gang;
  std::vector<Places> subgroups;
  std::map<Segment, Places> segments;
};

const std::vector<SegmentLayer>& layers_of(const Gang& gang, int32_t leaf) {
  return leaf < 0 ? gang.segments : gang.subgroups[static_cast<size_t>(leaf)].segments;
}

PartPlaces places_of(const PlacementContext& context, GangId id,
                     std::span<const Promise> promises) {
  const Gang& gang = context.cluster().gangs()[id];
  std::vector<PodId> promised;
  for (const Promise& promise : promises) promised.push_back(promise.pod);
  std::ranges::sort(promised);
  PartPlaces places;
  places.subgroups.resize(gang.subgroups.size());
  std::vector<int64_t> positions(gang.subgroups.size() + 1, 0);
  for (PodId pod : context.ranked_pods(id)) {
    int32_t leaf = context.snapshot().key(pod).subgroup;
    int64_t position = positions[static_cast<size_t>(leaf + 1)]++;
    PodState state = context.snapshot().pod(pod);
    if (!will_remain(state.status) || !state.node.valid()) continue;
    bool is_promised = std::ranges::binary_search(promised, pod);
    auto add = [&](Places& part) {
      (is_promised ? part.promised : part.settled).push_back(state.node);
    };
    add(places.gang);
    for (int32_t at = leaf; at >= 0; at = gang.subgroups[static_cast<size_t>(at)].parent) {
      add(places.subgroups[static_cast<size_t>(at)]);
    }
    const std::vector<SegmentLayer>& layers = layers_of(gang, leaf);
    for (size_t layer = 0; layer < layers.size(); ++layer) {
      add(places.segments[{leaf, layer, position / layers[layer].size}]);
    }
  }
  return places;
}

// Whether the gang, each subgroup and each segment keep to the domains of the level they require.
bool keeps_domains(const PlacementContext& context, GangId id, std::span<const Promise> promises) {
  const Gang& gang = context.cluster().gangs()[id];
  bool bound = gang.topology.required.valid() || !gang.subgroups.empty() || !gang.segments.empty();
  if (!bound) return true;
  PartPlaces places = places_of(context, id, promises);
  if (!keeps_domain(context, gang.topology, places.gang)) return false;
  for (size_t i = 0; i < gang.subgroups.size(); ++i) {
    if (!keeps_domain(context, gang.subgroups[i].topology, places.subgroups[i])) return false;
  }
  return std::ranges::all_of(places.segments, [&](const auto& segment) {
    auto [leaf, layer, number] = segment.first;
    StrId topology = leaf < 0 ? gang.topology.topology
                              : gang.subgroups[static_cast<size_t>(leaf)].topology.topology;
    return keeps_domain(context, {topology, layers_of(gang, leaf)[layer].required, StrId()},
                        segment.second);
  });
}

// Places all of the gang's promised pods on the nodes that were promised to them, in the statement:
// now, else promised once more. False, and nothing is done, when that no longer works, does not
// give the gang and its parts their minimum, or leaves a domain that the gang or a part of it
// requires.
bool place_as_promised(PlacementContext& context, const PromisedShares& shares, GangId id) {
  std::vector<Promise> promises = promises_of(context, id);
  if (promises.empty()) return false;
  std::ranges::stable_partition(promises,
                                [&](const Promise& each) { return !shares.takes_parts(each.pod); });
  Statement::Checkpoint before = context.statement().checkpoint();
  for (FitMode mode : {FitMode::Now, FitMode::Future}) {
    bool all = std::ranges::all_of(promises, [&](const Promise& promise) {
      return place(context, promise, mode, shares.followers(promise));
    });
    bool stays_whole =
        all && context.has_minimum(id) &&
        leaves_are_whole(context.cluster().gangs()[id], context.snapshot().subgroup_counts()[id]) &&
        keeps_domains(context, id, promises);
    if (stays_whole && may_keep(context, id).code == ReasonCode::None) return true;
    context.statement().rollback(before);
  }
  return false;
}

// What makes a pod that was promised parts of a node's devices harder to place than others.
enum class Hardness : uint8_t { Devices, Portion };

// The hardest to place of what the gang was promised.
std::pair<int64_t, int64_t> hardest_share(const PlacementContext& context, GangId gang,
                                          Hardness hardness) {
  std::pair<int64_t, int64_t> hardest;
  for (const Promise& promise : promises_of(context, gang)) {
    PodClassId pod_class = context.snapshot().key(promise.pod).pod_class;
    const GpuShare& share = context.cluster().pod_classes()[pod_class].gpu_share;
    std::pair<int64_t, int64_t> one(share.devices, share.portion_milli);
    if (hardness == Hardness::Portion) std::swap(one.first, one.second);
    hardest = std::max(hardest, one);
  }
  return hardest;
}

class PromiseKeeper {
 public:
  PromiseKeeper(Session& session, std::string_view action)
      : session_(session), action_(action), shares_(session) {}

  void run() {
    // Gangs that take whole GPUs come first: a device that another pod has opened is lost for them.
    std::set<GangId> whole;
    std::set<GangId> sharing;
    for (PodId pod : session_.cluster().promised_pods()) {
      (shares_.takes_parts(pod) ? sharing : whole).insert(session_.cluster().pods()[pod].gang);
    }
    for (GangId gang : sharing) whole.erase(gang);
    keep_in_turn(whole);
    bool all = keep_hardest_first(sharing, Hardness::Devices) ||
               keep_hardest_first(sharing, Hardness::Portion);
    if (!all) keep_in_turn(sharing);
  }

 private:
  GangQueue queue_of(const std::set<GangId>& gangs) {
    GangQueue queue(session_);
    for (GangId gang : gangs) {
      bool waits = session_.cluster().alive(gang) && gang_refusals(session_, gang).empty();
      if (waits) queue.push(gang);
    }
    return queue;
  }

  void keep_in_turn(const std::set<GangId>& gangs) {
    GangQueue queue = queue_of(gangs);
    while (!queue.empty()) {
      GangId gang = queue.pop();
      if (!place_as_promised(session_, shares_, gang)) continue;
      session_.commit(action_);
      queue.settle(gang);
    }
  }

  // All of them, or none: where those that are harder to place come first, the room that was found
  // for all together holds them, though no promise names its devices.
  bool keep_hardest_first(const std::set<GangId>& gangs, Hardness hardness) {
    if (gangs.size() < 2) return false;
    std::vector<GangId> order;
    for (GangQueue queue = queue_of(gangs); !queue.empty();) order.push_back(queue.pop());
    std::ranges::stable_sort(order, std::greater<>(),
                             [&](GangId gang) { return hardest_share(session_, gang, hardness); });
    Statement::Checkpoint before = session_.statement().checkpoint();
    bool all = std::ranges::all_of(
        order, [&](GangId gang) { return place_as_promised(session_, shares_, gang); });
    if (all) {
      session_.commit(action_);
    } else {
      session_.statement().rollback(before);
    }
    return all;
  }

  Session& session_;
  std::string_view action_;
  PromisedShares shares_;
};

}  // namespace

void keep_promises(Session& session, std::string_view action) {
  if (!session.cluster().promised_pods().empty()) PromiseKeeper(session, action).run();
  session.spares().keep_all();
}

}  // namespace trellis
