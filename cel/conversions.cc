// int(), string(), type() and the like, and size().
#include <charconv>
#include <cmath>

#include "cel/functions.h"
#include "cel/texts.h"
#include "cel/utf8.h"

namespace trellis::cel {
namespace {

using Arguments = std::span<const Value>;

Value no_conversion(const Value& from, std::string_view to) {
  return Value::error("type conversion error from '" + type_name(from) + "' to '" +
                      std::string(to) + "'");
}

template <class T>
bool read_number(const std::string& text, T& number) {
  std::string_view digits = text;
  if (digits.starts_with('+') && !digits.starts_with("+-")) digits.remove_prefix(1);
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return error == std::errc() && end == digits.data() + digits.size() && !digits.empty();
}

Value to_int(Arguments a) {
  const Value& from = a[0];
  int64_t number = 0;
  switch (from.kind()) {
    case Kind::Int:
      return from;
    case Kind::Uint:
      return from.int_value() < 0 ? Value::error("integer overflow")
                                  : Value::integer(from.int_value());
    case Kind::Double: {
      double value = from.double_value();
      if (std::isnan(value) || value <= -9223372036854775808.0 || value >= 9223372036854775808.0) {
        return Value::error("integer overflow");
      }
      return Value::integer(static_cast<int64_t>(value));
    }
    case Kind::String:
      return read_number(from.text(), number) ? Value::integer(number) : no_conversion(from, "int");
    case Kind::Timestamp:
    case Kind::Duration:
      return Value::integer(from.int_value());
    default:
      return no_conversion(from, "int");
  }
}

Value to_uint(Arguments a) {
  const Value& from = a[0];
  uint64_t number = 0;
  switch (from.kind()) {
    case Kind::Uint:
      return from;
    case Kind::Int:
      return from.int_value() < 0 ? Value::error("unsigned integer overflow")
                                  : Value::unsigned_integer(from.uint_value());
    case Kind::Double: {
      double value = from.double_value();
      if (std::isnan(value) || value < 0 || value >= 18446744073709551616.0) {
        return Value::error("unsigned integer overflow");
      }
      return Value::unsigned_integer(static_cast<uint64_t>(value));
    }
    case Kind::String:
      return read_number(from.text(), number) ? Value::unsigned_integer(number)
                                              : no_conversion(from, "uint");
    default:
      return no_conversion(from, "uint");
  }
}

Value to_double(Arguments a) {
  const Value& from = a[0];
  switch (from.kind()) {
    case Kind::Double:
      return from;
    case Kind::Int:
      return Value::number(static_cast<double>(from.int_value()));
    case Kind::Uint:
      return Value::number(static_cast<double>(from.uint_value()));
    case Kind::String: {
      bool plus = from.text().starts_with('+') && !from.text().starts_with("+-");
      std::optional<double> number = double_of(from.text().substr(plus ? 1 : 0));
      return number ? Value::number(*number) : no_conversion(from, "double");
    }
    default:
      return no_conversion(from, "double");
  }
}

Value to_bool(Arguments a) {
  const Value& from = a[0];
  if (from.is(Kind::Bool)) return from;
  if (!from.is(Kind::String)) return no_conversion(from, "bool");
  for (std::string_view yes : {"1", "t", "T", "TRUE", "true", "True"}) {
    if (from.text() == yes) return Value::boolean(true);
  }
  for (std::string_view no : {"0", "f", "F", "FALSE", "false", "False"}) {
    if (from.text() == no) return Value::boolean(false);
  }
  return no_conversion(from, "bool");
}

Value to_string(Arguments a) {
  const Value& from = a[0];
  switch (from.kind()) {
    case Kind::String:
      return from;
    case Kind::Bytes:
      if (text_of(letters_of(from.text())) != from.text()) {
        return Value::error("invalid UTF-8 in bytes, cannot convert to string");
      }
      return Value::string(from.text());
    case Kind::Bool:
      return Value::string(from.is_true() ? "true" : "false");
    case Kind::Int:
      return Value::string(std::to_string(from.int_value()));
    case Kind::Uint:
      return Value::string(std::to_string(from.uint_value()));
    case Kind::Double:
      return Value::string(double_text(from.double_value()));
    case Kind::Duration:
      return Value::string(duration_text(from.int_value()));
    case Kind::Timestamp:
      return Value::string(timestamp_text(from));
    case Kind::Ip:
    case Kind::Cidr:
      return functions_of("string", true)[0]->run(a);
    default:
      return no_conversion(from, "string");
  }
}

Value to_bytes(Arguments a) {
  bool known = a[0].is(Kind::Bytes) || a[0].is(Kind::String);
  return known ? Value::bytes(a[0].text()) : no_conversion(a[0], "bytes");
}

Value to_duration(Arguments a) {
  if (a[0].is(Kind::Duration)) return a[0];
  if (a[0].is(Kind::Int)) return Value::duration(a[0].int_value());
  std::optional<int64_t> ns =
      a[0].is(Kind::String) ? duration_of(a[0].text()) : std::optional<int64_t>();
  return ns ? Value::duration(*ns) : no_conversion(a[0], name_of(Kind::Duration));
}

Value to_timestamp(Arguments a) {
  if (a[0].is(Kind::Timestamp)) return a[0];
  if (a[0].is(Kind::Int)) return Value::timestamp(a[0].int_value(), 0);
  if (a[0].is(Kind::String)) return timestamp_of(a[0].text());
  return no_conversion(a[0], name_of(Kind::Timestamp));
}

Value to_dyn(Arguments a) { return a[0]; }

Value to_type(Arguments a) {
  return Value::with_text(Kind::Type, std::string(name_of(a[0].kind())));
}

Value size(Arguments a) {
  switch (a[0].kind()) {
    case Kind::String:
    case Kind::Bytes:
    case Kind::List:
    case Kind::Map:
      return Value::integer(static_cast<int64_t>(size_of(a[0])));
    default:
      return Value::error("no such overload: size");
  }
}

constexpr std::string_view kSized = "string: int; bytes: int; list<A>: int; map<A, B>: int";

constexpr Function kConversions[] = {
    {"int", false, "int: int; uint: int; double: int; string: int; timestamp: int; duration: int",
     to_int},
    {"uint", false, "uint: uint; int: uint; double: uint; string: uint", to_uint},
    {"double", false, "double: double; int: double; uint: double; string: double", to_double},
    {"bool", false, "bool: bool; string: bool", to_bool},
    {"string", false,
     "string: string; bool: string; bytes: string; int: string; uint: string; double: string; "
     "timestamp: string; duration: string; ip: string; cidr: string",
     to_string},
    {"bytes", false, "bytes: bytes; string: bytes", to_bytes},
    {"duration", false, "duration: duration; string: duration; int: duration", to_duration},
    {"timestamp", false, "timestamp: timestamp; string: timestamp; int: timestamp", to_timestamp},
    {"dyn", false, "A: dyn", to_dyn},
    {"type", false, "A: type<A>", to_type},
    {"size", false, kSized, size},
    {"size", true, kSized, size},
};

}  // namespace

std::span<const Function> conversion_functions() { return kConversions; }

}  // namespace trellis::cel
