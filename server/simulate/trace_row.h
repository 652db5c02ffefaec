// The fields of one row of a trace as values; the first that is wrong is kept as the error.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "framework/time.h"

namespace trellis {

class TraceRow {
 public:
  // `place`: where the row is, "FILE:LINE".
  explicit TraceRow(std::string place) : place_(std::move(place)) {}

  // Each returns `otherwise` for an empty field.
  TimeUs seconds(std::string_view name, std::string_view text, TimeUs otherwise);
  TimeUs date(std::string_view name, std::string_view text);  // 2017-10-09 07:01:55
  int64_t count(std::string_view name, std::string_view text, int64_t least, int64_t otherwise);
  // As Kubernetes writes it; `decimals`: of the unit (server/document/quantity.h).
  int64_t quantity(std::string_view name, std::string_view text, int decimals);
  void fail(std::string_view name, std::string_view text, std::string_view expected);

  const std::string& error() const { return error_; }  // "": none

 private:
  std::string place_;
  std::string error_;
};

}  // namespace trellis
