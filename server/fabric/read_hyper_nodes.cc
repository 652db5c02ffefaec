#include <map>
#include <optional>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "server/document/document.h"
#include "server/fabric/fabric_reader.h"
#include "server/manifest/input_files.h"

namespace trellis {
namespace {

constexpr const char* kSelector =
    "exactMatch.name, or regexMatch or labelMatch of Nodes in this file";

FabricPlace place_in(Value value) {
  return {.line = value.line(), .path = value.path(), .document = value.document()->number()};
}

// What regexMatch and labelMatch choose from.
struct KnownNode {
  std::string name;
  std::map<std::string, std::string> labels;
};

// A member that is chosen by a selector of nodes, kept until all Nodes are read.
struct SelectedMembers {
  int32_t of = kNoSwitch;
  std::string pattern;
  std::map<std::string, std::string> labels;
  FabricPlace at;
};

class HyperNodeReader {
 public:
  explicit HyperNodeReader(const FabricText& text)
      : text_(text), fabric_(text.file, text.diagnostics) {}

  Fabric read() {
    read_documents(text_.text, {.file = text_.file,
                                .diagnostics = &text_.diagnostics,
                                .document =
                                    [this](const Document& document, const ListHead& head) {
                                      read_root(document.root(), head.kind);
                                    },
                                .progress = {},
                                .consumed = {}});
    for (const SelectedMembers& members : selected_) attach(members);
    return fabric_.finish("", FabricBuilder::LoneSwitches::Refused);
  }

 private:
  void read_root(Value root, std::string_view list) {
    if (!root["items"].exists()) return read_object(root, list);
    for (Value item : root["items"].items()) read_object(item, root["kind"].text());
  }

  void read_object(Value object, std::string_view list) {
    std::string_view kind = object["kind"].text();
    std::string name(object["metadata"]["name"].text());
    if (kind == "Node" || (kind.empty() && list == "NodeList")) {
      KnownNode node{.name = name};
      for (Value::Member label : object["metadata"]["labels"].members()) {
        node.labels[std::string(label.key)] = label.value.text();
      }
      nodes_.push_back(std::move(node));
      return;
    }
    if (kind != "HyperNode" && !(kind.empty() && list == "HyperNodeList")) return;
    if (name.empty()) {
      fabric_.error(place_in(object),
                    {.found = "a HyperNode without a name", .expected = "metadata.name"});
      return;
    }
    int32_t index = fabric_.define(name, place_in(object));
    for (Value member : object["spec"]["members"].items()) read_member(member, index);
  }

  void read_member(Value member, int32_t of) {
    Value selector = member["selector"];
    std::string name(selector["exactMatch"]["name"].text());
    FabricPlace at = place_in(member);
    bool node = member["type"].text() == "Node";
    if (!node && member["type"].text() != "HyperNode") {
      Value type = member["type"];
      fabric_.error(type.exists() ? place_in(type) : at,
                    {.found = describe(type), .expected = "\"Node\" or \"HyperNode\""});
    } else if (!node && !name.empty()) {
      fabric_.connect(of, fabric_.mention(name, at), at);
    } else if (node && !name.empty()) {
      fabric_.attach(name, of, at);
    } else if (!node || (!selector["regexMatch"].exists() && !selector["labelMatch"].exists())) {
      fabric_.error(at, {.found = "a member without a name",
                         .expected = node ? kSelector : "selector.exactMatch.name"});
    } else {
      SelectedMembers members{.of = of, .at = at};
      members.pattern = selector["regexMatch"]["pattern"].text();
      for (Value::Member label : selector["labelMatch"]["matchLabels"].members()) {
        members.labels[std::string(label.key)] = label.value.text();
      }
      selected_.push_back(std::move(members));
    }
  }

  void attach(const SelectedMembers& members) {
    std::optional<std::regex> pattern;
    try {
      if (!members.pattern.empty()) pattern.emplace(members.pattern);
    } catch (const std::regex_error&) {
      fabric_.error(members.at, {.found = "the pattern " + in_quotes(members.pattern),
                                 .expected = "a regular expression"});
      return;
    }
    bool any = false;
    for (const KnownNode& node : nodes_) {
      bool chosen = pattern ? std::regex_search(node.name, *pattern) : has_labels(node, members);
      if (chosen) fabric_.attach(node.name, members.of, members.at);
      any = any || chosen;
    }
    if (!any) fabric_.error(members.at, {.found = "no such Node", .expected = kSelector});
  }

  static bool has_labels(const KnownNode& node, const SelectedMembers& members) {
    for (const auto& [key, value] : members.labels) {
      auto found = node.labels.find(key);
      if (found == node.labels.end() || found->second != value) return false;
    }
    return !members.labels.empty();
  }

  const FabricText& text_;
  FabricBuilder fabric_;
  std::vector<KnownNode> nodes_;
  std::vector<SelectedMembers> selected_;
};

}  // namespace

Fabric read_hyper_nodes(const FabricText& text) { return HyperNodeReader(text).read(); }

}  // namespace trellis
