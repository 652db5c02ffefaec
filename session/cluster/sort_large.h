// Sorts objects that are expensive to move: keys are computed once, and each object moves once.
#pragma once

#include <algorithm>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

namespace trellis {

// A name, after its namespace if there is one, with what decides most comparisons without a look at
// the texts.
class SortKey {
 public:
  SortKey(std::string_view name) : SortKey({"", name}) {}            // NOLINT: a key is one
  SortKey(const std::pair<std::string_view, std::string_view>& key)  // NOLINT: the same
      : group_(key.first), begin_(begin_of(key.second)), name_(key.second) {}

  std::strong_ordering operator<=>(const SortKey& other) const {
    // Most objects of one namespace have the same text as its name.
    bool same = group_.data() == other.group_.data() && group_.size() == other.group_.size();
    if (!same && group_ != other.group_) return group_ <=> other.group_;
    if (begin_ != other.begin_) return begin_ <=> other.begin_;
    return name_ <=> other.name_;
  }
  bool operator==(const SortKey& other) const = default;

 private:
  // The first bytes, in the order in which texts compare; a short text ends in zeros.
  static uint64_t begin_of(std::string_view text) {
    uint64_t bytes = 0;
    if (text.empty()) return bytes;
    std::memcpy(&bytes, text.data(), std::min(text.size(), sizeof bytes));
    return std::endian::native == std::endian::little ? __builtin_bswap64(bytes) : bytes;
  }

  std::string_view group_;
  uint64_t begin_;
  std::string_view name_;
};

// Objects with equal keys keep their order. `key_of` makes what makes a SortKey. Keys are not
// looked at any more once objects move, so they may refer to their objects.
// Cost: O(n log n) comparisons of keys; O(n) where the list is sorted already.
template <class List, class KeyOf>
void sort_large(List& list, KeyOf key_of) {
  if (std::ranges::is_sorted(list, {}, key_of)) return;
  std::vector<std::pair<SortKey, size_t>> order;
  order.reserve(list.size());
  for (size_t i = 0; i < list.size(); ++i) order.emplace_back(key_of(list[i]), i);
  std::sort(order.begin(), order.end());
  // Follows each cycle of the permutation; the object that belongs at `at` is at order[at].
  for (size_t start = 0; start < list.size(); ++start) {
    if (order[start].second == start) continue;
    typename List::value_type first = std::move(list[start]);
    size_t at = start;
    for (size_t from = order[at].second; from != start; from = order[at].second) {
      list[at] = std::move(list[from]);
      order[at].second = at;
      at = from;
    }
    list[at] = std::move(first);
    order[at].second = at;
  }
}

}  // namespace trellis
