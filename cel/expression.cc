#include "cel/expression.h"

#include <algorithm>
#include <utility>

#include "cel/parser.h"

namespace trellis::cel {
namespace {

constexpr size_t kMostLetters = 100'000;

// Literals of constants are made once.
void fold_constants(Tree& tree) {
  for (Node& node : tree.nodes) {
    bool literal = node.kind == NodeKind::ListOf || node.kind == NodeKind::MapOf;
    if (!literal) continue;
    bool constant =
        std::find(node.optional.begin(), node.optional.end(), true) == node.optional.end();
    for (NodeIndex child : node.children) {
      constant = constant && tree.nodes[child].kind == NodeKind::Constant;
    }
    if (!constant) continue;
    Tree part;
    for (NodeIndex child : node.children) part.nodes.push_back(tree.nodes[child]);
    Node whole = node;
    for (size_t i = 0; i < whole.children.size(); ++i)
      whole.children[i] = static_cast<NodeIndex>(i);
    part.nodes.push_back(std::move(whole));
    part.root = static_cast<NodeIndex>(part.nodes.size() - 1);
    Value value = evaluate(part, Device{}).value;
    if (value.failed()) continue;
    node.kind = NodeKind::Constant;
    node.constant = std::move(value);
    node.children.clear();
  }
}

bool is_attribute(Kind kind) {
  return kind == Kind::Bool || kind == Kind::Int || kind == Kind::String || kind == Kind::Semver;
}

std::string wrong_result(const CheckedType& type, Purpose purpose) {
  if (purpose == Purpose::Selector) {
    bool fits = type.is_dyn || (!type.is_list && type.kind == Kind::Bool);
    return fits ? "" : "must evaluate to bool or the unknown type, not " + type.name;
  }
  bool fits = type.is_list ? type.element_is_dyn || is_attribute(type.kind)
                           : type.is_dyn || is_attribute(type.kind);
  if (fits) return "";
  return "must evaluate to a primitive scalar (string, integer, boolean, semver) or a list of "
         "these, not " +
         type.name;
}

std::string at_place(std::string_view text, const Complaint& complaint) {
  size_t line = 1;
  size_t column = 1;
  for (char c : text.substr(0, complaint.position)) {
    ++column;
    if (c != '\n') continue;
    ++line;
    column = 1;
  }
  return std::to_string(line) + ":" + std::to_string(column) + ": " + complaint.text;
}

}  // namespace

Expression Expression::compile(std::string_view text, Purpose purpose) {
  Expression made;
  if (text.size() > kMostLetters) {
    made.error_ = "expression is longer than 100000 letters";
    return made;
  }
  Parsed parsed = parse_expression(text);
  CheckedType type;
  if (!parsed.complaint.found()) parsed.complaint = check_types(parsed.tree, type);
  if (parsed.complaint.found()) {
    made.error_ = at_place(text, parsed.complaint);
    return made;
  }
  made.error_ = wrong_result(type, purpose);
  if (!made.valid()) return made;
  fold_constants(parsed.tree);
  made.tree_ = std::make_shared<const Tree>(std::move(parsed.tree));
  return made;
}

Match Expression::matches(const Device& device) const {
  auto [value, cost] = evaluate(*tree_, device);
  if (value.is(Kind::Bool)) return {value.is_true(), "", cost};
  if (value.failed()) return {false, value.text(), cost};
  return {false, "CEL result of type " + type_name(value) + " could not be converted to bool",
          cost};
}

Value Expression::value(const Device& device) const {
  Value value = evaluate(*tree_, device).value;
  if (value.failed() || is_attribute(value.kind())) return value;
  if (!value.is(Kind::List)) {
    return Value::error("unsupported CEL return type: " + type_name(value));
  }
  const List& items = value.items();
  for (size_t i = 0; i < items.size(); ++i) {
    if (!is_attribute(items[i].kind())) {
      return Value::error("unsupported CEL list element type: " + type_name(items[i]));
    }
    if (items[i].kind() == items[0].kind()) continue;
    return Value::error("expected list element at index " + std::to_string(i) + " to be " +
                        type_name(items[0]) + ", got " + type_name(items[i]));
  }
  return value;
}

}  // namespace trellis::cel
