#include "cel/macros.h"

#include <string_view>
#include <utility>

namespace trellis::cel {
namespace {

struct MacroForm {
  std::string_view name;
  // With the receiver.
  size_t arguments;
  uint8_t variables;
  Macro macro;
};

constexpr MacroForm kForms[] = {
    {"all", 3, 1, Macro::All},
    {"all", 4, 2, Macro::All},
    {"exists", 3, 1, Macro::Exists},
    {"exists", 4, 2, Macro::Exists},
    {"exists_one", 3, 1, Macro::ExistsOne},
    {"existsOne", 3, 1, Macro::ExistsOne},
    {"existsOne", 4, 2, Macro::ExistsOne},
    {"exists_one", 4, 2, Macro::ExistsOne},
    {"map", 3, 1, Macro::Map},
    {"map", 4, 1, Macro::Map},
    {"filter", 3, 1, Macro::Filter},
    {"transformList", 4, 2, Macro::TransformList},
    {"transformList", 5, 2, Macro::TransformList},
    {"transformMap", 4, 2, Macro::TransformMap},
    {"transformMap", 5, 2, Macro::TransformMap},
    {"transformMapEntry", 4, 2, Macro::TransformMapEntry},
    {"transformMapEntry", 5, 2, Macro::TransformMapEntry},
    {"sortBy", 3, 1, Macro::SortBy},
    {"optMap", 3, 1, Macro::OptMap},
    {"optFlatMap", 3, 1, Macro::OptFlatMap},
};

void expand_has(const Tree& tree, Node& call, Complaint& complaint) {
  const Node& operand = tree.nodes[call.children[0]];
  if (operand.kind != NodeKind::Select || operand.chained) {
    complaint = {"invalid argument to has() macro", operand.position};
    return;
  }
  call.kind = NodeKind::Presence;
  call.text = operand.text;
  call.children = operand.children;
}

// Names variable `which` of the macro by an argument, which must be a name.
bool name_variable(const Tree& tree, NodeIndex argument, std::string& into, Complaint& complaint) {
  const Node& node = tree.nodes[argument];
  if (node.kind != NodeKind::Name || node.text == "__result__") {
    complaint = {"argument must be a simple name", node.position};
    return false;
  }
  into = node.text;
  return true;
}

void expand(const Tree& tree, Node& call, const MacroForm& form, Complaint& complaint) {
  std::string first;
  if (!name_variable(tree, call.children[1], first, complaint)) return;
  if (form.variables == 2) {
    if (!name_variable(tree, call.children[2], call.second, complaint)) return;
    if (call.second == first) {
      complaint = {"duplicate variable name: " + first, call.position};
      return;
    }
  }
  call.kind = NodeKind::Macro;
  call.macro = form.macro;
  call.variables = form.variables;
  call.text = std::move(first);
  call.children.erase(call.children.begin() + 1, call.children.begin() + 1 + form.variables);
}

}  // namespace

void expand_macro(const Tree& tree, Node& call, Complaint& complaint) {
  size_t arguments = call.children.size();
  if (!call.member) {
    if (call.text == "has" && arguments == 1) expand_has(tree, call, complaint);
    return;
  }
  const Node& receiver = tree.nodes[call.children[0]];
  if (call.text == "bind" && arguments == 4 && receiver.kind == NodeKind::Name &&
      receiver.text == "cel") {
    call.children.erase(call.children.begin());
    // As in the other macros: what is bound, then its name, then the body.
    std::swap(call.children[0], call.children[1]);
    return expand(tree, call, {"bind", 3, 1, Macro::Bind}, complaint);
  }
  for (const MacroForm& form : kForms) {
    if (form.name == call.text && form.arguments == arguments) {
      return expand(tree, call, form, complaint);
    }
  }
}

}  // namespace trellis::cel
