#include "cel/format.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <optional>

#include "cel/functions.h"
#include "cel/texts.h"

namespace trellis::cel {
namespace {

constexpr int kMostDigits = 1000;

// One `%` clause: `%.3f` has precision 3.
struct Clause {
  char verb = '\0';
  std::optional<int> precision;
  std::string error;
};

// `at` is behind the `%`, and is moved behind the clause.
Clause read_clause(std::string_view text, size_t& at) {
  Clause clause;
  if (at < text.size() && text[at] == '.') {
    int digits = 0;
    bool any = false;
    for (++at; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) {
      digits = std::min(digits * 10 + (text[at] - '0'), kMostDigits + 1);
      any = true;
    }
    if (!any || digits > kMostDigits) return {.error = "could not parse precision"};
    clause.precision = digits;
  }
  if (at >= text.size()) return {.error = "unexpected end of string"};
  clause.verb = text[at++];
  if (std::string_view("sdfebxXo").find(clause.verb) == std::string_view::npos) {
    clause.error = std::string("unrecognized formatting clause \"") + clause.verb + "\"";
  }
  return clause;
}

bool prints(char verb, Kind kind) {
  bool integer = kind == Kind::Int || kind == Kind::Uint;
  bool text = kind == Kind::String || kind == Kind::Bytes;
  switch (verb) {
    case 's':
      return integer || text || kind == Kind::Bool || kind == Kind::Double || kind == Kind::Null ||
             kind == Kind::List || kind == Kind::Map || kind == Kind::Type ||
             kind == Kind::Duration || kind == Kind::Timestamp;
    case 'd':
    case 'f':
    case 'e':
      return integer || kind == Kind::Double;
    case 'b':
      return integer || kind == Kind::Bool;
    case 'o':
      return integer;
    default:
      return integer || text;
  }
}

// Digits of an integer in another base.
std::string digits(const Value& value, int base) {
  std::array<char, 72> buffer{};
  auto end =
      value.is(Kind::Uint)
          ? std::to_chars(buffer.data(), buffer.data() + buffer.size(), value.uint_value(), base)
          : std::to_chars(buffer.data(), buffer.data() + buffer.size(), value.int_value(), base);
  return {buffer.data(), end.ptr};
}

std::string hex(const Value& value, bool upper) {
  std::string text;
  if (value.is_number()) {
    text = digits(value, 16);
  } else {
    static constexpr std::string_view kDigits = "0123456789abcdef";
    for (char c : value.text()) {
      auto byte = static_cast<unsigned char>(c);
      text.push_back(kDigits[byte >> 4U]);
      text.push_back(kDigits[byte & 15U]);
    }
  }
  if (upper) {
    for (char& c : text) {
      if (c >= 'a' && c <= 'f') c = static_cast<char>(c - 32);
    }
  }
  return text;
}

double as_double(const Value& value) {
  if (value.is(Kind::Double)) return value.double_value();
  return value.is(Kind::Int) ? static_cast<double>(value.int_value())
                             : static_cast<double>(value.uint_value());
}

std::string decimal(double number, int precision, char verb) {
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number < 0 ? "-Infinity" : "Infinity";
  std::string text(static_cast<size_t>(precision) + 340, '\0');
  const char* form = verb == 'e' ? "%.*e" : "%.*f";
  // NOLINTNEXTLINE(clang-diagnostic-format-nonliteral): one of the two above.
  int size = std::snprintf(text.data(), text.size(), form, precision, number);
  text.resize(static_cast<size_t>(std::max(size, 0)));
  return text;
}

Value print(const Clause& clause, const Value& value) {
  if (!prints(clause.verb, value.kind())) {
    return Value::error("error during formatting: %" + std::string(1, clause.verb) +
                        " cannot print a value of type " + type_name(value));
  }
  switch (clause.verb) {
    case 's':
      return printed(value);
    case 'd':
      return value.is(Kind::Double) ? printed(value) : Value::string(digits(value, 10));
    case 'b':
      if (value.is(Kind::Bool)) return Value::string(value.is_true() ? "1" : "0");
      return Value::string(digits(value, 2));
    case 'o':
      return Value::string(digits(value, 8));
    case 'x':
    case 'X':
      return Value::string(hex(value, clause.verb == 'X'));
    default:
      return Value::string(decimal(as_double(value), clause.precision.value_or(6), clause.verb));
  }
}

// NOLINTBEGIN(misc-no-recursion): as deep as values are, which expressions of bounded depth make.
Value printed_list(const List& items) {
  std::string text = "[";
  for (size_t i = 0; i < items.size(); ++i) {
    Value item = printed(items[i]);
    if (item.failed()) return item;
    text += (i > 0 ? ", " : "") + item.text();
  }
  return Value::string(text + "]");
}

Value printed_map(const Map& map) {
  std::vector<std::string> entries;
  for (const auto& [key, value] : map.entries) {
    Value name = printed(key);
    Value content = printed(value);
    if (name.failed()) return name;
    if (content.failed()) return content;
    entries.push_back(name.text() + ": " + content.text());
  }
  std::sort(entries.begin(), entries.end());
  std::string text = "{";
  for (size_t i = 0; i < entries.size(); ++i) text += (i > 0 ? ", " : "") + entries[i];
  return Value::string(text + "}");
}
// NOLINTEND(misc-no-recursion)

Value format_call(std::span<const Value> a) {
  if (!a[0].is(Kind::String) || !a[1].is(Kind::List)) return Value::no_such_overload();
  return format(a[0].text(), a[1].items());
}

constexpr Function kFormats[] = {{"format", true, "string, list<dyn>: string", format_call}};

}  // namespace

std::span<const Function> format_functions() { return kFormats; }

// NOLINTNEXTLINE(misc-no-recursion): as above.
Value printed(const Value& value) {
  switch (value.kind()) {
    case Kind::Null:
      return Value::string("null");
    case Kind::Double:
      if (std::isinf(value.double_value())) {
        return Value::string(value.double_value() < 0 ? "-Infinity" : "Infinity");
      }
      return Value::string(double_text(value.double_value()));
    case Kind::Type:
      return Value::string(value.text());
    case Kind::List:
      return printed_list(value.items());
    case Kind::Map:
      return printed_map(value.entries());
    default:
      return functions_of("string", false)[0]->run(std::span<const Value>(&value, 1));
  }
}

std::string check_format_text(std::string_view text, const std::vector<FormatArgument>& arguments) {
  size_t used = 0;
  for (size_t at = 0; at < text.size();) {
    if (text[at++] != '%') continue;
    if (at < text.size() && text[at] == '%') {
      ++at;
      continue;
    }
    Clause clause = read_clause(text, at);
    if (!clause.error.empty()) return clause.error;
    if (used >= arguments.size()) return "index " + std::to_string(used) + " out of range";
    const FormatArgument& argument = arguments[used++];
    if (argument.is_known && !prints(clause.verb, argument.kind)) {
      return std::string("error during formatting: %") + clause.verb +
             " cannot print a value of type " + std::string(name_of(argument.kind));
    }
  }
  return used < arguments.size() ? "too many arguments supplied to string.format" : "";
}

Value format(std::string_view text, const List& arguments) {
  std::string made;
  size_t used = 0;
  for (size_t at = 0; at < text.size();) {
    char c = text[at++];
    if (c != '%') {
      made.push_back(c);
      continue;
    }
    if (at < text.size() && text[at] == '%') {
      made.push_back('%');
      ++at;
      continue;
    }
    Clause clause = read_clause(text, at);
    if (!clause.error.empty()) return Value::error(clause.error);
    if (used >= arguments.size()) {
      return Value::error("index " + std::to_string(used) + " out of range");
    }
    Value part = print(clause, arguments[used++]);
    if (part.failed()) return part;
    made += part.text();
  }
  return Value::string(std::move(made));
}

}  // namespace trellis::cel
