#include "cel/checker.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "cel/format.h"
#include "cel/literals.h"
#include "cel/signatures.h"

namespace trellis::cel {
namespace {

struct NamedType {
  std::string_view name;
  Kind kind;
};

constexpr NamedType kTypeNames[] = {
    {"bool", Kind::Bool},
    {"int", Kind::Int},
    {"uint", Kind::Uint},
    {"double", Kind::Double},
    {"bytes", Kind::Bytes},
    {"string", Kind::String},
    {"list", Kind::List},
    {"map", Kind::Map},
    {"null_type", Kind::Null},
    {"type", Kind::Type},
    {"optional_type", Kind::Optional},
};

// NOLINTBEGIN(misc-no-recursion): as deep as the tree, whose depth is bounded.
class Checker {
 public:
  explicit Checker(Tree& tree) : tree_(tree) {}

  Complaint run(CheckedType& type) {
    describe(check(tree_.root), type);
    return std::move(complaint_);
  }

 private:
  struct Variable {
    std::string name;
    TypeIndex type;
  };

  Node& node(NodeIndex index) { return tree_.nodes[index]; }

  TypeIndex complain(std::string why, uint32_t position) {
    if (!complaint_.found()) complaint_ = {std::move(why), position};
    return types_.dyn();
  }

  void describe(TypeIndex type, CheckedType& into) {
    into.name = types_.name(type);
    const Type* known = &types_.view(type);
    if (known->form == TypeForm::Known && known->kind == Kind::List) {
      into.is_list = true;
      known = &types_.view(known->parameters[0]);
      into.element_is_dyn = known->form != TypeForm::Known;
      into.kind = known->kind;
      return;
    }
    into.is_dyn = known->form != TypeForm::Known;
    into.kind = known->kind;
  }

  TypeIndex check(NodeIndex index) {
    if (complaint_.found()) return types_.dyn();
    switch (node(index).kind) {
      case NodeKind::Constant:
        return types_.of(node(index).constant.kind());
      case NodeKind::Name:
        return check_name(node(index));
      case NodeKind::Select:
      case NodeKind::Presence:
        return check_field(index);
      case NodeKind::Index:
        return check_index(index);
      case NodeKind::Call:
        return check_call(index);
      case NodeKind::And:
      case NodeKind::Or:
        return check_logic(index);
      case NodeKind::Conditional:
        return check_conditional(index);
      case NodeKind::ListOf:
        return check_list(index);
      case NodeKind::MapOf:
        return check_map(index);
      case NodeKind::Macro:
        return check_macro(index);
    }
    return types_.dyn();
  }

  // The innermost variable of this name; -1: there is none.
  int32_t variable(std::string_view name) const {
    for (size_t i = variables_.size(); i > 0; --i) {
      if (variables_[i - 1].name == name) return static_cast<int32_t>(i - 1);
    }
    return -1;
  }

  TypeIndex check_name(Node& name) {
    name.slot = variable(name.text);
    if (name.slot >= 0) return variables_[static_cast<size_t>(name.slot)].type;
    if (name.text == "device") return types_.of(Kind::Device);
    for (const NamedType& known : kTypeNames) {
      if (known.name != name.text) continue;
      name.kind = NodeKind::Constant;
      name.constant = Value::with_text(Kind::Type, std::string(name_of(known.kind)));
      return types_.type_of(types_.of(known.kind));
    }
    return complain("undeclared reference to '" + name.text + "' (in container '')", name.position);
  }

  // The name of a type in a namespace: google.protobuf.Duration.
  bool is_type_name(Node& select, TypeIndex& type) {
    static constexpr Kind kKinds[] = {Kind::Duration, Kind::Timestamp, Kind::Quantity,
                                      Kind::Semver,   Kind::Ip,        Kind::Cidr,
                                      Kind::Url,      Kind::Format};
    std::string name;
    if (select.kind != NodeKind::Select || select.chained || !full_name(select, name)) return false;
    for (Kind kind : kKinds) {
      if (name != name_of(kind)) continue;
      select.kind = NodeKind::Constant;
      select.constant = Value::with_text(Kind::Type, std::move(name));
      select.children.clear();
      type = types_.type_of(types_.of(kind));
      return true;
    }
    return false;
  }

  // "a.b.c" of a chain of names that begins with no variable.
  bool full_name(const Node& last, std::string& name) {
    name = last.text;
    const Node* at = &last;
    while (at->kind == NodeKind::Select && !at->chained) {
      at = &node(at->children[0]);
      name.insert(0, at->text + ".");
    }
    return at->kind == NodeKind::Name && variable(at->text) < 0;
  }

  TypeIndex check_field(NodeIndex index) {
    TypeIndex type = types_.dyn();
    if (is_type_name(node(index), type)) return type;
    TypeIndex operand = check(node(index).children[0]);
    if (complaint_.found()) return types_.dyn();
    TypeIndex result = field(operand, node(index));
    if (node(index).kind == NodeKind::Presence) return types_.of(Kind::Bool);
    bool viral = types_.is(operand, Kind::Optional) || node(index).chained;
    return viral ? types_.optional(result) : result;
  }

  // The type of a field; of what is in it when the operand is optional.
  TypeIndex field(TypeIndex operand, const Node& select) {
    if (types_.is(operand, Kind::Optional)) operand = types_.view(operand).parameters[0];
    Type type = types_.view(operand);
    if (type.form != TypeForm::Known) return types_.dyn();
    if (type.kind == Kind::Map) {
      TypeIndex value = type.parameters[1];
      if (!types_.assignable({types_.of(Kind::String)}, {type.parameters[0]})) {
        return complain("type does not support field selection", select.position);
      }
      return value;
    }
    if (type.kind == Kind::Device) {
      TypeIndex string = types_.of(Kind::String);
      if (select.text == "driver") return string;
      if (select.text == "allowMultipleAllocations") return types_.of(Kind::Bool);
      if (select.text == "attributes") {
        return types_.map(string, types_.map(string, types_.dyn()));
      }
      if (select.text == "capacity") {
        return types_.map(string, types_.map(string, types_.of(Kind::Quantity)));
      }
      return complain("undefined field '" + select.text + "'", select.position);
    }
    return complain("type '" + types_.name(operand) + "' does not support field selection",
                    select.position);
  }

  TypeIndex check_index(NodeIndex index) {
    TypeIndex operand = check(node(index).children[0]);
    TypeIndex key = check(node(index).children[1]);
    if (complaint_.found()) return types_.dyn();
    bool viral = types_.is(operand, Kind::Optional);
    TypeIndex of = viral ? types_.view(operand).parameters[0] : operand;
    std::optional<TypeIndex> element = element_of(of, key);
    if (!element) {
      return complain("found no matching overload for '_[_]' applied to '(" + types_.name(operand) +
                          ", " + types_.name(key) + ")'",
                      node(index).position);
    }
    return viral || node(index).chained ? types_.optional(*element) : *element;
  }

  std::optional<TypeIndex> element_of(TypeIndex operand, TypeIndex key) {
    Type type = types_.view(operand);
    if (type.form != TypeForm::Known) return types_.dyn();
    if (type.kind == Kind::List && types_.assignable({key}, {types_.of(Kind::Int)})) {
      return type.parameters[0];
    }
    if (type.kind == Kind::Map && types_.assignable({key}, {type.parameters[0]})) {
      return type.parameters[1];
    }
    return std::nullopt;
  }

  // "optional.of" when the receiver is a name, and no variable, and the function exists.
  bool join_namespace(Node& call) {
    if (!call.member) return false;
    std::string name;
    if (!full_name(node(call.children[0]), name)) return false;
    name.append(".").append(call.text);
    if (functions_of(name, false).empty()) return false;
    call.text = std::move(name);
    call.member = false;
    call.children.erase(call.children.begin());
    return true;
  }

  TypeIndex check_call(NodeIndex index) {
    join_namespace(node(index));
    bool member = node(index).member;
    std::string name = node(index).text;
    bool is_format = member && name == "format";
    std::vector<TypeIndex> arguments;
    for (size_t i = 0; i < node(index).children.size(); ++i) {
      mixed_lists_ += is_format && i == 1 ? 1 : 0;
      arguments.push_back(check(node(index).children[i]));
      mixed_lists_ -= is_format && i == 1 ? 1 : 0;
    }
    if (complaint_.found()) return types_.dyn();
    if (!is_function(name)) {
      return complain("undeclared reference to '" + name + "' (in container '')",
                      node(index).position);
    }
    std::optional<TypeIndex> result = result_of(name, member, arguments);
    if (!result) return no_overload(node(index), arguments);
    check_literals(node(index));
    return *result;
  }

  TypeIndex no_overload(const Node& call, const std::vector<TypeIndex>& arguments) {
    std::string why = "found no matching overload for '" + call.text + "' applied to '(";
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (i > 0) why += ", ";
      why += types_.name(arguments[i]);
    }
    return complain(why + ")'", call.position);
  }

  // The first signature that fits says the result; where others fit, too, and differ, it is dyn.
  std::optional<TypeIndex> result_of(std::string_view name, bool member,
                                     const std::vector<TypeIndex>& arguments) {
    std::optional<TypeIndex> result;
    for (const Function* function : functions_of(name, member)) {
      for (const Signature& signature : signatures_of(*function, types_)) {
        if (!types_.assignable(arguments, signature.arguments)) continue;
        if (!result) {
          result = signature.result;
        } else if (!types_.exact(*result, signature.result)) {
          result = types_.dyn();
        }
      }
    }
    return result;
  }

  // Arguments that are constants are looked at before the expression ever runs.
  void check_literals(const Node& call) {
    if (call.member && call.text == "format") return check_format(call);
    if (complaint_.found()) return;
    complaint_ = complaint_of_literals(tree_, call);
  }

  void check_format(const Node& call) {
    const Node& text = node(call.children[0]);
    const Node& list = node(call.children[1]);
    if (text.kind != NodeKind::Constant || list.kind != NodeKind::ListOf) return;
    std::vector<FormatArgument> given;
    for (NodeIndex element : list.children) {
      TypeIndex type = types_of_.at(element);
      const Type& known = types_.view(type);
      given.push_back({known.form == TypeForm::Known, known.kind});
    }
    std::string why = check_format_text(text.constant.text(), given);
    if (!why.empty()) complain(why, call.position);
  }

  TypeIndex check_logic(NodeIndex index) {
    for (size_t i = 0; i < node(index).children.size(); ++i) {
      TypeIndex part = check(node(index).children[i]);
      if (complaint_.found()) break;
      if (!types_.assignable({part}, {types_.of(Kind::Bool)})) {
        return complain(std::string("found no matching overload for '") +
                            (node(index).kind == NodeKind::And ? "_&&_" : "_||_") +
                            "' applied to '" + types_.name(part) + "'",
                        node(index).position);
      }
    }
    return types_.of(Kind::Bool);
  }

  TypeIndex check_conditional(NodeIndex index) {
    TypeIndex condition = check(node(index).children[0]);
    TypeIndex yes = check(node(index).children[1]);
    TypeIndex no = check(node(index).children[2]);
    if (complaint_.found()) return types_.dyn();
    TypeIndex result = types_.parameter();
    if (!types_.assignable({condition, yes, no}, {types_.of(Kind::Bool), result, result})) {
      return complain("found no matching overload for '_?_:_' applied to '(" +
                          types_.name(condition) + ", " + types_.name(yes) + ", " +
                          types_.name(no) + ")'",
                      node(index).position);
    }
    return result;
  }

  // The type of an element of a literal; of what is in it where it is written `?x`.
  TypeIndex element(NodeIndex index, bool optional) {
    TypeIndex type = check(index);
    types_of_[index] = type;
    if (!optional || complaint_.found()) return type;
    if (types_.is(type, Kind::Optional)) return types_.view(type).parameters[0];
    if (!types_.is_dyn(type)) {
      complain("expected type 'optional_type' but found '" + types_.name(type) + "'",
               node(index).position);
    }
    return types_.dyn();
  }

  // The elements of a literal have one type.
  TypeIndex joined(std::optional<TypeIndex> before, TypeIndex next, NodeIndex at) {
    if (!before || complaint_.found()) return next;
    bool same = types_.exact(*before, next) || equivalent(*before, next);
    if (!same && mixed_lists_ == 0) {
      complain("expected type '" + types_.name(*before) + "' but found '" + types_.name(next) + "'",
               node(at).position);
    }
    return types_.join(*before, next);
  }

  bool equivalent(TypeIndex a, TypeIndex b) {
    const Type& first = types_.view(a);
    const Type& second = types_.view(b);
    return first.form == second.form && first.kind == second.kind;
  }

  TypeIndex check_list(NodeIndex index) {
    std::optional<TypeIndex> type;
    for (size_t i = 0; i < node(index).children.size(); ++i) {
      NodeIndex child = node(index).children[i];
      type = joined(type, element(child, node(index).optional[i]), child);
    }
    return types_.list(type ? *type : types_.parameter());
  }

  TypeIndex check_map(NodeIndex index) {
    std::optional<TypeIndex> key;
    std::optional<TypeIndex> value;
    for (size_t i = 0; i + 1 < node(index).children.size(); i += 2) {
      NodeIndex name = node(index).children[i];
      NodeIndex content = node(index).children[i + 1];
      key = joined(key, element(name, false), name);
      value = joined(value, element(content, node(index).optional[i / 2]), content);
    }
    if (!key) return types_.map(types_.parameter(), types_.parameter());
    return types_.map(*key, *value);
  }

  TypeIndex check_macro(NodeIndex index) {
    TypeIndex range = check(node(index).children[0]);
    if (complaint_.found()) return types_.dyn();
    Macro macro = node(index).macro;
    std::pair<TypeIndex, TypeIndex> variables = macro_variables(index, range);
    if (complaint_.found()) return types_.dyn();
    size_t before = variables_.size();
    node(index).slot = static_cast<int32_t>(before);
    variables_.push_back({node(index).text, variables.first});
    if (node(index).variables == 2) variables_.push_back({node(index).second, variables.second});
    tree_.slots = std::max(tree_.slots, static_cast<int32_t>(variables_.size()));
    std::vector<TypeIndex> bodies;
    for (size_t i = 1; i < node(index).children.size(); ++i) {
      bodies.push_back(check(node(index).children[i]));
    }
    variables_.resize(before);
    if (complaint_.found()) return types_.dyn();
    bool filtered = bodies.size() == 2 || macro == Macro::All || macro == Macro::Exists ||
                    macro == Macro::ExistsOne || macro == Macro::Filter;
    if (filtered && !types_.assignable({bodies[0]}, {types_.of(Kind::Bool)})) {
      return complain(
          "found no matching overload: expected bool but found '" + types_.name(bodies[0]) + "'",
          node(index).position);
    }
    return macro_result(index, range, bodies.back());
  }

  // The types of a macro's variables.
  std::pair<TypeIndex, TypeIndex> macro_variables(NodeIndex index, TypeIndex range) {
    Type type = types_.view(range);
    Macro macro = node(index).macro;
    if (macro == Macro::Bind) return {range, range};
    bool two = node(index).variables == 2;
    bool is_optional = macro == Macro::OptMap || macro == Macro::OptFlatMap;
    if (type.form == TypeForm::Known) {
      if (is_optional && type.kind == Kind::Optional) return {type.parameters[0], 0};
      if (!is_optional && type.kind == Kind::List) {
        TypeIndex of = type.parameters[0];
        return {two ? types_.of(Kind::Int) : of, of};
      }
      bool maps = !is_optional && macro != Macro::SortBy && type.kind == Kind::Map;
      if (maps) return {type.parameters[0], type.parameters[1]};
      complain("expression of type '" + types_.name(range) +
                   "' cannot be range of a comprehension (must be list, map, or dynamic)",
               node(node(index).children[0]).position);
    }
    return {types_.dyn(), types_.dyn()};
  }

  TypeIndex macro_result(NodeIndex index, TypeIndex range, TypeIndex body) {
    switch (node(index).macro) {
      case Macro::All:
      case Macro::Exists:
      case Macro::ExistsOne:
        return types_.of(Kind::Bool);
      case Macro::Map:
      case Macro::TransformList:
        return types_.list(body);
      case Macro::Filter: {
        Type type = types_.view(range);
        return types_.list(type.form == TypeForm::Known ? type.parameters[0] : types_.dyn());
      }
      case Macro::SortBy:
        return sorted(index, range, body);
      case Macro::Bind:
        return body;
      case Macro::OptMap:
        return types_.optional(body);
      case Macro::OptFlatMap:
        if (types_.is(body, Kind::Optional) || types_.is_dyn(body)) return body;
        return complain("expected an optional value but found '" + types_.name(body) + "'",
                        node(index).position);
      case Macro::TransformMap: {
        Type type = types_.view(range);
        if (type.form != TypeForm::Known) return types_.map(types_.dyn(), body);
        TypeIndex key = type.kind == Kind::Map ? type.parameters[0] : types_.of(Kind::Int);
        return types_.map(key, body);
      }
      case Macro::TransformMapEntry:
        if (types_.is(body, Kind::Map) || types_.is_dyn(body)) return body;
        return complain("expected a map but found '" + types_.name(body) + "'",
                        node(index).position);
    }
    return types_.dyn();
  }

  TypeIndex sorted(NodeIndex index, TypeIndex range, TypeIndex key) {
    std::vector<TypeIndex> keys = {types_.list(key)};
    if (!result_of("isSorted", true, keys)) return no_overload(node(index), {range, keys[0]});
    return types_.is_dyn(range) ? types_.list(types_.dyn()) : range;
  }

  Tree& tree_;
  Types types_;
  std::vector<Variable> variables_;
  std::vector<TypeIndex> types_of_ = std::vector<TypeIndex>(tree_.nodes.size(), 0);
  int mixed_lists_ = 0;
  Complaint complaint_;
};
// NOLINTEND(misc-no-recursion)

}  // namespace

Complaint check_types(Tree& tree, CheckedType& type) { return Checker(tree).run(type); }

}  // namespace trellis::cel
