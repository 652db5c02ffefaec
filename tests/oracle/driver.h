// Drives production and the naive model through the same operations, read from a stream of bytes,
// and compares them after each: the living cluster between sessions, the statement inside them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace trellis::oracle {

struct DriverResult {
  uint64_t operations = 0;
  std::optional<std::string> difference;  // what differs, and the operations that led there
};

// Any bytes are a valid program. Broken invariants abort.
DriverResult drive(std::span<const uint8_t> bytes);

}  // namespace trellis::oracle
