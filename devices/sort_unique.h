// sort_unique(): in order, each value once. O(values x log values).
#pragma once

#include <algorithm>
#include <vector>

namespace trellis::devices {

template <class T>
void sort_unique(std::vector<T>& values) {
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

}  // namespace trellis::devices
