#include "framework/text_arena.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace trellis::text_arena_test {
namespace {

std::string long_text(size_t index) {
  return std::to_string(index) + std::string(index % 300, 'x');
}

TEST(TextArena, TextsStayWhereTheyAre) {
  TextArena arena;
  std::vector<std::string_view> kept;
  for (size_t i = 0; i < 2'000; ++i) kept.push_back(arena.keep(long_text(i)));
  std::string large(100'000, 'y');
  std::string_view large_kept = arena.keep(large);
  EXPECT_EQ(arena.keep(""), "");
  for (size_t i = 0; i < kept.size(); ++i) EXPECT_EQ(kept[i], long_text(i));
  EXPECT_EQ(large_kept, large);
}

TEST(TextArena, MovesWithItsTexts) {
  TextArena arena;
  std::string_view kept = arena.keep("a text that is kept");
  TextArena other = std::move(arena);
  EXPECT_EQ(other.keep("another"), "another");
  EXPECT_EQ(kept, "a text that is kept");
}

TEST(TextArena, MemoryIsUsedAgain) {
  TextArena arena;
  const char* first = arena.keep("first").data();
  arena.keep("second");
  arena.clear();
  EXPECT_EQ(arena.keep("third").data(), first);
}

}  // namespace
}  // namespace trellis::text_arena_test
