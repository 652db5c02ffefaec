// An object, and the part of it that one write changes.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace trellis {

enum class WritePart : uint8_t {
  Metadata,  // annotations
  Status,
  Start,  // what lets the object's pods run, or prevents it
};

// `group` and `kind`: as in the object's apiVersion and kind.
struct WriteKey {
  std::string group;
  std::string kind;
  std::string name_space;
  std::string name;
  WritePart part = WritePart::Status;
  auto operator<=>(const WriteKey&) const = default;
};

}  // namespace trellis
