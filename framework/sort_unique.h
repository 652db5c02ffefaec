// sort_unique() for lists of ids: in order, each once.
//
// Cost: O(ids) where they are in order already, or dense: at least one id for 64 of its table's
// slots. Else O(ids x log ids).
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "framework/ids.h"

namespace trellis {

template <class Tag>
void sort_unique(std::vector<StrongId<Tag>>& ids) {
  using Id = StrongId<Tag>;
  bool in_order = std::ranges::adjacent_find(ids, std::greater_equal<>()) == ids.end();
  if (in_order) return;
  constexpr size_t kBits = 64;
  size_t words = std::ranges::max(ids).value / kBits + 1;
  if (words > ids.size()) {
    std::ranges::sort(ids);
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    return;
  }
  std::vector<uint64_t> present(words);
  for (Id id : ids) present[id.value / kBits] |= uint64_t{1} << (id.value % kBits);
  size_t count = 0;
  for (size_t word = 0; word < words; ++word) {
    for (uint64_t rest = present[word]; rest != 0; rest &= rest - 1) {
      ids[count++] = Id(word * kBits + static_cast<size_t>(std::countr_zero(rest)));
    }
  }
  ids.resize(count);
}

}  // namespace trellis
