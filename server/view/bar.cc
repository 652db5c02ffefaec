#include "server/view/bar.h"

#include <algorithm>
#include <string_view>

namespace trellis {
namespace {

size_t filled_cells(Share share, size_t width) {
  if (share.total <= 0 || share.used <= 0) return 0;
  if (share.used >= share.total) return width;
  double fraction = static_cast<double>(share.used) / static_cast<double>(share.total);
  auto cells = static_cast<size_t>(fraction * static_cast<double>(width) + 0.5);
  return std::clamp<size_t>(cells, 1, width - 1);
}

}  // namespace

std::string bar(Share share, size_t width, Glyphs glyphs) {
  std::string_view used = glyphs == Glyphs::Unicode ? "█" : "#";
  std::string_view free = glyphs == Glyphs::Unicode ? "░" : ".";
  size_t filled = filled_cells(share, width);
  std::string text;
  for (size_t i = 0; i < width; ++i) text += i < filled ? used : free;
  return text;
}

}  // namespace trellis
