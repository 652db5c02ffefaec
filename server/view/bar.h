// Used and free as a bar: ████████░░░░
#pragma once

#include <cstdint>
#include <string>

namespace trellis {

enum class Glyphs : uint8_t { Ascii, Unicode };

struct Share {
  int64_t used = 0;
  int64_t total = 0;
};

// In tables and trees.
inline constexpr size_t kBarWidth = 12;

// Full only when all is used, empty only when nothing is. REQUIRES: width >= 2.
std::string bar(Share share, size_t width, Glyphs glyphs);

}  // namespace trellis
