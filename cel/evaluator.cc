#include "cel/evaluator.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "cel/signatures.h"

namespace trellis::cel {
namespace {

constexpr int64_t kListCost = 10;
constexpr int64_t kMapCost = 30;

// One for ten.
int64_t tenth(size_t size) { return static_cast<int64_t>((size + 9) / 10); }

// What a call costs beyond its arguments.
int64_t cost_of(const Node& call, std::span<const Value> a) {
  std::string_view name = call.text;
  auto size = [&](size_t i) { return size_of(a[i]); };
  auto at_least_one = [](int64_t cost) { return std::max<int64_t>(cost, 1); };
  if (name == "==" || name == "!=" || name == "<" || name == "<=" || name == ">" || name == ">=") {
    return at_least_one(tenth(std::min(size(0), size(1))));
  }
  if (name == "+") return at_least_one(tenth(size(0) + size(1)));
  if (name == "in") return a[1].is(Kind::List) ? static_cast<int64_t>(size(1)) : 1;
  if (name == "contains") return at_least_one(tenth(size(0)) * tenth(size(1)));
  if (name == "matches" || name == "find" || name == "findAll") {
    return at_least_one(tenth(size(0) + 1) * static_cast<int64_t>((size(1) + 3) / 4));
  }
  if (name == "startsWith" || name == "endsWith") return at_least_one(tenth(size(1)));
  if (name == "lists.range") {
    return a[0].is(Kind::Int) ? std::max<int64_t>(a[0].int_value(), 0) + 11 : 1;
  }
  bool quadratic = name.starts_with("sets.") || name == "distinct";
  if (quadratic) return at_least_one(static_cast<int64_t>(size(0) * size(a.size() - 1)));
  if (a.empty() || name == "size" || !call.member) return 1;
  if (a[0].is(Kind::List)) return at_least_one(static_cast<int64_t>(size(0)));
  return a[0].is(Kind::String) ? at_least_one(tenth(size(0))) : 1;
}

// NOLINTBEGIN(misc-no-recursion): as deep as the tree, whose depth is bounded.
class Evaluator {
 public:
  Evaluator(const Tree& tree, const Device& device)
      : tree_(tree), device_(device), variables_(static_cast<size_t>(tree.slots)) {}

  Evaluation run() {
    Value value = evaluate(tree_.root);
    if (cancelled_) value = Value::error("operation cancelled: actual cost limit exceeded");
    return {std::move(value), cost_};
  }

 private:
  const Node& node(NodeIndex index) const { return tree_.nodes[index]; }

  void pay(int64_t cost) {
    cost_ = std::min(cost_ + cost, kCostLimit + 1);
    cancelled_ = cancelled_ || cost_ > kCostLimit;
  }

  Value evaluate(NodeIndex index) {
    if (cancelled_) return Value::error("cancelled");
    const Node& at = node(index);
    switch (at.kind) {
      case NodeKind::Constant:
        return at.constant;
      case NodeKind::Name:
        pay(1);
        return at.slot >= 0 ? variables_[static_cast<size_t>(at.slot)] : Value::device(device_);
      case NodeKind::Select:
        return select(at);
      case NodeKind::Presence:
        return presence(at);
      case NodeKind::Index:
        return element(at);
      case NodeKind::Call:
        return call(at);
      case NodeKind::And:
      case NodeKind::Or:
        return logic(at);
      case NodeKind::Conditional:
        return conditional(at);
      case NodeKind::ListOf:
        return list(at);
      case NodeKind::MapOf:
        return map(at);
      case NodeKind::Macro:
        return macro(at);
    }
    return Value::null();
  }

  static Value missing(const Value& key) {
    Value text = key.is(Kind::String)
                     ? key
                     : functions_of("string", false)[0]->run(std::span<const Value>(&key, 1));
    return Value::error("no such key: " + text.text());
  }

  // A field of a device, or the entry of a map. An error: it is not there.
  Value lookup(const Value& operand, const Value& key) const {
    if (operand.is(Kind::Map)) {
      const Value* found = find(operand.entries(), key);
      if (found != nullptr) return *found;
      bool is_name = operand.entries().has_all_keys && key.is(Kind::String);
      return is_name ? Value::map({}) : missing(key);
    }
    if (operand.is(Kind::Device) && key.is(Kind::String)) return field_of_device(key);
    if (operand.is(Kind::List)) return item(operand.items(), key);
    return Value::no_such_overload();
  }

  Value field_of_device(const Value& key) const {
    if (key.text() == "driver") return Value::string(device_.driver);
    if (key.text() == "attributes") return device_.attributes;
    if (key.text() == "capacity") return device_.capacity;
    if (key.text() == "allowMultipleAllocations") {
      return Value::boolean(device_.allows_many_allocations);
    }
    return missing(key);
  }

  static Value item(const List& items, const Value& key) {
    if (!key.is_number()) return Value::no_such_overload();
    Order whole = order_of(key, Value::integer(0));
    auto index = key.is(Kind::Double) ? static_cast<int64_t>(key.double_value()) : key.int_value();
    if (key.is(Kind::Double) && order_of(key, Value::integer(index)) != Order::Equal) {
      return Value::error("unsupported index value of type double in list");
    }
    if (whole == Order::Less || index < 0 || index >= static_cast<int64_t>(items.size())) {
      return Value::error("index out of bounds: " + std::to_string(index));
    }
    return items[static_cast<size_t>(index)];
  }

  // Through optional values, which stay optional.
  Value reach(const Value& operand, const Value& key, bool chained) {
    pay(1);
    if (operand.failed()) return operand;
    if (key.failed()) return key;
    if (operand.is(Kind::Optional)) {
      if (operand.inner() == nullptr) return operand;
      Value found = lookup(*operand.inner(), key);
      return found.failed() ? Value::none() : Value::some(std::move(found));
    }
    Value found = lookup(operand, key);
    if (!chained) return found;
    return found.failed() ? Value::none() : Value::some(std::move(found));
  }

  Value select(const Node& at) {
    Value operand = evaluate(at.children[0]);
    if (!at.chained && !operand.is(Kind::Optional) && !is_selectable(operand)) {
      pay(1);
      return operand.failed() ? operand : missing(Value::string(at.text));
    }
    return reach(operand, Value::string(at.text), at.chained);
  }

  static bool is_selectable(const Value& value) {
    return value.is(Kind::Map) || value.is(Kind::Device);
  }

  Value presence(const Node& at) {
    Value operand = evaluate(at.children[0]);
    if (operand.failed()) return operand;
    if (operand.is(Kind::Optional)) {
      if (operand.inner() == nullptr) return Value::boolean(false);
      Value inner = *operand.inner();
      operand = std::move(inner);
    }
    Value found = lookup(operand, Value::string(at.text));
    return Value::boolean(!found.failed());
  }

  Value element(const Node& at) {
    Value operand = evaluate(at.children[0]);
    Value key = evaluate(at.children[1]);
    return reach(operand, key, at.chained);
  }

  Value call(const Node& at) {
    std::vector<Value> arguments;
    arguments.reserve(at.children.size());
    for (NodeIndex child : at.children) arguments.push_back(evaluate(child));
    for (Value& argument : arguments) {
      if (argument.failed()) return std::move(argument);
    }
    return apply(at, arguments);
  }

  // The first function of this name that takes such arguments.
  Value apply(const Node& at, std::span<const Value> arguments) {
    pay(cost_of(at, arguments));
    if (cancelled_) return Value::error("cancelled");
    Value result = Value::no_such_overload();
    for (const Function* function : functions_of(at.text, at.member)) {
      result = function->run(arguments);
      if (!result.failed() || result.text() != "no such overload") break;
    }
    return result;
  }

  Value logic(const Node& at) {
    bool all = at.kind == NodeKind::And;
    Value failure;
    for (NodeIndex child : at.children) {
      Value part = evaluate(child);
      if (all ? part.is_false() : part.is_true()) return part;
      if (part.is(Kind::Bool) || failure.failed()) continue;
      failure = part.failed() ? std::move(part) : Value::no_such_overload();
    }
    return failure.failed() ? failure : Value::boolean(all);
  }

  Value conditional(const Node& at) {
    Value condition = evaluate(at.children[0]);
    if (condition.failed()) return condition;
    if (!condition.is(Kind::Bool)) return Value::no_such_overload();
    return evaluate(at.children[condition.is_true() ? 1 : 2]);
  }

  Value list(const Node& at) {
    pay(kListCost);
    List items;
    for (size_t i = 0; i < at.children.size(); ++i) {
      Value item = evaluate(at.children[i]);
      if (item.failed()) return item;
      if (!at.optional[i]) {
        items.push_back(std::move(item));
      } else if (!item.is(Kind::Optional)) {
        return Value::no_such_overload();
      } else if (item.inner() != nullptr) {
        items.push_back(*item.inner());
      }
    }
    return Value::list(std::move(items));
  }

  static void put(Map& map, Value key, Value value) {
    for (auto& [name, before] : map.entries) {
      if (equal(name, key).is_true()) {
        before = std::move(value);
        return;
      }
    }
    map.entries.emplace_back(std::move(key), std::move(value));
  }

  Value map(const Node& at) {
    pay(kMapCost);
    Map made;
    for (size_t i = 0; i + 1 < at.children.size(); i += 2) {
      Value key = evaluate(at.children[i]);
      Value value = evaluate(at.children[i + 1]);
      if (key.failed()) return key;
      if (value.failed()) return value;
      if (at.optional[i / 2]) {
        if (!value.is(Kind::Optional)) return Value::no_such_overload();
        if (value.inner() == nullptr) continue;
        Value inner = *value.inner();
        value = std::move(inner);
      }
      put(made, std::move(key), std::move(value));
    }
    return Value::map(std::move(made));
  }

  Value& variable(const Node& at, size_t which) {
    return variables_[static_cast<size_t>(at.slot) + which];
  }

  Value macro(const Node& at) {
    Value range = evaluate(at.children[0]);
    switch (at.macro) {
      case Macro::Bind:
        variable(at, 0) = std::move(range);
        return evaluate(at.children[1]);
      case Macro::OptMap:
      case Macro::OptFlatMap:
        return through_optional(at, range);
      default:
        break;
    }
    if (range.failed()) return range;
    if (!range.is(Kind::List) && !range.is(Kind::Map)) {
      return Value::error("got '" + type_name(range) + "', expected iterable type");
    }
    switch (at.macro) {
      case Macro::All:
      case Macro::Exists:
        return quantify(at, range);
      case Macro::ExistsOne:
        return exists_one(at, range);
      case Macro::TransformMap:
      case Macro::TransformMapEntry:
        return make_map(at, range);
      case Macro::SortBy:
        return sort_by(at, range);
      default:
        return make_list(at, range);
    }
  }

  Value through_optional(const Node& at, const Value& operand) {
    if (operand.failed()) return operand;
    if (!operand.is(Kind::Optional)) return Value::no_such_overload();
    if (operand.inner() == nullptr) return operand;
    variable(at, 0) = *operand.inner();
    Value result = evaluate(at.children[1]);
    if (result.failed() || at.macro == Macro::OptFlatMap) return result;
    return Value::some(std::move(result));
  }

  // Puts element `i` into the variables.
  void bind(const Node& at, const Value& range, size_t i) {
    bool two = at.variables == 2;
    if (range.is(Kind::Map)) {
      const Entry& entry = range.entries().entries[i];
      variable(at, 0) = entry.first;
      if (two) variable(at, 1) = entry.second;
      return;
    }
    if (two) variable(at, 0) = Value::integer(static_cast<int64_t>(i));
    variable(at, two ? 1 : 0) = range.items()[i];
  }

  Value quantify(const Node& at, const Value& range) {
    bool all = at.macro == Macro::All;
    Value failure;
    for (size_t i = 0; i < size_of(range) && !cancelled_; ++i) {
      bind(at, range, i);
      pay(all ? 3 : 4);
      Value part = evaluate(at.children[1]);
      if (all ? part.is_false() : part.is_true()) return part;
      if (part.is(Kind::Bool) || failure.failed()) continue;
      failure = part.failed() ? std::move(part) : Value::no_such_overload();
    }
    pay(1);
    return failure.failed() ? failure : Value::boolean(all);
  }

  Value exists_one(const Node& at, const Value& range) {
    int count = 0;
    Value failure;
    for (size_t i = 0; i < size_of(range) && !cancelled_; ++i) {
      bind(at, range, i);
      pay(1);
      Value part = evaluate(at.children[1]);
      count += part.is_true() ? 1 : 0;
      if (part.is(Kind::Bool) || failure.failed()) continue;
      failure = part.failed() ? std::move(part) : Value::no_such_overload();
    }
    pay(2);
    return failure.failed() ? failure : Value::boolean(count == 1);
  }

  // Does the element pass the macro's condition? An error otherwise than by a boolean.
  Value passes(const Node& at) {
    bool conditional = at.macro == Macro::Filter || at.children.size() == 3;
    if (!conditional) return Value::boolean(true);
    Value part = evaluate(at.children[1]);
    return part.is(Kind::Bool) || part.failed() ? part : Value::no_such_overload();
  }

  Value make_list(const Node& at, const Value& range) {
    List items;
    for (size_t i = 0; i < size_of(range) && !cancelled_; ++i) {
      bind(at, range, i);
      pay(1);
      Value passed = passes(at);
      if (passed.failed()) return passed;
      if (passed.is_false()) continue;
      pay(kListCost + 1);
      Value item = at.macro == Macro::Filter ? variable(at, 0) : evaluate(at.children.back());
      if (item.failed()) return item;
      items.push_back(std::move(item));
    }
    pay(1);
    return Value::list(std::move(items));
  }

  Value make_map(const Node& at, const Value& range) {
    Map made;
    for (size_t i = 0; i < size_of(range) && !cancelled_; ++i) {
      bind(at, range, i);
      pay(2);
      Value passed = passes(at);
      if (passed.failed()) return passed;
      if (passed.is_false()) continue;
      Value key = variable(at, 0);
      Value value = evaluate(at.children.back());
      if (value.failed()) return value;
      if (at.macro == Macro::TransformMap) {
        put(made, std::move(key), std::move(value));
        continue;
      }
      if (!value.is(Kind::Map)) return Value::no_such_overload();
      for (const auto& [name, content] : value.entries().entries) {
        if (find(made, name) != nullptr) return Value::error("insert failed: key exists already");
        put(made, name, content);
      }
    }
    return Value::map(std::move(made));
  }

  Value sort_by(const Node& at, const Value& range) {
    if (!range.is(Kind::List)) return Value::no_such_overload();
    List keys;
    for (size_t i = 0; i < range.items().size() && !cancelled_; ++i) {
      bind(at, range, i);
      pay(kListCost + 2);
      Value key = evaluate(at.children[1]);
      if (key.failed()) return key;
      keys.push_back(std::move(key));
    }
    if (cancelled_) return Value::error("cancelled");
    const std::array<Value, 2> both = {range, Value::list(std::move(keys))};
    return functions_of("@sortBy", false)[0]->run(both);
  }

  const Tree& tree_;
  const Device& device_;
  std::vector<Value> variables_;
  int64_t cost_ = 0;
  bool cancelled_ = false;
};
// NOLINTEND(misc-no-recursion)

}  // namespace

Evaluation evaluate(const Tree& tree, const Device& device) {
  return Evaluator(tree, device).run();
}

}  // namespace trellis::cel
