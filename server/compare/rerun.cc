#include "server/compare/rerun.h"

#include <algorithm>
#include <ranges>
#include <span>
#include <string_view>
#include <utility>

#include "session/explain/domain_ref.h"

namespace trellis {

Rerun::Rerun(Engine& engine, std::shared_ptr<const CycleRecord> record)
    : engine_(engine), cluster_(engine.cluster()), record_(std::move(record)) {}

Rerun::~Rerun() {
  for (PodObject& object : pods_) {
    cluster_.upsert(std::move(object.pod), PodSpec(*object.spec));
  }
  // A node that two names stand for was last saved when it was closed already.
  for (Node& node : std::views::reverse(nodes_)) cluster_.upsert(std::move(node));
  engine_.scheduler().adopt(record_);
}

std::shared_ptr<const CycleRecord> Rerun::run(const PlannedChange& change) {
  if (!change.removed.empty() || change.added) return nullptr;
  std::vector<NodeId> closed;
  std::vector<NodeId> emptied;
  for (const std::string& word : change.cordoned) {
    if (!find_nodes(word, closed)) return nullptr;
  }
  for (const std::string& word : change.drained) {
    if (!find_nodes(word, emptied)) return nullptr;
  }
  if (!emptied.empty() && !cluster_.workloads().workloads().live().empty()) return nullptr;
  bool can = std::ranges::all_of(emptied, [&](NodeId node) { return can_leave(node); });
  if (!can) return nullptr;
  for (NodeId node : closed) close(node);
  for (NodeId node : emptied) {
    close(node);
    empty(node);
  }
  return engine_.scheduler().run_cycle(record_->now);
}

bool Rerun::find_nodes(const std::string& word, std::vector<NodeId>& nodes) {
  size_t slash = word.find('/');
  if (slash == std::string::npos) {
    NodeId node = cluster_.find_node(word);
    if (node.valid()) nodes.push_back(node);
    return node.valid();
  }
  TopologyId topology = cluster_.find_topology(std::string_view(word).substr(0, slash));
  if (!topology.valid()) return false;
  std::vector<std::string_view> path;
  for (std::string_view rest = word; slash != std::string_view::npos;) {
    rest.remove_prefix(slash + 1);
    slash = rest.find('/');
    path.push_back(rest.substr(0, slash));
  }
  const Session& session = engine_.scheduler().session();
  DomainId domain = find_domain(session, topology, path);
  if (!domain.valid()) return false;
  std::span<const NodeId> inside = nodes_of(session, {topology, domain});
  nodes.insert(nodes.end(), inside.begin(), inside.end());
  return true;
}

// A pod that was resized would wait again with other demands, and claims would lose their devices.
bool Rerun::can_leave(NodeId node) const {
  return std::ranges::none_of(cluster_.pods_of(node), [&](PodId id) {
    const PodSlot& slot = cluster_.pods()[id];
    bool changes = slot.pod.device_claims || cluster_.pod_classes()[slot.pod_class].replacement;
    return leaves_drained_node(slot.pod) && changes;
  });
}

void Rerun::close(NodeId id) {
  Node node = cluster_.nodes()[id];
  nodes_.push_back(node);
  node.unschedulable = true;
  cluster_.upsert(std::move(node));
}

void Rerun::empty(NodeId node) {
  std::vector<PodId> there = cluster_.pods_of(node);
  for (PodId id : there) {
    const PodSlot& slot = cluster_.pods()[id];
    if (!leaves_drained_node(slot.pod)) continue;
    PodSpec spec = cluster_.pod_classes()[slot.pod_class];
    Pod pod = slot.pod;
    pods_.push_back({pod, SharedSpec(spec)});
    put_back(pod);
    cluster_.upsert(std::move(pod), std::move(spec));
  }
}

}  // namespace trellis
