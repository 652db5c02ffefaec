#include "server/text/stored_text.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace trellis::stored_text_test {
namespace {

std::string pod_text(const std::string& name, int node, int port) {
  return R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" + name +
         R"(","namespace":"research"},"spec":{"containers":[{"name":"main","resources":)"
         R"({"requests":{"cpu":"4","nvidia.com/gpu":"8"}},"ports":[{"hostPort":)" +
         std::to_string(port) + R"(}]}],"nodeName":"node-)" + std::to_string(node) +
         R"(","schedulerName":"trellis"}})";
}

TEST(StoredText, IsTheTextOrNone) {
  EXPECT_FALSE(StoredText());
  EXPECT_TRUE(StoredText(""));
  EXPECT_EQ(StoredText("").str(), "");
  StoredText text("a text");
  StoredText copy = text;
  text = StoredText("another one");
  EXPECT_EQ(copy.str(), "a text");
  EXPECT_EQ(copy.size(), 6U);
  EXPECT_TRUE(copy == StoredText("a text"));
  EXPECT_FALSE(copy == text);
  EXPECT_FALSE(copy == StoredText());
  EXPECT_TRUE(StoredText() == StoredText());
}

TEST(StoredText, APackedTextIsItsDifferences) {
  TextPacker packer;
  std::string first = pod_text("a-0", 17, 80);
  std::string second = pod_text("a-17", 4, 8080);
  StoredText base = packer.pack(first);
  StoredText packed = packer.pack(second);
  EXPECT_EQ(base.stored_bytes(), first.size());
  EXPECT_LT(packed.stored_bytes(), 50U);
  EXPECT_EQ(packed.size(), second.size());
  EXPECT_EQ(packed.str(), second);
  EXPECT_TRUE(packed == StoredText(second));
  std::string buffer = "what was there before";
  packed.copy_to(buffer);
  EXPECT_EQ(buffer, second);
}

TEST(StoredText, KeepsItsBase) {
  std::string second = pod_text("b", 2, 1);
  StoredText packed;
  {
    TextPacker packer;
    packer.pack(pod_text("a", 1, 1));
    packed = packer.pack(second);
  }
  EXPECT_EQ(packed.str(), second);
}

// Several templates in turn, each with a base of its own.
TEST(StoredText, PacksKindsThatTakeTurns) {
  std::mt19937 random(3);
  std::vector<std::string> templates;
  for (size_t i = 0; i < TextPacker::kMostBases; ++i) {
    std::string text;
    for (int j = 0; j < 400; ++j) text += static_cast<char>('a' + random() % 26);
    templates.push_back(text);
  }
  TextPacker packer;
  for (int i = 0; i < 100; ++i) {
    std::string text = templates[i % templates.size()];
    text.replace(random() % 390, 5, std::to_string(i));
    StoredText stored = packer.pack(text);
    EXPECT_EQ(stored.str(), text);
    if (i >= static_cast<int>(templates.size())) {
      EXPECT_LT(stored.stored_bytes(), 30U);
    }
  }
}

// Cuts, repeats and moves parts of a text, of any size.
TEST(StoredText, ReturnsAnyText) {
  std::mt19937 random(7);
  TextPacker packer;
  std::string text = pod_text("a", 1, 1);
  for (int i = 0; i < 3000; ++i) {
    size_t from = random() % (text.size() + 1);
    std::string part = text.substr(from, random() % 300);
    switch (random() % 4) {
      case 0:
        text.insert(random() % (text.size() + 1), part);
        break;
      case 1:
        text.erase(from, random() % 200);
        break;
      case 2:
        text += static_cast<char>(random());
        break;
      default:
        text = part + text.substr(0, random() % 70'000);
    }
    if (text.empty()) text = "x";
    StoredText stored = packer.pack(text);
    ASSERT_EQ(stored.str(), text);
    ASSERT_LE(stored.stored_bytes(), text.size());
  }
}

}  // namespace
}  // namespace trellis::stored_text_test
