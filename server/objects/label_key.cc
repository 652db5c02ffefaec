#include "server/objects/label_key.h"

#include <algorithm>
#include <cstddef>

#include "framework/ascii.h"

namespace trellis {
namespace {

constexpr size_t kLongestName = 63;
constexpr size_t kLongestDomain = 253;

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_letter(char c) { return is_lower(c) || (c >= 'A' && c <= 'Z'); }

bool is_name(std::string_view text) {
  auto ends = [](char c) { return is_letter(c) || is_digit(c); };
  auto inner = [&](char c) { return ends(c) || c == '-' || c == '_' || c == '.'; };
  return !text.empty() && text.size() <= kLongestName && ends(text.front()) && ends(text.back()) &&
         std::all_of(text.begin(), text.end(), inner);
}

bool is_domain(std::string_view text) {
  auto plain = [](char c) { return is_lower(c) || is_digit(c); };
  if (text.empty() || text.size() > kLongestDomain) return false;
  char before = '.';
  for (char c : text) {
    if (!plain(c) && c != '-' && c != '.') return false;
    if (!plain(before) && !plain(c) && (before == '.' || c == '.')) return false;
    before = c;
  }
  return plain(before);
}

}  // namespace

bool is_dns_label(std::string_view text) {
  return text.size() <= kLongestName && text.find('.') == std::string_view::npos && is_domain(text);
}

bool is_dns_name(std::string_view text) { return is_domain(text); }

bool is_label_key(std::string_view text) {
  size_t slash = text.find('/');
  if (slash == std::string_view::npos) return is_name(text);
  return is_domain(text.substr(0, slash)) && is_name(text.substr(slash + 1));
}

}  // namespace trellis
