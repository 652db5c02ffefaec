// The largest of many values that change one by one.
//
// Cost: build O(values); a change O(log values); the largest O(log values).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace trellis {

class LargestOf {
 public:
  LargestOf() = default;
  explicit LargestOf(size_t values) {
    while (leaves_ < values) leaves_ *= 2;
    tree_.assign(2 * leaves_, 0);
  }

  int64_t operator[](size_t index) const { return tree_[leaves_ + index]; }
  int64_t largest() const { return tree_[1]; }
  // The first of the largest values.
  size_t index() const {
    size_t at = 1;
    while (at < leaves_) at = 2 * at + (tree_[2 * at] < tree_[at] ? 1 : 0);
    return at - leaves_;
  }

  // REQUIRES: value >= 0.
  void set(size_t index, int64_t value) {
    size_t at = leaves_ + index;
    for (tree_[at] = value; at > 1;) {
      at /= 2;
      tree_[at] = std::max(tree_[2 * at], tree_[2 * at + 1]);
    }
  }

 private:
  size_t leaves_ = 1;
  std::vector<int64_t> tree_ = {0, 0};  // a node's children follow at twice its index; leaves last
};

}  // namespace trellis
