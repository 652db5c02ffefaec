#include "server/fabric/fabric_formats.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "server/document/document_output.h"
#include "server/fabric/fabric_objects.h"
#include "server/text/byte_sink.h"

namespace trellis {
namespace {

constexpr size_t kWholeDepth = 32;

std::string yaml_text(const std::function<void(DocumentWriter&)>& write) {
  StringSink sink;
  write_document(sink, OutputFormat::Yaml, kWholeDepth, [&](DocumentWriter& out) {
    write(out);
    out.finish();
  });
  return sink.text();
}

// What is right below each switch.
struct Below {
  std::vector<std::string> switches;
  std::vector<const FabricNode*> nodes;
};

// Switches without nodes below them are left out, and have nothing below.
std::vector<Below> below_switches(const Fabric& fabric) {
  std::vector<Below> below(fabric.switches.size());
  std::vector<bool> used(fabric.switches.size());
  for (const FabricNode& node : fabric.nodes) {
    for (int32_t at = node.at; at != kNoSwitch && !used[static_cast<size_t>(at)];) {
      used[static_cast<size_t>(at)] = true;
      at = fabric.switches[static_cast<size_t>(at)].parent;
    }
  }
  for (size_t i = 0; i < used.size(); ++i) {
    const FabricSwitch& one = fabric.switches[i];
    if (one.parent == kNoSwitch || !used[i]) continue;
    below[static_cast<size_t>(one.parent)].switches.push_back(one.name);
  }
  for (const FabricNode& node : fabric.nodes) {
    below[static_cast<size_t>(node.at)].nodes.push_back(&node);
  }
  return below;
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text.append(text.empty() ? "" : ",").append(name);
  return text;
}

std::string listed(const std::vector<const FabricNode*>& nodes) {
  std::string text;
  for (const FabricNode* node : nodes) text.append(text.empty() ? "" : ",").append(node->name);
  return text;
}

// How many switches are above the nodes of each, at least 1.
std::vector<int64_t> heights(const Fabric& fabric) {
  std::vector<int64_t> heights(fabric.switches.size(), 1);
  for (size_t i = 0; i < fabric.switches.size(); ++i) {
    int64_t height = 1;
    for (int32_t at = fabric.switches[i].parent; at != kNoSwitch;) {
      auto here = static_cast<size_t>(at);
      heights[here] = std::max(heights[here], ++height);
      at = fabric.switches[here].parent;
    }
  }
  return heights;
}

// The nodes of a switch that are in one domain of accelerators.
using Blocks = std::map<std::pair<std::string, std::string>, std::vector<const FabricNode*>>;

void write_blocks(DocumentWriter& out, const std::string& at, const Below& below) {
  Blocks blocks;
  for (const FabricNode* node : below.nodes) {
    blocks[{node->accelerator, node->sub_accelerator}].push_back(node);
  }
  for (const auto& [accelerator, nodes] : blocks) {
    out.begin_object();
    out.field("switch", at);
    out.begin_array("nodes");
    for (const FabricNode* node : nodes) out.text(node->name);
    out.end_array();
    if (!accelerator.first.empty() || !accelerator.second.empty()) {
      out.begin_object("annotations");
      if (!accelerator.first.empty()) {
        out.field("accelerator.topograph.run/domain", accelerator.first);
      }
      if (!accelerator.second.empty()) {
        out.field("accelerator.topograph.run/sub-domain", accelerator.second);
      }
      out.end_object();
    }
    out.end_object();
  }
}

void write_member(DocumentWriter& out, std::string_view type, std::string_view name) {
  out.begin_object();
  out.field("type", type);
  out.begin_object("selector");
  out.begin_object("exactMatch");
  out.field("name", name);
  out.end_object();
  out.end_object();
  out.end_object();
}

void write_hyper_node(DocumentWriter& out, const std::string& name, int64_t tier,
                      const Below& below) {
  out.begin_object();
  out.field("apiVersion", "topology.volcano.sh/v1alpha1");
  out.field("kind", "HyperNode");
  out.begin_object("metadata");
  out.field("name", object_name_of(name));
  out.end_object();
  out.begin_object("spec");
  out.field("tier", tier);
  out.begin_array("members");
  for (const std::string& one : below.switches) write_member(out, "HyperNode", object_name_of(one));
  for (const FabricNode* node : below.nodes) write_member(out, "Node", object_name_of(node->name));
  out.end_array();
  out.end_object();
  out.end_object();
}

}  // namespace

std::string to_slurm_conf(const Fabric& fabric) {
  std::vector<Below> below = below_switches(fabric);
  std::string text;
  for (size_t i = 0; i < below.size(); ++i) {
    if (below[i].switches.empty() && below[i].nodes.empty()) continue;
    text += "SwitchName=" + fabric.switches[i].name;
    if (!below[i].switches.empty()) text += " Switches=" + listed(below[i].switches);
    if (!below[i].nodes.empty()) text += " Nodes=" + listed(below[i].nodes);
    text += "\n";
  }
  return text;
}

std::string to_slurm_yaml(const std::vector<Fabric>& fabrics) {
  return yaml_text([&](DocumentWriter& out) {
    out.begin_array();
    for (const Fabric& fabric : fabrics) {
      std::vector<Below> below = below_switches(fabric);
      out.begin_object();
      out.field("topology", fabric.name.empty() ? "fabric" : fabric.name);
      out.begin_object("tree");
      out.begin_array("switches");
      for (size_t i = 0; i < below.size(); ++i) {
        if (below[i].switches.empty() && below[i].nodes.empty()) continue;
        out.begin_object();
        out.field("switch", fabric.switches[i].name);
        if (!below[i].switches.empty()) out.field("children", listed(below[i].switches));
        if (!below[i].nodes.empty()) out.field("nodes", listed(below[i].nodes));
        out.end_object();
      }
      out.end_array();
      out.end_object();
      out.end_object();
    }
    out.end_array();
  });
}

std::string to_topograph(const Fabric& fabric) {
  std::vector<Below> below = below_switches(fabric);
  return yaml_text([&](DocumentWriter& out) {
    out.begin_object();
    out.begin_object("switches");
    for (size_t i = 0; i < below.size(); ++i) {
      const FabricSwitch& one = fabric.switches[i];
      if (below[i].switches.empty() && one.labels.empty()) continue;
      out.begin_object(one.name);
      if (!one.labels.empty()) {
        out.begin_object("labels");
        for (const auto& [key, value] : one.labels) out.field(key, value);
        out.end_object();
      }
      out.begin_array("switches");
      for (const std::string& child : below[i].switches) out.text(child);
      out.end_array();
      out.end_object();
    }
    out.end_object();
    out.begin_array("blocks");
    for (size_t i = 0; i < below.size(); ++i) write_blocks(out, fabric.switches[i].name, below[i]);
    out.end_array();
    out.end_object();
  });
}

std::string to_hyper_nodes(const Fabric& fabric) {
  std::vector<Below> below = below_switches(fabric);
  std::vector<int64_t> tiers = heights(fabric);
  return yaml_text([&](DocumentWriter& out) {
    out.begin_object();
    out.field("apiVersion", "v1");
    out.field("kind", "List");
    out.begin_array("items");
    for (size_t i = 0; i < below.size(); ++i) {
      if (below[i].switches.empty() && below[i].nodes.empty()) continue;
      write_hyper_node(out, fabric.switches[i].name, tiers[i], below[i]);
    }
    out.end_array();
    out.end_object();
  });
}

}  // namespace trellis
