#include "server/manifest/label_levels.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>

#include "framework/topology.h"
#include "server/document/json_text.h"
#include "server/text/nearest_word.h"

namespace trellis {
namespace {

// By family, coarsest first; a name that ends in `-` is the beginning of numbered labels.
constexpr std::array<std::string_view, 22> kNetworkLabels = {
    "network.topology.nvidia.com/datacenter",
    "network.topology.nvidia.com/core",
    "network.topology.nvidia.com/spine",
    "network.topology.nvidia.com/leaf",
    "network.topology.nvidia.com/block",
    "network.topology.nvidia.com/accelerator",
    "fabric.topograph.run/tier-",
    "accelerator.topograph.run/domain",
    "accelerator.topograph.run/sub-domain",
    "cloud.google.com/gce-topology-block",
    "cloud.google.com/gce-topology-subblock",
    "cloud.google.com/gce-topology-host",
    "topology.k8s.aws/network-node-layer-",
    "topology.k8s.aws/ultraserver-id",
    "oci.oraclecloud.com/host.network_block_id",
    "oci.oraclecloud.com/host.rack_id",
    "cloud.provider.com/topology-block",
    "cloud.provider.com/topology-rack",
    "cloud.provider.com/topology-host",
    "topology.kubernetes.io/block",
    "topology.kubernetes.io/rack",
    "nvidia.com/gpu.clique",
};
constexpr std::array<std::string_view, 2> kPlaces = {"topology.kubernetes.io/region",
                                                     "topology.kubernetes.io/zone"};

bool is_network_label(std::string_view label) {
  return std::ranges::any_of(kNetworkLabels, [&](std::string_view known) {
    return known.ends_with('-') ? label.starts_with(known) : label == known;
  });
}

// The number of values of each label, by key.
using Values = std::map<std::string_view, size_t>;

Values count_values(std::span<const NodeRecord> nodes, const StringTable& strings) {
  std::set<std::pair<StrId, StrId>> seen;
  Values values;
  for (const NodeRecord& record : nodes) {
    for (const Label& label : record.node.labels) {
      if (seen.insert({label.key, label.value}).second) ++values[strings.view(label.key)];
    }
  }
  return values;
}

}  // namespace

std::vector<std::string> network_labels(std::span<const NodeRecord> nodes,
                                        const StringTable& strings) {
  Values values = count_values(nodes, strings);
  std::vector<std::pair<size_t, std::string_view>> found;
  for (const auto& [label, count] : values) {
    if (is_network_label(label)) found.emplace_back(count, label);
  }
  if (found.empty()) return {};
  std::ranges::sort(found);
  std::vector<std::string> labels;
  for (std::string_view place : kPlaces) {
    if (values.contains(place)) labels.emplace_back(place);
  }
  for (const auto& [count, label] : found) labels.emplace_back(label);
  return labels;
}

Result<std::vector<std::string>> labels_of_words(std::span<const std::string> words,
                                                 std::span<const NodeRecord> nodes,
                                                 const StringTable& strings) {
  Values values = count_values(nodes, strings);
  std::vector<std::string> labels;
  for (const std::string& word : words) {
    std::vector<std::string_view> meant;
    for (const auto& [label, count] : values) {
      if (label == word) meant.assign(1, label);
      if (label == word) break;
      if (last_part(label) == word) meant.push_back(label);
    }
    if (meant.size() > 1) {
      return error("\"" + word + "\" is the end of " + std::string(meant[0]) + " and of " +
                   std::string(meant[1]) + ": give the whole label");
    }
    if (meant.empty()) {
      std::vector<std::string_view> known;
      for (const auto& [label, count] : values)
        known.insert(known.end(), {label, last_part(label)});
      std::string nearest = nearest_word(word, known);
      return error("no node has a label \"" + word + "\"" +
                   (nearest.empty() ? "" : "; did you mean \"" + nearest + "\"?"));
    }
    std::string label(meant.front());
    if (std::ranges::find(labels, label) != labels.end()) {
      return error("\"" + word + "\" is given a second time");
    }
    labels.push_back(std::move(label));
  }
  return labels;
}

std::string topology_of_labels(std::span<const std::string> labels) {
  std::string text =
      R"({"apiVersion":"kueue.x-k8s.io/v1beta2","kind":"Topology","metadata":{"name":")";
  text.append(kTopologyOfLabels).append(R"("},"spec":{"levels":[)");
  for (const std::string& label : labels) {
    text.append(&label == labels.data() ? "" : ",").append(R"({"nodeLabel":)");
    append_json_string(text, label);
    text.append("}");
  }
  return text.append("]}}\n");
}

}  // namespace trellis
