#include "server/text/nearest_word.h"

#include <gtest/gtest.h>

#include <vector>

namespace trellis::nearest_word_test {
namespace {

TEST(EditDistance, CountsLetters) {
  EXPECT_EQ(edit_distance("rack", "rack"), 0);
  EXPECT_EQ(edit_distance("rack", "Rack"), 0);
  EXPECT_EQ(edit_distance("rak", "rack"), 1);
  EXPECT_EQ(edit_distance("rakc", "rack"), 1);
  EXPECT_EQ(edit_distance("", "abc"), 3);
  EXPECT_EQ(edit_distance("abc", ""), 3);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
  EXPECT_LE(edit_distance(std::string(1000, 'a'), std::string(900, 'b')), 64);
}

TEST(NearestWord, OnlyWhatIsNear) {
  std::vector<std::string_view> words = {"zone", "rack", "kubernetes.io/hostname"};
  EXPECT_EQ(nearest_word("rak", words), "rack");
  EXPECT_EQ(nearest_word("zones", words), "zone");
  EXPECT_EQ(nearest_word("Rack", words), "rack");
  EXPECT_EQ(nearest_word("row", words), "");
  EXPECT_EQ(nearest_word("", words), "");
  EXPECT_EQ(nearest_word("kubernetes.io/hostnam", words), "kubernetes.io/hostname");
  // What both share before the slash makes them no nearer.
  EXPECT_EQ(nearest_word("kubernetes.io/zone", words), "");
}

TEST(NearestWord, TheFirstByNameOfSeveral) {
  std::vector<std::string_view> words = {"rack-b", "rack-a"};
  EXPECT_EQ(nearest_word("rack-x", words), "rack-a");
}

TEST(NearestWords, NearestFirst) {
  std::vector<std::string_view> words = {"track", "racky", "zone", "rack"};
  EXPECT_EQ(nearest_words("racks", words, 3), (std::vector<size_t>{3, 1}));
  EXPECT_EQ(nearest_words("rackk", words, 1), std::vector<size_t>{3});
  EXPECT_TRUE(nearest_words("disk", words, 3).empty());
}

}  // namespace
}  // namespace trellis::nearest_word_test
