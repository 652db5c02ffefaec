#include "cel/value.h"

#include <cmath>
#include <cstring>

#include "cel/device.h"

namespace trellis::cel {

std::string_view name_of(Kind kind) {
  switch (kind) {
    case Kind::Error:
      return "error";
    case Kind::Null:
      return "null_type";
    case Kind::Bool:
      return "bool";
    case Kind::Int:
      return "int";
    case Kind::Uint:
      return "uint";
    case Kind::Double:
      return "double";
    case Kind::String:
      return "string";
    case Kind::Bytes:
      return "bytes";
    case Kind::Duration:
      return "google.protobuf.Duration";
    case Kind::Timestamp:
      return "google.protobuf.Timestamp";
    case Kind::List:
      return "list";
    case Kind::Map:
      return "map";
    case Kind::Type:
      return "type";
    case Kind::Optional:
      return "optional_type";
    case Kind::Quantity:
      return "kubernetes.Quantity";
    case Kind::Semver:
      return "kubernetes.Semver";
    case Kind::Ip:
      return "net.IP";
    case Kind::Cidr:
      return "net.CIDR";
    case Kind::Url:
      return "kubernetes.URL";
    case Kind::Format:
      return "kubernetes.NamedFormat";
    case Kind::Device:
      return "kubernetes.DRADevice";
  }
  return "";
}

Value Value::error(std::string message) { return with_text(Kind::Error, std::move(message)); }

Value Value::no_such_overload() { return error("no such overload"); }

Value Value::boolean(bool value) {
  Value made(Kind::Bool);
  made.int_ = value ? 1 : 0;
  return made;
}

Value Value::integer(int64_t value) {
  Value made(Kind::Int);
  made.int_ = value;
  return made;
}

Value Value::unsigned_integer(uint64_t value) {
  Value made(Kind::Uint);
  made.int_ = static_cast<int64_t>(value);
  return made;
}

Value Value::number(double value) {
  Value made(Kind::Double);
  made.double_ = value;
  return made;
}

Value Value::with_text(Kind kind, std::string text) {
  Value made(kind);
  made.text_ = std::move(text);
  return made;
}

Value Value::duration(int64_t ns) {
  Value made(Kind::Duration);
  made.int_ = ns;
  return made;
}

Value Value::timestamp(int64_t s, int64_t ns) {
  Value made(Kind::Timestamp);
  made.int_ = s;
  made.nanoseconds_ = ns;
  return made;
}

Value Value::list(List values) {
  Value made(Kind::List);
  made.object_ = std::make_shared<const List>(std::move(values));
  return made;
}

Value Value::map(Map map) {
  Value made(Kind::Map);
  made.object_ = std::make_shared<const Map>(std::move(map));
  return made;
}

Value Value::none() { return Value(Kind::Optional); }

Value Value::some(Value value) {
  Value made(Kind::Optional);
  made.object_ = std::make_shared<const Value>(std::move(value));
  return made;
}

Value Value::quantity(Quantity quantity) {
  Value made(Kind::Quantity);
  made.object_ = std::make_shared<const Quantity>(quantity);
  return made;
}

Value Value::semver(Semver version) {
  Value made(Kind::Semver);
  made.object_ = std::make_shared<const Semver>(std::move(version));
  return made;
}

Value Value::address(Kind kind, Address address) {
  Value made(kind);
  made.object_ = std::make_shared<const Address>(std::move(address));
  return made;
}

Value Value::url(Url url) {
  Value made(Kind::Url);
  made.object_ = std::make_shared<const Url>(std::move(url));
  return made;
}

Value Value::device(const Device& device) {
  Value made(Kind::Device);
  // The device outlives the evaluation.
  made.object_ = std::shared_ptr<const void>(std::shared_ptr<const void>(), &device);
  return made;
}

namespace {

Order order(int three_way) {
  return three_way < 0 ? Order::Less : three_way > 0 ? Order::Greater : Order::Equal;
}

template <class T>
Order order_of_two(const T& a, const T& b) {
  return a < b ? Order::Less : b < a ? Order::Greater : Order::Equal;
}

// As in cel-go: the integer is rounded to a double.
Order order_with_double(const Value& integer, double other) {
  if (std::isnan(other)) return Order::None;
  bool is_unsigned = integer.is(Kind::Uint);
  double low = is_unsigned ? 0.0 : -9223372036854775808.0;
  double high = is_unsigned ? 18446744073709551616.0 : 9223372036854775808.0;
  if (other < low) return Order::Greater;
  if (other > high) return Order::Less;
  return order_of_two(is_unsigned ? static_cast<double>(integer.uint_value())
                                  : static_cast<double>(integer.int_value()),
                      other);
}

Order reversed(Order result) {
  if (result == Order::Less) return Order::Greater;
  return result == Order::Greater ? Order::Less : result;
}

Order order_of_numbers(const Value& a, const Value& b) {
  if (a.is(Kind::Double) && b.is(Kind::Double)) {
    if (std::isnan(a.double_value()) || std::isnan(b.double_value())) return Order::None;
    return order_of_two(a.double_value(), b.double_value());
  }
  if (b.is(Kind::Double)) return order_with_double(a, b.double_value());
  if (a.is(Kind::Double)) return reversed(order_with_double(b, a.double_value()));
  if (a.kind() == b.kind()) {
    return a.is(Kind::Int) ? order_of_two(a.int_value(), b.int_value())
                           : order_of_two(a.uint_value(), b.uint_value());
  }
  const Value& with_sign = a.is(Kind::Int) ? a : b;
  Order result = Order::Less;
  if (with_sign.int_value() >= 0) result = order_of_two(a.uint_value(), b.uint_value());
  if (with_sign.int_value() >= 0) return result;
  return a.is(Kind::Int) ? Order::Less : Order::Greater;
}

// NOLINTBEGIN(misc-no-recursion): as deep as values are, which expressions of bounded depth make.
Value equal_lists(const List& a, const List& b) {
  if (a.size() != b.size()) return Value::boolean(false);
  for (size_t i = 0; i < a.size(); ++i) {
    Value same = equal(a[i], b[i]);
    if (!same.is_true()) return same;
  }
  return Value::boolean(true);
}

Value equal_maps(const Map& a, const Map& b) {
  if (a.entries.size() != b.entries.size()) return Value::boolean(false);
  for (const auto& [key, value] : a.entries) {
    const Value* other = find(b, key);
    if (other == nullptr) return Value::boolean(false);
    Value same = equal(value, *other);
    if (!same.is_true()) return same;
  }
  return Value::boolean(true);
}

Value equal_optionals(const Value& a, const Value& b) {
  if (a.inner() == nullptr || b.inner() == nullptr) {
    return Value::boolean(a.inner() == b.inner());
  }
  return equal(*a.inner(), *b.inner());
}

Value equal_addresses(const Address& a, const Address& b) {
  return Value::boolean(a.bytes == b.bytes && a.prefix_length == b.prefix_length);
}
// NOLINTEND(misc-no-recursion)

// Values of these types are compared only with their own.
bool compares_only_its_own(Kind kind) {
  return kind == Kind::Quantity || kind == Kind::Semver || kind == Kind::Ip || kind == Kind::Cidr ||
         kind == Kind::Url || kind == Kind::Format;
}

}  // namespace

Order order_of(const Value& a, const Value& b) {
  if (a.is_number() && b.is_number()) return order_of_numbers(a, b);
  if (a.kind() != b.kind()) return Order::Incomparable;
  switch (a.kind()) {
    case Kind::Bool:
    case Kind::Duration:
      return order_of_two(a.int_value(), b.int_value());
    case Kind::String:
    case Kind::Bytes:
      return order(a.text().compare(b.text()));
    case Kind::Timestamp:
      return a.int_value() != b.int_value() ? order_of_two(a.int_value(), b.int_value())
                                            : order_of_two(a.nanoseconds(), b.nanoseconds());
    default:
      return Order::Incomparable;
  }
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as values are.
Value equal(const Value& a, const Value& b) {
  if (a.failed()) return a;
  if (b.failed()) return b;
  if (a.is_number() && b.is_number()) {
    return Value::boolean(order_of_numbers(a, b) == Order::Equal);
  }
  if (a.kind() != b.kind()) {
    bool strict = compares_only_its_own(a.kind()) && !b.is(Kind::Null);
    return strict ? Value::no_such_overload() : Value::boolean(false);
  }
  switch (a.kind()) {
    case Kind::Null:
      return Value::boolean(true);
    case Kind::List:
      return equal_lists(a.items(), b.items());
    case Kind::Map:
      return equal_maps(a.entries(), b.entries());
    case Kind::Optional:
      return equal_optionals(a, b);
    case Kind::Quantity:
      return Value::boolean(a.quantity() == b.quantity());
    case Kind::Semver:
      return Value::boolean(std::is_eq(compare(a.semver(), b.semver())));
    case Kind::Ip:
    case Kind::Cidr:
      return equal_addresses(a.address(), b.address());
    case Kind::Url:
      return Value::boolean(a.url().scheme == b.url().scheme && a.url().host == b.url().host &&
                            a.url().path == b.url().path && a.url().query == b.url().query);
    case Kind::Type:
    case Kind::Format:
      return Value::boolean(a.text() == b.text());
    case Kind::Device:
      return Value::boolean(&a.device() == &b.device());
    default:
      return Value::boolean(order_of(a, b) == Order::Equal);
  }
}

const Value* find(const Map& map, const Value& key) {
  for (const auto& [name, value] : map.entries) {
    if (name.kind() != key.kind() && !(name.is_number() && key.is_number())) continue;
    if (order_of(name, key) == Order::Equal) return &value;
  }
  return nullptr;
}

size_t size_of(const Value& value) {
  switch (value.kind()) {
    case Kind::String: {
      size_t letters = 0;
      for (char c : value.text()) letters += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
      return letters;
    }
    case Kind::Bytes:
      return value.text().size();
    case Kind::List:
      return value.items().size();
    case Kind::Map:
      return value.entries().entries.size();
    default:
      return 1;
  }
}

std::string type_name(const Value& value) { return std::string(name_of(value.kind())); }

}  // namespace trellis::cel
