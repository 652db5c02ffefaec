// Quantities and timestamps.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "framework/resources.h"
#include "server/document/quantity.h"
#include "server/document/timestamp.h"
#include "tests/fuzz/reading.h"

namespace {

using namespace trellis;

void check_quantity(std::string_view text) {
  std::optional<Quantity> whole = parse_quantity(text, 0);
  std::optional<Quantity> milli = parse_quantity(text, 3);
  fuzz::require(whole.has_value() == milli.has_value(), "the unit does not decide what is valid");
  if (!whole) return;
  int64_t amount = whole->amount;
  fuzz::require(amount >= -kMaxAmount && amount <= kMaxAmount, "an amount is within bounds");
  fuzz::require(whole->negative == milli->negative, "the sign does not depend on the unit");
  fuzz::require(whole->negative ? amount < 0 : amount >= 0, "rounded away from zero");

  std::optional<Quantity> again = parse_quantity(std::to_string(amount), 0);
  fuzz::require(again && again->amount == amount && again->exact, "an amount reads back");
  if (milli->amount < kMaxAmount && milli->amount > -kMaxAmount) {
    int64_t up = (std::abs(milli->amount) + kMilli - 1) / kMilli;
    fuzz::require(std::abs(amount) == up, "units round alike");
  }
  if (text.starts_with('+') || text.starts_with('-')) return;
  std::optional<Quantity> negative = parse_quantity("-" + std::string(text), 0);
  fuzz::require(negative && negative->amount == -amount, "a sign mirrors");
}

void check_timestamp(std::string_view text) {
  std::optional<TimeUs> time = parse_timestamp(text);
  if (!time) return;
  // An offset may lead beyond the years that can be written.
  std::string written = format_timestamp(*time);
  std::optional<TimeUs> again = parse_timestamp(written);
  fuzz::require(again.has_value(), "what is written can be read");
  bool within = !written.starts_with("0000-01-01T") && !written.starts_with("9999-12-31T");
  fuzz::require(!within || *again == *time, "a time reads back");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  check_quantity(text);
  check_timestamp(text);
  return 0;
}
