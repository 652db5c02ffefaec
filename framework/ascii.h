// ASCII letters and digits, independent of the locale.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace trellis {

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

inline char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

inline std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](char c) { return lower(c); });
  return out;
}

}  // namespace trellis
