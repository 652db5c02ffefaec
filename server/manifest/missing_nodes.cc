#include "server/manifest/missing_nodes.h"

#include <absl/container/flat_hash_set.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace trellis {

void warn_of_missing_nodes(const Records& records, Report& report) {
  absl::flat_hash_set<std::string_view> nodes;
  for (const NodeRecord& node : records.nodes) nodes.insert(node.node.name);
  if (nodes.empty()) return;  // the input is not meant to have nodes
  int64_t pods = 0;
  std::string_view first;  // by name, whatever the order of the input
  for (const PodRecord& record : records.pods) {
    std::string_view name = record.object.pod.node;
    if (name.empty() || has_finished(record.object.pod.status) || nodes.contains(name)) continue;
    if (pods++ == 0 || name < first) first = name;
  }
  if (pods == 0) return;
  report.summary(Severity::Warning, std::to_string(pods) + (pods == 1 ? " pod is" : " pods are") +
                                        " on nodes that are not in the input, such as " +
                                        std::string(first));
}

}  // namespace trellis
