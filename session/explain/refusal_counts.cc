#include "session/explain/refusal_counts.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "session/explain/pod_explanation.h"

namespace trellis {
namespace {

// A node counts once for each cause.
void add_node(const std::vector<NodeReason>& reasons, NodeId node,
              std::vector<VerdictCount>& causes) {
  for (const NodeReason& reason : reasons) {
    auto same = std::ranges::find_if(causes, [&](const VerdictCount& cause) {
      return cause.code == reason.code && cause.resource == reason.resource &&
             cause.plugin == reason.plugin;
    });
    if (same == causes.end()) {
      causes.push_back({reason.code, reason.resource, reason.plugin, 0, NodeId()});
      same = causes.end() - 1;
    }
    if (same->example == node) continue;
    same->example = node;
    ++same->nodes;
  }
}

std::vector<VerdictCount> causes_of(Session& session, PodClassId pod_class) {
  std::vector<VerdictCount> causes;
  for (NodeId node : session.snapshot().all_nodes().node_order()) {
    add_node(refusals_of(session, pod_class, FitMode::Now, node, PodId()), node, causes);
  }
  const ResourceTable& resources = session.cluster().vocabulary().resources;
  auto key = [&](const VerdictCount& cause) {
    bool named = cause.resource.valid();
    return std::tuple(-cause.nodes, cause.code,
                      named ? std::string_view(resources.name(cause.resource)) : "", cause.plugin);
  };
  std::ranges::sort(causes, {}, key);
  return causes;
}

}  // namespace

std::vector<ClassRefusals> count_refusals(Session& session, const DemandExplanation& explanation) {
  std::vector<ClassRefusals> refusals;
  std::vector<PodClassId> seen;
  for (const DemandPart& part : explanation.parts) {
    for (const AskedRow& row : part.rows) {
      if (row.waiting.empty() || std::ranges::find(seen, row.pod_class) != seen.end()) continue;
      if (seen.size() == kMostRefusedClasses) return refusals;
      seen.push_back(row.pod_class);
      refusals.push_back({row.waiting.front(), causes_of(session, row.pod_class)});
    }
  }
  return refusals;
}

}  // namespace trellis
