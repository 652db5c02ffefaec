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

// Texts that are equal in their first bytes, end there, or differ in a byte above 127.
TEST(SortLarge, ComparesAsTextsDo) {
  const std::vector<std::string> words = {"",         "a",         std::string("a\0", 2), "ab",
                                          "abcdefgh", "abcdefghi", "abcdefg\xff",         "b"};
  std::mt19937 random(2);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::pair<std::string, std::string>> list;
    for (int i = 0; i < 12; ++i) {
      list.emplace_back(words[random() % words.size()], words[random() % words.size()]);
    }
    std::vector<std::pair<std::string, std::string>> expected = list;
    std::sort(expected.begin(), expected.end());
    sort_large(list, [](const auto& pair) {
      return std::pair(std::string_view(pair.first), std::string_view(pair.second));
    });
    EXPECT_EQ(list, expected);
  }
}

}  // namespace
}  // namespace trellis::sort_large_test
