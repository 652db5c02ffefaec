#include "server/kube/watch/object_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace trellis::object_store_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

StoredText text(const std::string& text) { return StoredText(text); }

// "name=text", or "name gone".
std::vector<std::string> changes(ObjectStore& store) {
  std::vector<NamedText> taken;
  store.take_changes(taken);
  std::vector<std::string> words;
  for (const NamedText& change : taken) {
    words.push_back(change.name + (change.text ? "=" + change.text.str() : " gone"));
  }
  return words;
}

TEST(ObjectStore, ReportsOnceWhatChangedLast) {
  ObjectStore store("pods");
  store.replace({{"a/p", text("1")}, {"a/q", text("1")}});
  EXPECT_THAT(changes(store), ElementsAre("pods/a/p=1", "pods/a/q=1"));
  EXPECT_THAT(changes(store), IsEmpty());
  store.put("a/p", text("2"));
  store.put("a/p", text("3"));
  store.put("a/r", text("1"));
  store.erase("a/q");
  store.erase("a/never");
  EXPECT_THAT(changes(store), ElementsAre("pods/a/p=3", "pods/a/q gone", "pods/a/r=1"));
}

TEST(ObjectStore, OfANewListOnlyWhatChanged) {
  ObjectStore store("pods");
  store.replace({{"a/p", text("1")}, {"a/q", text("1")}, {"a/r", text("1")}});
  changes(store);
  store.replace({{"a/o", text("1")}, {"a/p", text("1")}, {"a/r", text("2")}});
  EXPECT_THAT(changes(store), ElementsAre("pods/a/o=1", "pods/a/q gone", "pods/a/r=2"));
}

TEST(ObjectStore, WhatWentBeforeItsKindWentIsReportedAsGone) {
  ObjectStore store("pods");
  store.replace({{"a/p", text("1")}, {"a/q", text("1")}});
  changes(store);
  store.erase("a/p");
  std::vector<NamedText> gone;
  store.take_all_as_gone(gone);
  ASSERT_EQ(gone.size(), 2U);
  for (const NamedText& change : gone) EXPECT_FALSE(change.text) << change.name;
}

// A wait that is woken ends long before its time is over.
TEST(ObjectStore, RingsAtEachChange) {
  auto bell = std::make_shared<Bell>();
  ObjectStore store("pods", bell);
  auto waits = [&] {
    auto begin = std::chrono::steady_clock::now();
    bell->wait({}, std::chrono::seconds(2));
    return std::chrono::steady_clock::now() - begin > std::chrono::seconds(1);
  };
  store.replace({{"a/p", text("1")}});
  EXPECT_FALSE(waits());
  store.put("a/p", text("2"));
  EXPECT_FALSE(waits());
  store.erase("a/p");
  EXPECT_FALSE(waits());
  store.erase("a/p");
  EXPECT_TRUE(waits());
}

}  // namespace
}  // namespace trellis::object_store_test
