// Slurm's topology.yaml and topograph's models.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "server/document/document.h"
#include "server/document/quantity.h"
#include "server/fabric/fabric_reader.h"
#include "server/fabric/node_list.h"
#include "server/manifest/input_files.h"

namespace trellis {
namespace {

constexpr const char* kNodeNames = "names such as n1,rack[0-1]n[01-16]";

FabricPlace place_of(Value value) {
  return {.line = value.line(), .path = value.path(), .document = value.document()->number()};
}

class FabricFields {
 public:
  explicit FabricFields(FabricBuilder& fabric) : fabric_(fabric) {}

  // nullopt: it is none, which is reported.
  std::optional<std::string> word(Value value, Value parent, const char* expected) {
    if (!value.text().empty()) return std::string(value.text());
    Value at = value.exists() ? value : parent;
    fabric_.error(place_of(at), {.found = describe(value), .expected = expected});
    return std::nullopt;
  }

  // A text with a list of names, or an array of such texts.
  std::vector<std::string> names(Value value) {
    std::vector<std::string> all;
    if (value.absent()) return all;
    if (!value.is(ValueKind::Array)) {
      add(value, all);
      return all;
    }
    for (Value item : value.items()) add(item, all);
    return all;
  }

 private:
  void add(Value value, std::vector<std::string>& all) {
    Result<std::vector<std::string>> names = expand_node_list(value.text());
    if (!names) {
      fabric_.error(place_of(value), {.found = describe(value), .expected = kNodeNames});
      return;
    }
    all.insert(all.end(), names->begin(), names->end());
  }

  FabricBuilder& fabric_;
};

// One topology of Slurm's topology.yaml.
class SlurmYamlReader {
 public:
  explicit SlurmYamlReader(FabricBuilder& fabric) : fabric_(fabric), fields_(fabric) {}

  void read(Value topology) {
    Value tree = topology["tree"];
    Value block = topology["block"];
    if (!tree.exists() && !block.exists()) {
      fabric_.error(place_of(topology),
                    {.found = "a topology without switches or blocks",
                     .expected = "tree.switches or block.blocks (a flat topology has no levels)"});
    }
    for (Value item : tree["switches"].items()) read_switch(item);
    if (block.exists()) read_blocks(block);
  }

 private:
  void read_switch(Value item) {
    std::optional<std::string> name = fields_.word(item["switch"], item, "the name of a switch");
    if (!name) return;
    int32_t index = fabric_.define(*name, place_of(item["switch"]));
    Value children = item["children"];
    for (const std::string& child : fields_.names(children)) {
      FabricPlace at = place_of(children);
      fabric_.connect(index, fabric_.mention(child, at), at);
    }
    attach(item["nodes"], index);
  }

  void read_blocks(Value block) {
    std::vector<int32_t> blocks;
    std::vector<std::string> names;
    for (Value item : block["blocks"].items()) {
      std::optional<std::string> name = fields_.word(item["block"], item, "the name of a block");
      if (!name) continue;
      blocks.push_back(fabric_.define(*name, place_of(item["block"])));
      names.push_back(*name);
      attach(item["nodes"], blocks.back());
    }
    std::vector<int64_t> sizes;
    for (Value size : block["block_sizes"].items()) {
      std::optional<int64_t> read = to_integer(size.text());
      if (read && *read > 0) {
        sizes.push_back(*read);
        continue;
      }
      fabric_.error(place_of(size), {.found = describe(size), .expected = "a number of nodes"});
      return;
    }
    join_blocks(fabric_, blocks, names, sizes, place_of(block));
  }

  void attach(Value nodes, int32_t to) {
    for (const std::string& name : fields_.names(nodes)) fabric_.attach(name, to, place_of(nodes));
  }

  FabricBuilder& fabric_;
  FabricFields fields_;
};

class TopographReader {
 public:
  explicit TopographReader(FabricBuilder& fabric) : fabric_(fabric), fields_(fabric) {}

  void read(Value model) {
    for (Value::Member member : model["switches"].members()) {
      read_switch(std::string(member.key), member.at_key, member.value);
    }
    for (Value block : model["blocks"].items()) read_block(block);
  }

 private:
  void read_switch(const std::string& name, Value key, Value content) {
    int32_t index = fabric_.define(name, place_of(key));
    for (Value::Member label : content["labels"].members()) {
      fabric_.set_label(index, std::string(label.key), std::string(label.value.text()));
    }
    for (Value child : content["switches"].items()) {
      if (auto below = fields_.word(child, child, "the name of a switch")) {
        fabric_.connect(index, fabric_.mention(*below, place_of(child)), place_of(child));
      }
    }
    attach(content["nodes"], index, content);
  }

  void read_block(Value block) {
    auto name = fields_.word(block["switch"], block, "the switch that the nodes are at");
    if (!name) return;
    attach(block["nodes"], fabric_.mention(*name, place_of(block["switch"])), block);
  }

  void attach(Value nodes, int32_t to, Value block) {
    std::string accelerator;
    std::string part;
    // Whatever their prefix is.
    for (Value::Member annotation : block["annotations"].members()) {
      if (annotation.key.ends_with("/domain")) accelerator = annotation.value.text();
      if (annotation.key.ends_with("/sub-domain")) part = annotation.value.text();
    }
    for (const std::string& name : fields_.names(nodes)) {
      FabricNode* node = fabric_.attach(name, to, place_of(nodes));
      if (node == nullptr) continue;
      node->accelerator = accelerator;
      node->sub_accelerator = part;
    }
  }

  FabricBuilder& fabric_;
  FabricFields fields_;
};

void for_each_root(const FabricText& text, const std::function<void(Value)>& take) {
  read_documents(text.text, {.file = text.file,
                             .diagnostics = &text.diagnostics,
                             .document = [&](const Document& document,
                                             const ListHead&) { take(document.root()); },
                             .progress = {},
                             .consumed = {}});
}

}  // namespace

std::vector<Fabric> read_slurm_yaml(const FabricText& text) {
  std::vector<Fabric> fabrics;
  for_each_root(text, [&](Value root) {
    for (Value topology : root.items()) {
      FabricBuilder fabric(text.file, text.diagnostics);
      auto name = FabricFields(fabric).word(topology["topology"], topology, "a topology's name");
      if (!name) continue;
      SlurmYamlReader(fabric).read(topology);
      fabrics.push_back(fabric.finish(*name, FabricBuilder::LoneSwitches::Refused));
    }
  });
  return fabrics;
}

Fabric read_topograph(const FabricText& text) {
  FabricBuilder fabric(text.file, text.diagnostics);
  TopographReader reader(fabric);
  for_each_root(text, [&](Value root) { reader.read(root); });
  // A switch without nodes is only mentioned.
  return fabric.finish("", FabricBuilder::LoneSwitches::Allowed);
}

}  // namespace trellis
