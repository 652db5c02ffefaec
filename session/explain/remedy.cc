#include "session/explain/remedy.h"

#include <algorithm>
#include <span>

#include "framework/gpu_share.h"
#include "session/explain/room.h"

namespace trellis {
namespace {

int64_t divide_up(int64_t amount, int64_t by) { return (amount + by - 1) / by; }

// Computes what one row of pods would need in one domain.
class RowRemedy {
 public:
  RowRemedy(Session& session, PodClassId pod_class, std::span<const NodeId> nodes)
      : session_(session),
        pod_class_(pod_class),
        spec_(session.cluster().pod_classes()[pod_class]),
        nodes_(nodes),
        empty_(session, pod_class) {}

  // 0: the domain has no node that would take a pod if it were empty.
  int64_t more_nodes(int64_t missing) {
    int64_t best = 0;
    for (NodeId node : nodes_) best = std::max(best, empty_.fit(node));
    return best > 0 ? divide_up(missing, best) : 0;
  }

  // The cheapest way to free room for `missing` more pods, by the amount of the resource that is
  // short; empty when even empty nodes have too little.
  std::vector<Shortage> freed(int64_t missing, ResourceId counted) {
    struct Room {
      NodeId node;
      int64_t fit = 0;    // now
      int64_t spare = 0;  // more pods, if it were empty
      int64_t first = 0;  // what the first of these pods costs
    };
    std::vector<Room> rooms;
    int64_t spare = 0;
    for (NodeId node : nodes_) {
      if (!usable(node)) continue;
      int64_t fit = session_.fits().node_fit(node, pod_class_, FitMode::Now);
      Room room{node, fit, empty_.fit(node) - fit, cost(node, counted, fit + 1)};
      if (room.spare <= 0) continue;
      spare += room.spare;
      rooms.push_back(room);
    }
    if (spare < missing) return {};
    std::stable_sort(rooms.begin(), rooms.end(),
                     [](const Room& a, const Room& b) { return a.first < b.first; });
    // One more pod on each node uses up what is idle there; every further pod costs a whole one.
    std::vector<int64_t> more(rooms.size(), 0);
    int64_t left = missing;
    for (size_t i = 0; i < rooms.size() && left > 0; ++i, --left) more[i] = 1;
    for (size_t i = 0; i < rooms.size() && left > 0; ++i) {
      int64_t taken = std::min(left, rooms[i].spare - more[i]);
      more[i] += taken;
      left -= taken;
    }
    ResourceList total;
    for (size_t i = 0; i < rooms.size(); ++i) {
      if (more[i] == 0) continue;
      for (const ResourceAmount& item : spec_.requests.items()) {
        total.add(item.resource, cost(rooms[i].node, item.resource, rooms[i].fit + more[i]));
      }
      total.add(kGpu, more[i] * shared_gpu(rooms[i].node));
    }
    std::vector<Shortage> freed;
    for (const ResourceAmount& item : total.items()) freed.push_back({item.resource, item.amount});
    return freed;
  }

 private:
  bool usable(NodeId node) {
    return session_.fits().class_verdict(pod_class_, node) == ReasonCode::None;
  }

  // The amount of a resource that must be freed before the node takes `pods` pods.
  int64_t cost(NodeId node, ResourceId resource, int64_t pods) const {
    int64_t free = session_.snapshot().state().now[resource][node];
    return std::max<int64_t>(0, spec_.requests.get(resource) * pods - free);
  }

  int64_t shared_gpu(NodeId node) const {
    if (!spec_.gpu_share.active()) return 0;
    return share_portion(spec_.gpu_share, session_.cluster().nodes()[node]) *
           spec_.gpu_share.devices;
  }

  Session& session_;
  PodClassId pod_class_;
  const PodSpec& spec_;
  std::span<const NodeId> nodes_;
  EmptyNodes empty_;
};

// Whether the domain with these additional nodes would be larger than any of its level: such nodes
// cannot be added.
bool grows_beyond_level(const Session& session, const DemandExplanation& explanation,
                        const DomainJudgement& judgement, int64_t more_nodes) {
  int64_t largest = explanation.largest_of(session, judgement);
  auto size = static_cast<int64_t>(nodes_of(session, judgement.domain).size());
  return largest > 0 && size + more_nodes > largest;
}

// The resource in which freed amounts are kept small: a GPU that is short, else whatever is short,
// else (refused nodes have enough of everything) a GPU that is requested, else CPUs.
ResourceId scarce_resource(const Session& session, const DemandPart& part,
                           std::span<const Shortage> shortages) {
  for (const Shortage& shortage : shortages) {
    if (ResourceTable::is_gpu(shortage.resource)) return shortage.resource;
  }
  if (!shortages.empty()) return shortages.front().resource;
  PodClassId pod_class = part.rows.front().pod_class;
  for (const ResourceAmount& item : session.cluster().pod_classes()[pod_class].requests.items()) {
    if (ResourceTable::is_gpu(item.resource)) return item.resource;
  }
  return kCpu;
}

// For pods that differ: nodes for each row that lacks room, and what all of them lack together.
Remedy mixed_remedy(Session& session, const DemandPart& part, const DomainJudgement& judgement,
                    std::span<const Shortage> shortages) {
  std::span<const NodeId> nodes = nodes_of(session, judgement.domain);
  const NodeState& state = session.snapshot().state();
  Remedy remedy;
  for (const AskedRow& row : part.rows) {
    int64_t fits = 0;
    for (NodeId node : nodes) fits += session.fits().node_fit(node, row.pod_class, FitMode::Now);
    if (fits >= row.pods) continue;
    int64_t more = RowRemedy(session, row.pod_class, nodes).more_nodes(row.pods - fits);
    if (more == 0) return {};
    remedy.more_nodes += more;
  }
  remedy.freed.assign(shortages.begin(), shortages.end());
  for (const Shortage& shortage : shortages) {
    int64_t best = 0;
    int64_t held = 0;
    for (NodeId node : nodes) {
      int64_t all = state.allocatable[shortage.resource][node];
      best = std::max(best, all);
      held += all - std::max<int64_t>(0, state.now[shortage.resource][node]);
    }
    if (best == 0) return {};
    remedy.more_nodes = std::max(remedy.more_nodes, divide_up(shortage.by, best));
    if (held < shortage.by) remedy.freed.clear();
  }
  return remedy;
}

}  // namespace

Remedy remedy_for(Session& session, const DemandExplanation& explanation,
                  const DomainJudgement& judgement) {
  if (judgement.fits) return {};
  const DemandPart& part = explanation.part_of(judgement);
  std::span<const Shortage> shortages = explanation.short_of(judgement);
  Remedy remedy;
  if (part.rows.size() > 1) {
    remedy = mixed_remedy(session, part, judgement, shortages);
  } else {
    int64_t missing = judgement.needed - judgement.allocatable_pods;
    if (missing <= 0) return {};
    RowRemedy row(session, part.rows.front().pod_class, nodes_of(session, judgement.domain));
    remedy.more_nodes = row.more_nodes(missing);
    remedy.freed = row.freed(missing, scarce_resource(session, part, shortages));
  }
  bool grows = !is_node(session, judgement.domain) &&
               !grows_beyond_level(session, explanation, judgement, remedy.more_nodes);
  if (!grows) remedy.more_nodes = 0;
  return remedy;
}

}  // namespace trellis
