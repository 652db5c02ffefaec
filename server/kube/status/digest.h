// A hash of what was written last, kept only to be compared. Two contents that differ are taken for
// equal once in 2^64.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <type_traits>

#include "framework/ids.h"

namespace trellis {

class Digest {
 public:
  template <class Value>
    requires(std::is_integral_v<Value> || std::is_enum_v<Value>)
  void add(Value value) {
    hash_ = (hash_ ^ static_cast<uint64_t>(value)) * 0x9E3779B97F4A7C15ULL;
    hash_ ^= hash_ >> 29;
  }
  template <class Tag>
  void add(StrongId<Tag> id) {
    add(id.value);
  }
  void add(std::string_view text) { add(std::hash<std::string_view>()(text)); }

  uint64_t value() const { return hash_; }

 private:
  uint64_t hash_ = 0x2545F4914F6CDD1DULL;
};

}  // namespace trellis
