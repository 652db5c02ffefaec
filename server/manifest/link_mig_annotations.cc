#include "server/manifest/link_mig_annotations.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <string_view>

#include "server/manifest/pod_claims.h"

namespace trellis {
namespace {

constexpr std::string_view kSlice = "nvidia.com/mig-";

using NodesByName = absl::flat_hash_map<std::string_view, const Node*>;

NodesByName nodes_by_name(const Records& records) {
  NodesByName nodes;
  for (const NodeRecord& record : records.nodes) nodes.emplace(record.node.name, &record.node);
  return nodes;
}

// A pod that requests a slice gets that one, whatever its annotations say.
bool requests_slice(const PodSpec& pod, const ResourceTable& resources) {
  return std::ranges::any_of(pod.requests.items(), [&](const ResourceAmount& item) {
    return item.amount > 0 && resources.name(item.resource).starts_with(kSlice);
  });
}

void take_all_slices(PodSpec& pod, const Node& node, const ResourceTable& resources) {
  if (!pod.replacement) pod.replacement = SharedValue(ReplacementDemand{pod.requests, pod.demand});
  for (const ResourceAmount& item : node.allocatable.items()) {
    if (resources.name(item.resource).starts_with(kSlice)) {
      pod.requests.set(item.resource, item.amount);
    }
  }
}

}  // namespace

void link_mig_annotations(Records& records, const ResourceTable& resources) {
  NodesByName nodes;
  for (PodRecord& record : records.pods) {
    if (!record.mig_annotation || has_finished(record.object.pod.status)) continue;
    if (requests_slice(*record.object.spec, resources)) continue;
    hold_pod(record.object.pod, PodHold::MigAnnotation);
    if (nodes.empty()) nodes = nodes_by_name(records);
    auto node = nodes.find(record.object.pod.node.view());
    if (node != nodes.end()) take_all_slices(record.object.spec.edit(), *node->second, resources);
  }
}

}  // namespace trellis
