#include "framework/shared_text.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace trellis::shared_text_test {
namespace {

TEST(SharedText, HasTheTextOfWhateverItIsMadeOf) {
  EXPECT_EQ(SharedText("node-1"), "node-1");
  EXPECT_EQ(SharedText(std::string("node-1")), std::string("node-1"));
  EXPECT_EQ(SharedText(std::string_view("node-10").substr(0, 6)), std::string_view("node-1"));
  EXPECT_EQ(std::string(SharedText("node-1")), "node-1");
  EXPECT_EQ(SharedText("node-1").size(), 6);
  EXPECT_EQ("on " + SharedText("node-1"), "on node-1");
  EXPECT_EQ(SharedText("node-1") + "/a", "node-1/a");
}

TEST(SharedText, IsEmptyWithoutMemory) {
  EXPECT_TRUE(SharedText().empty());
  EXPECT_TRUE(SharedText("").empty());
  EXPECT_EQ(SharedText(), "");
  EXPECT_FALSE(SharedText().is_shared());
  SharedText text("a");
  text.clear();
  EXPECT_TRUE(text.empty());
}

TEST(SharedText, CopiesShareOneText) {
  SharedText text("a text that is longer than a pointer");
  EXPECT_FALSE(text.is_shared());
  SharedText copy = text;
  EXPECT_TRUE(text.is_shared());
  EXPECT_EQ(copy.view().data(), text.view().data());
  SharedText moved = std::move(copy);
  EXPECT_EQ(moved, text);
  moved = "another";
  EXPECT_FALSE(text.is_shared());
  EXPECT_EQ(text, "a text that is longer than a pointer");
}

TEST(SharedText, IsOrderedAsItsText) {
  EXPECT_LT(SharedText("a"), SharedText("b"));
  EXPECT_LT(SharedText("a"), "aa");
  EXPECT_LT(SharedText(), SharedText("a"));
  EXPECT_NE(SharedText("a"), SharedText("b"));
}

TEST(SharedText, IsCopiedAndDroppedByManyThreads) {
  SharedText text("shared");
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([text] {
        for (int turn = 0; turn < 1000; ++turn) EXPECT_EQ(SharedText(text), "shared");
      });
    }
  }
  EXPECT_FALSE(text.is_shared());
}

}  // namespace
}  // namespace trellis::shared_text_test
