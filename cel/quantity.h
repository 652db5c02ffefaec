// Kubernetes quantities, exactly: "80Gi", "1500m", "3.35T", "1e3".
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace trellis::cel {

// An amount in thousand-millionths. Smaller parts are rounded away from zero, as in Kubernetes.
// Holds amounts up to 10^29; what is larger does not parse.
class Quantity {
 public:
  __extension__ using Nanos = __int128;
  static constexpr int64_t kOne = 1'000'000'000;

  Quantity() = default;
  static Quantity of_nanos(Nanos nanos) { return Quantity(nanos); }
  static Quantity of_units(int64_t units) { return Quantity(Nanos{units} * kOne); }
  // nullopt: not a quantity, or too large.
  static std::optional<Quantity> parse(std::string_view text);

  Nanos nanos() const { return nanos_; }
  // nullopt: not a whole number, or not within 64 bits.
  std::optional<int64_t> units() const;
  double approximate() const { return static_cast<double>(nanos_) / static_cast<double>(kOne); }
  // As a decimal number in whole units, thousandths ("1500m") or less ("1n").
  std::string text() const;

  Quantity operator+(Quantity other) const { return Quantity(nanos_ + other.nanos_); }
  Quantity operator-(Quantity other) const { return Quantity(nanos_ - other.nanos_); }
  auto operator<=>(const Quantity&) const = default;

 private:
  explicit Quantity(Nanos nanos) : nanos_(nanos) {}

  Nanos nanos_ = 0;
};

// Why the text is not a quantity; "" when it is one.
std::string_view why_no_quantity(std::string_view text);

}  // namespace trellis::cel
