#include "server/text/nearest_word.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "framework/ascii.h"

namespace trellis {
namespace {

constexpr size_t kLongest = 64;

// The length of the common part up to a slash: "example.com/" is no evidence of a misspelling.
size_t shared_prefix(std::string_view a, std::string_view b) {
  size_t slash = a.rfind('/');
  if (slash == std::string_view::npos || a.substr(0, slash + 1) != b.substr(0, slash + 1)) return 0;
  return slash + 1;
}

}  // namespace

int edit_distance(std::string_view a, std::string_view b) {
  a = a.substr(0, kLongest);
  b = b.substr(0, kLongest);
  using Row = std::array<int, kLongest + 1>;
  Row before_last{};
  Row last{};
  Row row{};
  for (size_t j = 0; j <= b.size(); ++j) last[j] = static_cast<int>(j);
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = static_cast<int>(i);
    for (size_t j = 1; j <= b.size(); ++j) {
      int change = lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1;
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + change});
      bool swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                     lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    before_last = last;
    last = row;
  }
  return last[b.size()];
}

std::vector<size_t> nearest_words(std::string_view word,
                                  std::span<const std::string_view> candidates, size_t most) {
  std::vector<std::tuple<int, std::string_view, size_t>> near;
  for (size_t i = 0; i < candidates.size(); ++i) {
    std::string_view candidate = candidates[i];
    if (candidate == word) continue;
    size_t prefix = shared_prefix(word, candidate);
    std::string_view own = word.substr(prefix, kLongest);
    std::string_view other = candidate.substr(prefix, kLongest);
    int bound = std::max(1, static_cast<int>(own.size() / 3));
    int longer = static_cast<int>(own.size()) - static_cast<int>(other.size());
    if (longer > bound || -longer > bound) continue;
    int distance = edit_distance(own, other);
    // A candidate that would have to change entirely is not near.
    if (distance > bound || distance >= static_cast<int>(other.size())) continue;
    near.emplace_back(distance, candidate, i);
  }
  std::sort(near.begin(), near.end());
  if (near.size() > most) near.resize(most);
  std::vector<size_t> indexes;
  for (const auto& [distance, candidate, i] : near) indexes.push_back(i);
  return indexes;
}

std::string nearest_word(std::string_view word, std::span<const std::string_view> candidates) {
  std::vector<size_t> nearest = nearest_words(word, candidates, 1);
  return nearest.empty() ? "" : std::string(candidates[nearest.front()]);
}

}  // namespace trellis
