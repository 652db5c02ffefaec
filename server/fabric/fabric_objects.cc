#include "server/fabric/fabric_objects.h"

#include <map>
#include <utility>

#include "framework/ascii.h"
#include "server/fabric/fabric_levels.h"

namespace trellis {
namespace {

constexpr std::string_view kNameLabel = "kubernetes.io/hostname";

using NodeLabels = std::map<std::string, std::string>;

std::string topology_name(const Fabric& fabric, const FabricNaming& naming) {
  if (!naming.topology.empty()) return naming.topology;
  return fabric.name.empty() ? "fabric" : object_name_of(fabric.name);
}

void write_topology(DocumentWriter& out, const std::string& name,
                    const std::vector<FabricLevel>& levels) {
  out.begin_object();
  out.field("apiVersion", "kueue.x-k8s.io/v1beta2");
  out.field("kind", "Topology");
  out.begin_object("metadata");
  out.field("name", name);
  out.end_object();
  out.begin_object("spec");
  out.begin_array("levels");
  auto write_level = [&](std::string_view label) {
    out.begin_object();
    out.field("nodeLabel", label);
    out.end_object();
  };
  for (const FabricLevel& level : levels) write_level(level.label);
  write_level(kNameLabel);
  out.end_array();
  out.end_object();
  out.end_object();
}

void write_node_labels(DocumentWriter& out, const std::string& name, const NodeLabels& labels) {
  out.begin_object();
  out.field("apiVersion", "v1");
  out.field("kind", "Node");
  out.begin_object("metadata");
  out.field("name", name);
  out.begin_object("labels");
  for (const auto& [key, value] : labels) out.field(key, value);
  out.end_object();
  out.end_object();
  out.end_object();
}

void add_labels(const std::vector<FabricLevel>& levels, size_t node, NodeLabels& labels) {
  for (const FabricLevel& level : levels) {
    if (!level.values[node].empty()) labels[level.label] = level.values[node];
  }
}

void add_switch_labels(const Fabric& fabric, const FabricNode& node, NodeLabels& labels) {
  for (int32_t at = node.at; at != kNoSwitch;) {
    const FabricSwitch& one = fabric.switches[static_cast<size_t>(at)];
    for (const auto& [key, value] : one.labels) labels.emplace(key, value);
    at = one.parent;
  }
}

}  // namespace

std::string object_name_of(std::string_view name) {
  std::string word = lower(label_value(name));
  for (char& c : word) c = c == '_' ? '-' : c;
  return word;
}

std::string node_name_clash(const std::vector<Fabric>& fabrics) {
  std::map<std::string, std::string> nodes;  // by the name of the Node
  for (const Fabric& fabric : fabrics) {
    for (const FabricNode& node : fabric.nodes) {
      auto [found, added] = nodes.emplace(object_name_of(node.name), node.name);
      if (!added && found->second != node.name) {
        return found->second + " and " + node.name + " would both be Node " + found->first;
      }
    }
  }
  return "";
}

void write_fabric_objects(DocumentWriter& out, const std::vector<Fabric>& fabrics,
                          const FabricNaming& naming) {
  out.begin_object();
  out.field("apiVersion", "v1");
  out.field("kind", "List");
  out.begin_array("items");
  std::map<std::string, NodeLabels> nodes;
  for (const Fabric& fabric : fabrics) {
    std::string name = topology_name(fabric, naming);
    LevelNames names{.labels = naming.labels};
    if (fabrics.size() > 1) names.prefix = name + ".topology.trellis.scheduler/";
    FabricLevels levels = levels_of(fabric, names);
    write_topology(out, name, levels.levels);
    if (!levels.accelerators.empty()) {
      write_topology(out, name + "-accelerator", levels.accelerators);
    }
    for (size_t i = 0; i < fabric.nodes.size(); ++i) {
      std::string node = object_name_of(fabric.nodes[i].name);
      NodeLabels& labels = nodes[node];
      labels[std::string(kNameLabel)] = node;
      add_labels(levels.levels, i, labels);
      add_labels(levels.accelerators, i, labels);
      add_switch_labels(fabric, fabric.nodes[i], labels);
    }
  }
  for (const auto& [name, labels] : nodes) write_node_labels(out, name, labels);
  out.end_array();
  out.end_object();
  out.finish();
}

}  // namespace trellis
