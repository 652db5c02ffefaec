// Functions of lists, sets and optional values.
#include <algorithm>
#include <array>

#include "cel/functions.h"

namespace trellis::cel {
namespace {

using Arguments = std::span<const Value>;

constexpr int64_t kLongestList = 1'000'000;

// Puts the smallest first; an error when some cannot be compared.
Value sort(List& items, const List& keys) {
  std::vector<size_t> order(items.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  for (const Value& key : keys) {
    if (order_of(keys[0], key) == Order::Incomparable) return Value::no_such_overload();
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return order_of(keys[a], keys[b]) == Order::Less; });
  List sorted;
  for (size_t i : order) sorted.push_back(items[i]);
  return Value::list(std::move(sorted));
}

Value sorted(Arguments a) {
  if (!a[0].is(Kind::List)) return Value::no_such_overload();
  List items = a[0].items();
  return sort(items, a[0].items());
}

// By keys that were computed before.
Value sorted_by(Arguments a) {
  if (!a[0].is(Kind::List)) return Value::no_such_overload();
  List items = a[0].items();
  return sort(items, a[1].items());
}

Value is_sorted(Arguments a) {
  if (!a[0].is(Kind::List)) return Value::no_such_overload();
  const List& items = a[0].items();
  for (size_t i = 0; i + 1 < items.size(); ++i) {
    Order order = order_of(items[i], items[i + 1]);
    if (order == Order::Incomparable) return Value::no_such_overload();
    if (order == Order::Greater) return Value::boolean(false);
  }
  return Value::boolean(true);
}

Value sum(Arguments a) {
  if (!a[0].is(Kind::List)) return Value::no_such_overload();
  const List& items = a[0].items();
  if (items.empty()) return Value::integer(0);
  Value total = items[0];
  bool known = total.is_number() || total.is(Kind::Duration);
  if (!known) return Value::no_such_overload();
  for (size_t i = 1; i < items.size() && !total.failed(); ++i) {
    const std::array<Value, 2> both = {total, items[i]};
    total = functions_of("+", false)[0]->run(both);
  }
  return total;
}

template <Order kBetter>
Value extreme(Arguments a) {
  if (!a[0].is(Kind::List)) return Value::no_such_overload();
  const List& items = a[0].items();
  if (items.empty()) {
    return Value::error(kBetter == Order::Less ? "min called on empty list"
                                               : "max called on empty list");
  }
  size_t best = 0;
  for (size_t i = 1; i < items.size(); ++i) {
    Order order = order_of(items[i], items[best]);
    if (order == Order::Incomparable) return Value::no_such_overload();
    if (order == kBetter) best = i;
  }
  return items[best];
}

Value first_place(Arguments a) {
  if (!a[0].is(Kind::List)) return Value::no_such_overload();
  const List& items = a[0].items();
  for (size_t i = 0; i < items.size(); ++i) {
    if (equal(items[i], a[1]).is_true()) return Value::integer(static_cast<int64_t>(i));
  }
  return Value::integer(-1);
}

Value last_place(Arguments a) {
  if (!a[0].is(Kind::List)) return Value::no_such_overload();
  const List& items = a[0].items();
  for (size_t i = items.size(); i > 0; --i) {
    if (equal(items[i - 1], a[1]).is_true()) return Value::integer(static_cast<int64_t>(i - 1));
  }
  return Value::integer(-1);
}

Value slice(Arguments a) {
  if (!a[0].is(Kind::List) || !a[1].is(Kind::Int) || !a[2].is(Kind::Int)) {
    return Value::no_such_overload();
  }
  const List& items = a[0].items();
  int64_t from = a[1].int_value();
  int64_t to = a[2].int_value();
  if (from < 0 || to < 0) return Value::error("cannot slice: negative indexes not supported");
  if (from > to) return Value::error("cannot slice: start index must be less than end index");
  if (to > static_cast<int64_t>(items.size())) return Value::error("cannot slice: index is larger");
  return Value::list(List(items.begin() + from, items.begin() + to));
}

Value flatten(Arguments a) {
  if (!a[0].is(Kind::List)) return Value::no_such_overload();
  int64_t depth = 1;
  if (a.size() == 2) {
    if (!a[1].is(Kind::Int)) return Value::no_such_overload();
    depth = a[1].int_value();
    if (depth < 0) return Value::error("level must be non-negative");
  }
  List items = a[0].items();
  bool changed = true;
  for (; depth > 0 && changed; --depth) {
    changed = false;
    List flat;
    for (const Value& item : items) {
      if (!item.is(Kind::List)) {
        flat.push_back(item);
        continue;
      }
      changed = true;
      flat.insert(flat.end(), item.items().begin(), item.items().end());
    }
    items = std::move(flat);
  }
  return Value::list(std::move(items));
}

Value distinct(Arguments a) {
  if (!a[0].is(Kind::List)) return Value::no_such_overload();
  List items;
  for (const Value& item : a[0].items()) {
    bool known = std::any_of(items.begin(), items.end(),
                             [&](const Value& before) { return equal(before, item).is_true(); });
    if (!known) items.push_back(item);
  }
  return Value::list(std::move(items));
}

Value reversed(Arguments a) {
  if (!a[0].is(Kind::List)) return Value::no_such_overload();
  return Value::list(List(a[0].items().rbegin(), a[0].items().rend()));
}

Value first(Arguments a) {
  if (!a[0].is(Kind::List)) return Value::no_such_overload();
  return a[0].items().empty() ? Value::none() : Value::some(a[0].items().front());
}

Value last(Arguments a) {
  if (!a[0].is(Kind::List)) return Value::no_such_overload();
  return a[0].items().empty() ? Value::none() : Value::some(a[0].items().back());
}

Value range(Arguments a) {
  if (!a[0].is(Kind::Int)) return Value::no_such_overload();
  // More than an expression may cost.
  if (a[0].int_value() > kLongestList) {
    return Value::error("operation cancelled: actual cost limit exceeded");
  }
  List items;
  for (int64_t i = 0; i < a[0].int_value(); ++i) items.push_back(Value::integer(i));
  return Value::list(std::move(items));
}

bool holds(const List& items, const Value& wanted) {
  return std::any_of(items.begin(), items.end(),
                     [&](const Value& item) { return equal(item, wanted).is_true(); });
}

bool holds_all(const List& items, const List& wanted) {
  return std::all_of(wanted.begin(), wanted.end(),
                     [&](const Value& value) { return holds(items, value); });
}

bool are_lists(Arguments a) { return a[0].is(Kind::List) && a[1].is(Kind::List); }

Value set_contains(Arguments a) {
  if (!are_lists(a)) return Value::no_such_overload();
  return Value::boolean(holds_all(a[0].items(), a[1].items()));
}

Value set_equivalent(Arguments a) {
  if (!are_lists(a)) return Value::no_such_overload();
  return Value::boolean(holds_all(a[0].items(), a[1].items()) &&
                        holds_all(a[1].items(), a[0].items()));
}

Value set_intersects(Arguments a) {
  if (!are_lists(a)) return Value::no_such_overload();
  const List& other = a[1].items();
  return Value::boolean(std::any_of(a[0].items().begin(), a[0].items().end(),
                                    [&](const Value& item) { return holds(other, item); }));
}

// An attribute is the value, or a list that has it.
Value includes(Arguments a) {
  if (a[0].is(Kind::List)) return Value::boolean(holds(a[0].items(), a[1]));
  return Value::boolean(equal(a[0], a[1]).is_true());
}

bool is_zero(const Value& value) {
  switch (value.kind()) {
    case Kind::Null:
      return true;
    case Kind::Bool:
    case Kind::Int:
    case Kind::Uint:
    case Kind::Duration:
      return value.int_value() == 0;
    case Kind::Double:
      return value.double_value() == 0;
    case Kind::String:
    case Kind::Bytes:
    case Kind::List:
    case Kind::Map:
      return size_of(value) == 0;
    default:
      return false;
  }
}

Value optional_of(Arguments a) { return Value::some(a[0]); }
Value optional_none(Arguments) { return Value::none(); }
Value optional_unless_zero(Arguments a) {
  return is_zero(a[0]) ? Value::none() : Value::some(a[0]);
}

Value has_value(Arguments a) {
  if (!a[0].is(Kind::Optional)) return Value::no_such_overload();
  return Value::boolean(a[0].inner() != nullptr);
}

Value value_of(Arguments a) {
  if (!a[0].is(Kind::Optional)) return Value::no_such_overload();
  return a[0].inner() == nullptr ? Value::error("optional.none() dereference") : *a[0].inner();
}

Value or_optional(Arguments a) {
  if (!a[0].is(Kind::Optional)) return Value::no_such_overload();
  return a[0].inner() == nullptr ? a[1] : a[0];
}

Value or_value(Arguments a) {
  if (!a[0].is(Kind::Optional)) return Value::no_such_overload();
  return a[0].inner() == nullptr ? a[1] : *a[0].inner();
}

constexpr std::string_view kOrder =
    "list<int>: bool; list<uint>: bool; list<double>: bool; list<bool>: bool; list<string>: bool; "
    "list<bytes>: bool; list<timestamp>: bool; list<duration>: bool";
constexpr std::string_view kSorted =
    "list<int>: list<int>; list<uint>: list<uint>; list<double>: list<double>; "
    "list<bool>: list<bool>; list<string>: list<string>; list<bytes>: list<bytes>; "
    "list<timestamp>: list<timestamp>; list<duration>: list<duration>";
constexpr std::string_view kExtremes =
    "list<int>: int; list<uint>: uint; list<double>: double; list<bool>: bool; "
    "list<string>: string; list<bytes>: bytes; list<timestamp>: timestamp; "
    "list<duration>: duration";

constexpr Function kLists[] = {
    {"isSorted", true, kOrder, is_sorted},
    {"sum", true,
     "list<int>: int; list<uint>: uint; list<double>: double; list<duration>: duration", sum},
    {"min", true, kExtremes, extreme<Order::Less>},
    {"max", true, kExtremes, extreme<Order::Greater>},
    {"indexOf", true, "list<A>, A: int", first_place},
    {"lastIndexOf", true, "list<A>, A: int", last_place},
    {"slice", true, "list<A>, int, int: list<A>", slice},
    {"flatten", true, "list<list<A>>: list<A>; list<dyn>, int: list<dyn>", flatten},
    {"sort", true, kSorted, sorted},
    {"@sortBy", false, "list<A>, list<B>: list<A>", sorted_by},
    {"distinct", true, "list<A>: list<A>", distinct},
    {"reverse", true, "list<A>: list<A>", reversed},
    {"first", true, "list<A>: optional<A>", first},
    {"last", true, "list<A>: optional<A>", last},
    {"lists.range", false, "int: list<int>", range},
    {"includes", true, "dyn, dyn: bool", includes},
};

constexpr Function kSets[] = {
    {"sets.contains", false, "list<A>, list<A>: bool", set_contains},
    {"sets.equivalent", false, "list<A>, list<A>: bool", set_equivalent},
    {"sets.intersects", false, "list<A>, list<A>: bool", set_intersects},
};

constexpr Function kOptionals[] = {
    {"optional.of", false, "A: optional<A>", optional_of},
    {"optional.none", false, ": optional<A>", optional_none},
    {"optional.ofNonZeroValue", false, "A: optional<A>", optional_unless_zero},
    {"hasValue", true, "optional<A>: bool", has_value},
    {"value", true, "optional<A>: A", value_of},
    {"or", true, "optional<A>, optional<A>: optional<A>", or_optional},
    {"orValue", true, "optional<A>, A: A", or_value},
};

}  // namespace

std::span<const Function> list_functions() { return kLists; }
std::span<const Function> set_functions() { return kSets; }
std::span<const Function> optional_functions() { return kOptionals; }

}  // namespace trellis::cel
