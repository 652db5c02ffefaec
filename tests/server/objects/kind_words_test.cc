#include "server/objects/kind_words.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace trellis {
namespace {

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> all;
  EXPECT_FALSE(any_kind_word(text, [&](std::string_view word) {
    all.emplace_back(word);
    return false;
  }));
  return all;
}

TEST(KindWordsTest, FindsEveryKindOfATextInJsonAndYaml) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(words(R"({"kind":"Pod"}{"kind" : "Job", "x": {"kind":"A"}})"),
            (Words{"Pod", "Job", "A"}));
  EXPECT_EQ(words("kind: Pod\n---\n\"kind\":   'Queue' # a comment\n---\n{kind: Node}\n"),
            (Words{"Pod", "Queue", "Node"}));
  EXPECT_EQ(words("kind:\n  Pod\n"), (Words{"Pod"}));
  EXPECT_EQ(words("a kind word, kindly meant: x, and a kind"), Words());
  EXPECT_EQ(words("kind:"), Words());
  EXPECT_EQ(words(""), Words());
}

TEST(KindWordsTest, StopsAtTheFirstThatIsSought) {
  int looked_at = 0;
  EXPECT_TRUE(any_kind_word("kind: A\n---\nkind: B\n---\nkind: C\n", [&](std::string_view word) {
    ++looked_at;
    return word == "B";
  }));
  EXPECT_EQ(looked_at, 2);
}

}  // namespace
}  // namespace trellis
