// Kubernetes' quantities and versions.
#include "cel/functions.h"

namespace trellis::cel {
namespace {

using Arguments = std::span<const Value>;

Value no_overload_of(std::string_view name, Arguments a) {
  std::string text = "no such overload: " + std::string(name) + "(";
  for (size_t i = 0; i < a.size(); ++i) {
    text += (i > 0 ? ", " : "") + type_name(a[i]);
  }
  return Value::error(text + ")");
}

Value quantity(Arguments a) {
  if (!a[0].is(Kind::String)) return Value::no_such_overload();
  std::optional<Quantity> parsed = Quantity::parse(a[0].text());
  if (!parsed) return Value::error(std::string(why_no_quantity(a[0].text())));
  return Value::quantity(*parsed);
}

Value is_quantity(Arguments a) {
  if (!a[0].is(Kind::String)) return Value::no_such_overload();
  return Value::boolean(Quantity::parse(a[0].text()).has_value());
}

Value is_integer(Arguments a) {
  if (!a[0].is(Kind::Quantity)) return Value::no_such_overload();
  return Value::boolean(a[0].quantity().units().has_value());
}

Value as_integer(Arguments a) {
  if (!a[0].is(Kind::Quantity)) return Value::no_such_overload();
  std::optional<int64_t> units = a[0].quantity().units();
  return units ? Value::integer(*units) : Value::error("cannot convert value to integer");
}

Value as_float(Arguments a) {
  if (!a[0].is(Kind::Quantity)) return Value::no_such_overload();
  return Value::number(a[0].quantity().approximate());
}

Value sign(Arguments a) {
  if (!a[0].is(Kind::Quantity)) return Value::no_such_overload();
  Quantity::Nanos nanos = a[0].quantity().nanos();
  return Value::integer(nanos > 0 ? 1 : nanos < 0 ? -1 : 0);
}

// The other operand may be a plain number.
template <int kSign>
Value combine(Arguments a) {
  if (!a[0].is(Kind::Quantity)) return Value::no_such_overload();
  if (!a[1].is(Kind::Quantity) && !a[1].is(Kind::Int)) return Value::no_such_overload();
  Quantity other = a[1].is(Kind::Int) ? Quantity::of_units(a[1].int_value()) : a[1].quantity();
  return Value::quantity(kSign > 0 ? a[0].quantity() + other : a[0].quantity() - other);
}

// -1, 0 or 1; an error for values of other types.
Value compared(Arguments a, std::string_view name) {
  std::partial_ordering order = std::partial_ordering::unordered;
  if (a[0].is(Kind::Quantity) && a[1].is(Kind::Quantity)) {
    order = a[0].quantity() <=> a[1].quantity();
  } else if (a[0].is(Kind::Semver) && a[1].is(Kind::Semver)) {
    order = compare(a[0].semver(), a[1].semver());
  } else {
    return no_overload_of(name, a);
  }
  return Value::integer(std::is_lt(order) ? -1 : std::is_gt(order) ? 1 : 0);
}

Value compare_to(Arguments a) { return compared(a, "compareTo"); }

Value is_greater(Arguments a) {
  Value order = compared(a, "isGreaterThan");
  return order.failed() ? order : Value::boolean(order.int_value() > 0);
}

Value is_less(Arguments a) {
  Value order = compared(a, "isLessThan");
  return order.failed() ? order : Value::boolean(order.int_value() < 0);
}

SemverForm form_of(Arguments a) {
  return a.size() == 2 && a[1].is_true() ? SemverForm::Normalized : SemverForm::Strict;
}

bool is_version_call(Arguments a) {
  return a[0].is(Kind::String) && (a.size() == 1 || a[1].is(Kind::Bool));
}

Value semver(Arguments a) {
  if (!is_version_call(a)) return Value::no_such_overload();
  ParsedSemver parsed = parse_semver(a[0].text(), form_of(a));
  return parsed.error.empty() ? Value::semver(std::move(parsed.version))
                              : Value::error(parsed.error);
}

Value is_semver(Arguments a) {
  if (!is_version_call(a)) return Value::no_such_overload();
  return Value::boolean(parse_semver(a[0].text(), form_of(a)).error.empty());
}

template <size_t kPart>
Value version_part(Arguments a) {
  if (!a[0].is(Kind::Semver)) return Value::no_such_overload();
  return Value::integer(static_cast<int64_t>(a[0].semver().numbers[kPart]));
}

constexpr std::string_view kCompared = "quantity, quantity: bool; semver, semver: bool";

constexpr Function kAmounts[] = {
    {"quantity", false, "string: quantity", quantity},
    {"isQuantity", false, "string: bool", is_quantity},
    {"isInteger", true, "quantity: bool", is_integer},
    {"asInteger", true, "quantity: int", as_integer},
    {"asApproximateFloat", true, "quantity: double", as_float},
    {"sign", false, "quantity: int", sign},
    {"add", true, "quantity, quantity: quantity; quantity, int: quantity", combine<1>},
    {"sub", true, "quantity, quantity: quantity; quantity, int: quantity", combine<-1>},
    {"isGreaterThan", true, kCompared, is_greater},
    {"isLessThan", true, kCompared, is_less},
    {"compareTo", true, "quantity, quantity: int; semver, semver: int", compare_to},
    {"semver", false, "string: semver; string, bool: semver", semver},
    {"isSemver", false, "string: bool; string, bool: bool", is_semver},
    {"major", true, "semver: int", version_part<0>},
    {"minor", true, "semver: int", version_part<1>},
    {"patch", true, "semver: int", version_part<2>},
};

}  // namespace

std::span<const Function> amount_functions() { return kAmounts; }

}  // namespace trellis::cel
