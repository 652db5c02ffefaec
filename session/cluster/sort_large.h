// Sorts objects that are expensive to move: keys are computed once, and each object moves once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace trellis {

// Objects with equal keys keep their order. Keys are not looked at any more once objects move, so
// they may refer to their objects. Cost: O(n log n) comparisons of keys; O(n) where the list is
// sorted already.
template <class List, class KeyOf>
void sort_large(List& list, KeyOf key_of) {
  if (std::ranges::is_sorted(list, {}, key_of)) return;
  std::vector<std::pair<decltype(key_of(list[0])), size_t>> order;
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
