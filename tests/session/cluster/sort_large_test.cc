#include "session/cluster/sort_large.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trellis::sort_large_test {
namespace {

struct Object {
  std::string name;
  std::unique_ptr<int> order;  // as it was made
};

TEST(SortLarge, SortsAsAStableSortDoes) {
  std::mt19937 random(1);
  for (int size = 0; size < 60; ++size) {
    std::vector<Object> list;
    std::vector<std::pair<std::string, int>> expected;
    for (int i = 0; i < size; ++i) {
      std::string name = "n" + std::to_string(random() % 20);
      list.push_back({name, std::make_unique<int>(i)});
      expected.emplace_back(name, i);
    }
    std::sort(expected.begin(), expected.end());
    sort_large(list, [](const Object& object) { return std::string_view(object.name); });
    ASSERT_EQ(list.size(), expected.size());
    for (size_t i = 0; i < list.size(); ++i) {
      EXPECT_EQ(list[i].name, expected[i].first);
      EXPECT_EQ(*list[i].order, expected[i].second);
    }
  }
}

}  // namespace
}  // namespace trellis::sort_large_test
