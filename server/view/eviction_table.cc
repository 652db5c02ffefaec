#include "server/view/eviction_table.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "server/view/text_table.h"
#include "server/wording/full_name.h"
#include "server/wording/names_text.h"

namespace trellis {
namespace {

struct EvictedPods {
  std::vector<std::string> names;
  std::vector<std::string> from;  // nodes
  std::vector<std::string> to;    // nodes that are promised to some of the pods
};

// Gang, action, beneficiary.
using EvictionKey = std::tuple<std::string, std::string_view, std::string>;

std::map<EvictionKey, EvictedPods> group_evictions(const Cluster& cluster,
                                                   const CycleRecord& record) {
  std::map<EvictionKey, EvictedPods> groups;
  for (const Decision& eviction : record.decisions) {
    if (eviction.kind != Decision::Kind::Evict) continue;
    const PodSlot& slot = cluster.pods()[eviction.pod];
    EvictedPods& pods =
        groups[{full_name(cluster, slot.gang), eviction.action, beneficiary(cluster, eviction)}];
    pods.names.push_back(slot.pod.name);
    pods.from.push_back(slot.pod.node);
    const PodOutcome& outcome = record.pods[eviction.pod];
    if (outcome.evicted && outcome.node.valid()) {
      pods.to.push_back(cluster.nodes()[outcome.node].name);
    }
  }
  return groups;
}

}  // namespace

std::string beneficiary(const Cluster& cluster, const Decision& eviction) {
  if (eviction.by_workload.valid()) return "workload " + full_name(cluster, eviction.by_workload);
  return eviction.by.valid() ? full_name(cluster, eviction.by) : "";
}

std::string evictions_table(const Cluster& cluster, const CycleRecord& record, Colours colours) {
  std::map<EvictionKey, EvictedPods> groups = group_evictions(cluster, record);
  if (groups.empty()) return "";
  TextTable table({{"EVICTED PODS"}, {"GANG"}, {"FROM"}, {"TO"}, {"ACTION"}, {"FOR"}});
  for (auto& [key, pods] : groups) {
    const auto& [gang, action, by] = key;
    std::sort(pods.names.begin(), pods.names.end());
    sort_unique(pods.from);
    sort_unique(pods.to);
    table.add_row({{names_text(pods.names), Style::Waiting},
                   {gang},
                   {names_text(pods.from)},
                   {pods.to.empty() ? "-" : names_text(pods.to)},
                   {std::string(action)},
                   {by.empty() ? "-" : by}});
  }
  return table.render(colours);
}

}  // namespace trellis
