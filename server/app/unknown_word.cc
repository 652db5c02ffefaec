#include "server/app/unknown_word.h"

#include "server/document/document.h"
#include "server/text/nearest_word.h"

namespace trellis {

std::string unknown_word(std::string_view what, std::string_view word,
                         std::span<const std::string_view> candidates) {
  std::string text = "unknown " + std::string(what) + " " + trellis::in_quotes(word);
  if (std::string nearest = nearest_word(word, candidates); !nearest.empty()) {
    return text + ": did you mean " + trellis::in_quotes(nearest) + "?";
  }
  std::string_view separator = ": expected ";
  for (size_t i = 0; i < candidates.size(); ++i) {
    text.append(separator).append(candidates[i]);
    separator = i + 2 == candidates.size() ? " or " : ", ";
  }
  return text;
}

}  // namespace trellis
