// Draws used and free parts as a bar: ████████░░░░
#pragma once

#include <cstdint>
#include <string>

namespace trellis {

enum class Glyphs : uint8_t { Ascii, Unicode };

struct Share {
  int64_t used = 0;
  int64_t total = 0;
};

// The width in tables and trees.
inline constexpr size_t kBarWidth = 12;

// The bar is full only when all is used, and empty only when nothing is used. REQUIRES: width >= 2.
std::string bar(Share share, size_t width, Glyphs glyphs);

}  // namespace trellis
