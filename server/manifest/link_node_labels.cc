#include "server/manifest/link_node_labels.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

namespace trellis {
namespace {

void replace_labels(Labels& labels, const Labels& added) {
  for (Label label : added) {
    auto at = std::lower_bound(labels.begin(), labels.end(), label,
                               [](const Label& a, const Label& b) { return a.key < b.key; });
    if (at != labels.end() && at->key == label.key) {
      at->value = label.value;
    } else {
      labels.insert(at, label);
    }
  }
}

}  // namespace

void link_node_labels(Records& records, Report& report) {
  if (records.node_labels.empty()) return;
  absl::flat_hash_map<std::string_view, size_t> nodes;
  for (size_t i = 0; i < records.nodes.size(); ++i) nodes.emplace(records.nodes[i].node.name, i);
  std::vector<NodeRecord> lone;
  for (NodeLabelsRecord& record : records.node_labels) {
    auto found = nodes.find(record.node.name);
    if (found == nodes.end()) {
      report.warning(record.at,
                     {"a Node without status.allocatable", "what pods may use of it", ""});
      lone.push_back({std::move(record.meta), std::move(record.node)});
      continue;
    }
    Node& node = records.nodes[found->second].node;
    replace_labels(node.labels, record.node.labels);
    if (record.node.gpu_memory_mib > 0) node.gpu_memory_mib = record.node.gpu_memory_mib;
    node.gpus_in_slices = node.gpus_in_slices || record.node.gpus_in_slices;
  }
  // Now: the names of `nodes` are those of the vector's elements.
  for (NodeRecord& record : lone) records.nodes.push_back(std::move(record));
  records.node_labels.clear();
}

}  // namespace trellis
