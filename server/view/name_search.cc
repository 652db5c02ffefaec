#include "server/view/name_search.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "framework/topology.h"
#include "server/text/nearest_word.h"

namespace trellis {
namespace {

constexpr size_t kProposed = 3;
constexpr size_t kNamed = 5;  // of several that match

// Whether `word` stands in the name between characters that are no letters and no digits.
bool has_words(std::string_view name, std::string_view word) {
  auto ends_word = [&](size_t at) {
    return at >= name.size() || std::isalnum(static_cast<unsigned char>(name[at])) == 0;
  };
  for (size_t at = name.find(word); at != std::string_view::npos; at = name.find(word, at + 1)) {
    if ((at == 0 || ends_word(at - 1)) && ends_word(at + word.size())) return true;
  }
  return false;
}

// The ways to name an object, the closest first.
using Match = bool (*)(std::string_view name, std::string_view word);
constexpr std::array<Match, 5> kMatches = {
    [](std::string_view name, std::string_view word) { return name == word; },
    [](std::string_view name, std::string_view word) {
      return name.size() > word.size() && name.ends_with(word) &&
             name[name.size() - word.size() - 1] == '/';
    },
    [](std::string_view name, std::string_view word) {
      return name.starts_with(word) || last_part(name).starts_with(word);
    },
    has_words, [](std::string_view name, std::string_view word) { return name.ends_with(word); }};

std::string several(std::string_view kind, std::string_view word,
                    const std::vector<std::string>& found) {
  std::string text = "several " + std::string(kind) + "s match " + std::string(word) + ": ";
  for (size_t i = 0; i < found.size() && i < kNamed; ++i) text += (i > 0 ? ", " : "") + found[i];
  if (found.size() > kNamed) text += " and " + std::to_string(found.size() - kNamed) + " more";
  return text;
}

}  // namespace

FoundName find_name(std::string_view kind, std::string_view word,
                    const std::vector<std::string>& names) {
  for (Match matches : kMatches) {
    std::vector<std::string> found;
    for (const std::string& name : names) {
      if (matches(name, word)) found.push_back(name);
    }
    if (found.size() == 1) return {std::move(found.front()), ""};
    if (!found.empty()) return {"", several(kind, word, found)};
  }
  return {"", no_such(kind, word, names)};
}

std::string no_such(std::string_view kind, std::string_view name,
                    const std::vector<std::string>& names) {
  std::string message = "the input holds no " + std::string(kind) + " " + std::string(name);
  bool whole = name.find('/') != std::string_view::npos;
  std::vector<std::string_view> words;
  for (const std::string& one : names) words.push_back(whole ? one : last_part(one));
  std::vector<size_t> nearest = nearest_words(name, words, kProposed);
  if (nearest.empty()) return message;
  message += ": did you mean ";
  for (size_t i = 0; i < nearest.size(); ++i) {
    if (i > 0) message += i + 1 == nearest.size() ? " or " : ", ";
    message += names[nearest[i]];
  }
  return message + "?";
}

}  // namespace trellis
