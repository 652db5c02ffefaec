// Arithmetic, comparison, membership.
#include <cmath>
#include <limits>

#include "cel/functions.h"

namespace trellis::cel {
namespace {

using Arguments = std::span<const Value>;
__extension__ using Wide = __int128;

Value overflow(const Value& of) {
  return Value::error(of.is(Kind::Uint) ? "unsigned integer overflow" : "integer overflow");
}

Value add_times(const Value& time, int64_t ns) {
  Wide total = static_cast<Wide>(time.int_value()) * 1'000'000'000 + time.nanoseconds() + ns;
  auto s = static_cast<int64_t>(total / 1'000'000'000);
  auto rest = static_cast<int64_t>(total % 1'000'000'000);
  if (rest < 0) {
    rest += 1'000'000'000;
    --s;
  }
  if (s < -62135596800 || s > 253402300799) return Value::error("timestamp overflow");
  return Value::timestamp(s, rest);
}

Value add(Arguments a) {
  const Value& x = a[0];
  const Value& y = a[1];
  if (x.is(Kind::Duration) && y.is(Kind::Timestamp)) return add_times(y, x.int_value());
  if (x.is(Kind::Timestamp) && y.is(Kind::Duration)) return add_times(x, y.int_value());
  if (x.kind() != y.kind()) return Value::no_such_overload();
  int64_t sum = 0;
  uint64_t plain = 0;
  switch (x.kind()) {
    case Kind::Int:
    case Kind::Duration:
      if (__builtin_add_overflow(x.int_value(), y.int_value(), &sum)) return overflow(x);
      return x.is(Kind::Int) ? Value::integer(sum) : Value::duration(sum);
    case Kind::Uint:
      if (__builtin_add_overflow(x.uint_value(), y.uint_value(), &plain)) return overflow(x);
      return Value::unsigned_integer(plain);
    case Kind::Double:
      return Value::number(x.double_value() + y.double_value());
    case Kind::String:
    case Kind::Bytes:
      return Value::with_text(x.kind(), x.text() + y.text());
    case Kind::List: {
      List both = x.items();
      both.insert(both.end(), y.items().begin(), y.items().end());
      return Value::list(std::move(both));
    }
    default:
      return Value::no_such_overload();
  }
}

Value subtract_times(const Value& x, const Value& y) {
  Wide ns = static_cast<Wide>(x.int_value() - y.int_value()) * 1'000'000'000 +
            (x.nanoseconds() - y.nanoseconds());
  if (ns > std::numeric_limits<int64_t>::max() || ns < std::numeric_limits<int64_t>::min()) {
    return Value::error("timestamp overflow");
  }
  return Value::duration(static_cast<int64_t>(ns));
}

Value subtract(Arguments a) {
  const Value& x = a[0];
  const Value& y = a[1];
  if (x.is(Kind::Timestamp) && y.is(Kind::Duration)) {
    if (y.int_value() == std::numeric_limits<int64_t>::min()) return overflow(y);
    return add_times(x, -y.int_value());
  }
  if (x.kind() != y.kind()) return Value::no_such_overload();
  int64_t rest = 0;
  switch (x.kind()) {
    case Kind::Int:
    case Kind::Duration:
      if (__builtin_sub_overflow(x.int_value(), y.int_value(), &rest)) return overflow(x);
      return x.is(Kind::Int) ? Value::integer(rest) : Value::duration(rest);
    case Kind::Uint:
      if (x.uint_value() < y.uint_value()) return overflow(x);
      return Value::unsigned_integer(x.uint_value() - y.uint_value());
    case Kind::Double:
      return Value::number(x.double_value() - y.double_value());
    case Kind::Timestamp:
      return subtract_times(x, y);
    default:
      return Value::no_such_overload();
  }
}

Value multiply(Arguments a) {
  const Value& x = a[0];
  const Value& y = a[1];
  if (x.kind() != y.kind()) return Value::no_such_overload();
  int64_t product = 0;
  uint64_t plain = 0;
  switch (x.kind()) {
    case Kind::Int:
      if (__builtin_mul_overflow(x.int_value(), y.int_value(), &product)) return overflow(x);
      return Value::integer(product);
    case Kind::Uint:
      if (__builtin_mul_overflow(x.uint_value(), y.uint_value(), &plain)) return overflow(x);
      return Value::unsigned_integer(plain);
    case Kind::Double:
      return Value::number(x.double_value() * y.double_value());
    default:
      return Value::no_such_overload();
  }
}

Value divide(Arguments a) {
  const Value& x = a[0];
  const Value& y = a[1];
  if (x.kind() != y.kind()) return Value::no_such_overload();
  if (x.is(Kind::Double)) return Value::number(x.double_value() / y.double_value());
  if (!x.is_number()) return Value::no_such_overload();
  if (y.int_value() == 0) return Value::error("division by zero");
  if (x.is(Kind::Uint)) return Value::unsigned_integer(x.uint_value() / y.uint_value());
  if (x.int_value() == std::numeric_limits<int64_t>::min() && y.int_value() == -1) {
    return overflow(x);
  }
  return Value::integer(x.int_value() / y.int_value());
}

Value remainder_of(Arguments a) {
  const Value& x = a[0];
  const Value& y = a[1];
  if (x.kind() != y.kind() || (!x.is(Kind::Int) && !x.is(Kind::Uint))) {
    return Value::no_such_overload();
  }
  if (y.int_value() == 0) return Value::error("modulus by zero");
  if (x.is(Kind::Uint)) return Value::unsigned_integer(x.uint_value() % y.uint_value());
  if (x.int_value() == std::numeric_limits<int64_t>::min() && y.int_value() == -1) {
    return overflow(x);
  }
  return Value::integer(x.int_value() % y.int_value());
}

Value negate(Arguments a) {
  if (a[0].is(Kind::Double)) return Value::number(-a[0].double_value());
  if (!a[0].is(Kind::Int) && !a[0].is(Kind::Duration)) return Value::no_such_overload();
  if (a[0].int_value() == std::numeric_limits<int64_t>::min()) return overflow(a[0]);
  return a[0].is(Kind::Int) ? Value::integer(-a[0].int_value())
                            : Value::duration(-a[0].int_value());
}

Value negate_truth(Arguments a) {
  return a[0].is(Kind::Bool) ? Value::boolean(a[0].is_false()) : Value::no_such_overload();
}

Value equals(Arguments a) { return equal(a[0], a[1]); }

Value differs(Arguments a) {
  Value same = equal(a[0], a[1]);
  return same.failed() ? same : Value::boolean(same.is_false());
}

template <Order kFirst, Order kSecond>
Value ordered(Arguments a) {
  Order order = order_of(a[0], a[1]);
  if (order == Order::Incomparable) return Value::no_such_overload();
  if (order == Order::None) return Value::error("NaN values cannot be ordered");
  return Value::boolean(order == kFirst || order == kSecond);
}

Value is_in(Arguments a) {
  if (a[1].is(Kind::Map)) return Value::boolean(find(a[1].entries(), a[0]) != nullptr);
  if (!a[1].is(Kind::List)) return Value::no_such_overload();
  for (const Value& item : a[1].items()) {
    if (equal(a[0], item).is_true()) return Value::boolean(true);
  }
  return Value::boolean(false);
}

constexpr std::string_view kOrdered =
    "bool, bool: bool; int, int: bool; int, double: bool; int, uint: bool; uint, uint: bool; "
    "uint, double: bool; uint, int: bool; double, double: bool; double, int: bool; "
    "double, uint: bool; string, string: bool; bytes, bytes: bool; timestamp, timestamp: bool; "
    "duration, duration: bool";

constexpr Function kOperators[] = {
    {"+", false,
     "int, int: int; uint, uint: uint; double, double: double; string, string: string; "
     "bytes, bytes: bytes; list<A>, list<A>: list<A>; duration, duration: duration; "
     "duration, timestamp: timestamp; timestamp, duration: timestamp",
     add},
    {"-", false,
     "int, int: int; uint, uint: uint; double, double: double; duration, duration: duration; "
     "timestamp, duration: timestamp; timestamp, timestamp: duration",
     subtract},
    {"*", false, "int, int: int; uint, uint: uint; double, double: double", multiply},
    {"/", false, "int, int: int; uint, uint: uint; double, double: double", divide},
    {"%", false, "int, int: int; uint, uint: uint", remainder_of},
    {"-_", false, "int: int; double: double; duration: duration", negate},
    {"!", false, "bool: bool", negate_truth},
    {"==", false, "A, A: bool", equals},
    {"!=", false, "A, A: bool", differs},
    {"<", false, kOrdered, ordered<Order::Less, Order::Less>},
    {"<=", false, kOrdered, ordered<Order::Less, Order::Equal>},
    {">", false, kOrdered, ordered<Order::Greater, Order::Greater>},
    {">=", false, kOrdered, ordered<Order::Greater, Order::Equal>},
    {"in", false, "A, list<A>: bool; A, map<A, B>: bool", is_in},
};

}  // namespace

std::span<const Function> operator_functions() { return kOperators; }

}  // namespace trellis::cel
