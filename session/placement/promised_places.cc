#include "session/placement/promised_places.h"

#include <algorithm>
#include <vector>

#include "framework/topology_levels.h"
#include "session/queue_permit.h"

namespace trellis {
namespace {

struct Promise {
  PodId pod;
  NodeId node;
};

std::vector<Promise> promises_of(const Session& session, GangId gang) {
  std::vector<Promise> promises;
  const Cluster& cluster = session.cluster();
  for (PodId pod : session.waiting_pods(gang)) {
    const std::string& name = cluster.pods()[pod].pod.promised;
    if (!name.empty()) promises.push_back({pod, cluster.find_node(name)});
  }
  return promises;
}

bool place(Session& session, const Promise& promise, FitMode mode) {
  PodClassId pod_class = session.snapshot().key(promise.pod).pod_class;
  return promise.node.valid() && session.fits().fit_now(pod_class, mode, promise.node) > 0 &&
         session.fits().link_verdict(pod_class, mode, promise.node).passes() &&
         session.statement().place(promise.pod, promise.node, mode);
}

// Whether all pods of the gang that have a node share a domain of the required level.
bool in_one_domain(const Session& session, GangId id) {
  const Cluster& cluster = session.cluster();
  const TopologyConstraint& constraint = cluster.gangs()[id].topology;
  if (!constraint.required.valid()) return true;
  const StringTable& strings = cluster.vocabulary().strings;
  TopologyId topology = cluster.find_topology(strings.view(constraint.topology));
  if (!topology.valid()) return false;
  int level = resolve_levels(cluster.topologies()[topology], constraint, strings).required;
  const TopologyTree& tree = session.snapshot().trees()[topology];
  DomainId domain;
  for (NodeId node : session.placed_nodes(id)) {
    DomainId here = tree.contains(node) ? tree.ancestor(tree.domain_of(node), level) : DomainId();
    if (!here.valid() || (domain.valid() && here != domain)) return false;
    domain = here;
  }
  return true;
}

}  // namespace

bool place_as_promised(Session& session, GangId id) {
  const Gang& gang = session.cluster().gangs()[id];
  if (session.cluster().promised_pods().empty()) return false;
  if (!gang.subgroups.empty() || !gang.segments.empty()) return false;
  std::vector<Promise> promises = promises_of(session, id);
  if (promises.empty()) return false;
  Statement::Checkpoint before = session.statement().checkpoint();
  for (FitMode mode : {FitMode::Now, FitMode::Future}) {
    bool all = std::all_of(promises.begin(), promises.end(),
                           [&](const Promise& promise) { return place(session, promise, mode); });
    bool stays_whole = all && session.has_minimum(id) && in_one_domain(session, id);
    if (stays_whole && may_keep(session, id).code == ReasonCode::None) return true;
    session.statement().rollback(before);
  }
  return false;
}

}  // namespace trellis
