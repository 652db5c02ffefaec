#include "framework/indexed_vector.h"

#include <gtest/gtest.h>

#include "framework/ids.h"

namespace trellis::indexed_vector_test {
namespace {

using Numbers = IndexedVector<NodeId, int>;

// How often its items moved while it grew to this size.
int moves(Numbers& numbers, size_t size, bool by_one) {
  int moves = 0;
  const int* at = numbers.data();
  while (numbers.size() < size) {
    if (by_one) {
      numbers.push_back(7);
    } else {
      numbers.resize(numbers.size() + 1, 7);
    }
    if (numbers.data() != at) ++moves;
    at = numbers.data();
  }
  return moves;
}

TEST(IndexedVector, MovesItsItemsRarelyWhileItGrows) {
  for (bool by_one : {true, false}) {
    Numbers numbers;
    int count = moves(numbers, 100'000, by_one);
    EXPECT_GT(count, 30);  // by doubling: 17
    EXPECT_LT(count, 60);
    EXPECT_EQ(numbers[NodeId(99'999U)], 7);
  }
}

TEST(IndexedVector, MovesNothingInReservedRoom) {
  Numbers numbers;
  numbers.reserve(100'000);
  numbers.push_back(7);
  EXPECT_EQ(moves(numbers, 100'000, true), 0);
}

}  // namespace
}  // namespace trellis::indexed_vector_test
