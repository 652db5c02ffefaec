#include "server/objects/kind_words.h"

#include <cstddef>

namespace trellis {
namespace {

constexpr std::string_view kKey = "kind";
constexpr std::string_view kBetween = "\"': \t\r\n";  // a key and its value

}  // namespace

bool any_kind_word(std::string_view text, const std::function<bool(std::string_view word)>& use) {
  for (size_t at = text.find(kKey); at != std::string_view::npos; at = text.find(kKey, at)) {
    at += kKey.size();
    size_t begin = text.find_first_not_of(kBetween, at);
    if (begin == std::string_view::npos) return false;
    if (text.substr(at, begin - at).find(':') == std::string_view::npos) continue;
    size_t end = text.find_first_of("\"',#} \t\r\n", begin);
    if (use(text.substr(begin, end == std::string_view::npos ? end : end - begin))) return true;
  }
  return false;
}

}  // namespace trellis
