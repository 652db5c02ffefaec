// The values that expressions compute with.
//
// A *value* is what an expression is at run time; an error is a value, too, because `&&`, `||`
// and the conditional absorb errors of what they do not need.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cel/quantity.h"
#include "cel/semver.h"

namespace trellis::cel {

enum class Kind : uint8_t {
  Error,
  Null,
  Bool,
  Int,
  Uint,
  Double,
  String,
  Bytes,
  Duration,
  Timestamp,
  List,
  Map,
  Type,
  Optional,
  Quantity,
  Semver,
  Ip,
  Cidr,
  Url,
  Format,
  Device,
};

std::string_view name_of(Kind kind);

class Value;
using List = std::vector<Value>;
using Entry = std::pair<Value, Value>;

// In the order of insertion; keys differ. Attributes of devices have few keys.
struct Map {
  std::vector<Entry> entries;
  // A key that is not there is an empty map to lookups, though not to `in`.
  bool has_all_keys = false;
};

// An address: 4 or 16 bytes, as text; with a prefix length it is a network.
struct Address {
  std::string bytes;
  int prefix_length = 0;
};

struct Url {
  std::string scheme;
  std::string host;
  std::string path;
  // Without "?"; as written.
  std::string query;
};

struct Device;

class Value {
 public:
  Value() = default;
  static Value error(std::string message);
  static Value no_such_overload();
  static Value null() { return Value(Kind::Null); }
  static Value boolean(bool value);
  static Value integer(int64_t value);
  static Value unsigned_integer(uint64_t value);
  static Value number(double value);
  static Value string(std::string text) { return with_text(Kind::String, std::move(text)); }
  static Value bytes(std::string text) { return with_text(Kind::Bytes, std::move(text)); }
  static Value with_text(Kind kind, std::string text);
  // Nanoseconds, as in Go.
  static Value duration(int64_t ns);
  // Seconds since 1970, and nanoseconds.
  static Value timestamp(int64_t s, int64_t ns);
  static Value list(List values);
  static Value map(Map map);
  static Value none();
  static Value some(Value value);
  static Value quantity(Quantity quantity);
  static Value semver(Semver version);
  static Value address(Kind kind, Address address);
  static Value url(Url url);
  static Value device(const Device& device);

  Kind kind() const { return kind_; }
  bool is(Kind kind) const { return kind_ == kind; }
  bool failed() const { return kind_ == Kind::Error; }
  bool is_number() const { return is(Kind::Int) || is(Kind::Uint) || is(Kind::Double); }
  bool is_true() const { return is(Kind::Bool) && int_ != 0; }
  bool is_false() const { return is(Kind::Bool) && int_ == 0; }

  int64_t int_value() const { return int_; }
  uint64_t uint_value() const { return static_cast<uint64_t>(int_); }
  double double_value() const { return double_; }
  int64_t nanoseconds() const { return nanoseconds_; }
  // Of texts, bytes, errors, types and formats.
  const std::string& text() const { return text_; }
  const List& items() const { return *static_cast<const List*>(object_.get()); }
  const Map& entries() const { return *static_cast<const Map*>(object_.get()); }
  // Of an optional value; null: there is none.
  const Value* inner() const { return static_cast<const Value*>(object_.get()); }
  const Quantity& quantity() const { return *static_cast<const Quantity*>(object_.get()); }
  const Semver& semver() const { return *static_cast<const Semver*>(object_.get()); }
  const Address& address() const { return *static_cast<const Address*>(object_.get()); }
  const Url& url() const { return *static_cast<const Url*>(object_.get()); }
  const Device& device() const { return *static_cast<const Device*>(object_.get()); }

 private:
  explicit Value(Kind kind) : kind_(kind) {}

  Kind kind_ = Kind::Null;
  union {
    int64_t int_ = 0;
    double double_;
  };
  int64_t nanoseconds_ = 0;
  std::string text_;
  std::shared_ptr<const void> object_;
};

// true, false, or an error: values of some types are only comparable with their own.
Value equal(const Value& a, const Value& b);
// An order of numbers (also of different types), texts, bytes, booleans, times: -1, 0, 1.
// nullopt: none, or one of them is not a number.
enum class Order : uint8_t { Less, Equal, Greater, None, Incomparable };
Order order_of(const Value& a, const Value& b);
// null: the key is not there.
const Value* find(const Map& map, const Value& key);
// How many letters, elements or entries.
size_t size_of(const Value& value);

// The name of a value's type: "int", "kubernetes.Semver".
std::string type_name(const Value& value);

}  // namespace trellis::cel
