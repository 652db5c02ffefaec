#include "server/wording/names_text.h"

#include <algorithm>

namespace trellis {

void sort_unique(std::vector<std::string>& names) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
}

std::string names_text(const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < names.size() && i < kNamesShown; ++i) {
    if (i > 0) text += ' ';
    text += names[i];
  }
  if (names.size() > kNamesShown) text += " +" + std::to_string(names.size() - kNamesShown);
  return text;
}

}  // namespace trellis
