#include "server/sources/watched_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "tests/server/system/temporary_folder.h"

namespace trellis::watched_files_test {
namespace {

using test::TemporaryFolder;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using Change = WatchedFiles::Change;

std::string node(std::string_view name) {
  return "apiVersion: v1\nkind: Node\nmetadata: {name: " + std::string(name) + "}\n";
}

std::vector<std::string> contents(const WatchedFiles& files) {
  std::vector<std::string> contents;
  for (const NamedText& text : files.texts()) contents.push_back(text.text.str());
  return contents;
}

// Polls until something changed, for as long as a young file may take.
Change poll_until_changed(WatchedFiles& files) {
  for (int i = 0; i < 1000; ++i) {
    if (Change change = files.poll(); change != Change::None) return change;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return Change::None;
}

TEST(WatchedFiles, SeesFilesComeChangeAndGo) {
  TemporaryFolder folder;
  folder.write("a.yaml", node("a"));
  WatchedFiles files({folder.path()});
  EXPECT_EQ(files.poll(), Change::Content);
  EXPECT_THAT(contents(files), ElementsAre(node("a")));
  EXPECT_EQ(files.poll(), Change::None);
  int64_t reads = files.reads();
  EXPECT_EQ(files.poll(), Change::None);
  EXPECT_EQ(files.reads(), reads);

  folder.write("b.yaml", node("b"));
  EXPECT_EQ(files.poll(), Change::Content);
  EXPECT_THAT(contents(files), ElementsAre(node("a"), node("b")));
  folder.write("a.yaml", node("c"));
  EXPECT_EQ(files.poll(), Change::Content);
  EXPECT_THAT(contents(files), ElementsAre(node("c"), node("b")));
  folder.remove("a.yaml");
  EXPECT_EQ(files.poll(), Change::Content);
  EXPECT_THAT(contents(files), ElementsAre(node("b")));
  EXPECT_THAT(files.take_gone(), ElementsAre(folder.path() + "/a.yaml"));
  EXPECT_THAT(files.take_gone(), IsEmpty());
}

TEST(WatchedFiles, EqualContentIsNoChange) {
  TemporaryFolder folder;
  folder.write("a.yaml", node("a"));
  WatchedFiles files({folder.path()});
  files.poll();
  folder.write("a.yaml", node("a"));
  EXPECT_EQ(files.poll(), Change::None);
}

TEST(WatchedFiles, ABrokenFileKeepsItsLastGoodContent) {
  TemporaryFolder folder;
  folder.write("a.yaml", node("a"));
  WatchedFiles files({folder.path()});
  files.poll();
  folder.write("a.yaml", "kind: [Node\n");
  EXPECT_EQ(files.poll(), Change::Faults);
  EXPECT_THAT(contents(files), ElementsAre(node("a")));
  ASSERT_THAT(files.faults(), SizeIs(1));
  EXPECT_THAT(files.faults()[0].file, HasSubstr("a.yaml"));
  EXPECT_EQ(files.poll(), Change::None);

  folder.write("a.yaml", node("b"));
  EXPECT_EQ(files.poll(), Change::Content);
  EXPECT_THAT(contents(files), ElementsAre(node("b")));
  EXPECT_THAT(files.faults(), IsEmpty());
}

TEST(WatchedFiles, AnObjectThatCannotBeUnderstoodBreaksItsFile) {
  TemporaryFolder folder;
  std::string good = node("a") + "---\n" + node("b");
  folder.write("a.yaml", good);
  WatchedFiles files({folder.path()});
  files.poll();
  folder.write("a.yaml", node("a") + "status: {allocatable: {cpu: many}}\n---\n" + node("b"));
  EXPECT_EQ(files.poll(), Change::Faults);
  EXPECT_THAT(contents(files), ElementsAre(good));
}

TEST(WatchedFiles, WhatNeverWasGoodIsReadAsFarAsItGoes) {
  TemporaryFolder folder;
  std::string broken = node("a") + "---\nkind: [Node\n";
  folder.write("a.yaml", broken);
  WatchedFiles files({folder.path()});
  EXPECT_EQ(files.poll(), Change::Content);
  EXPECT_THAT(contents(files), ElementsAre(broken));
  // The reader of the content says what is wrong with it.
  EXPECT_THAT(files.faults(), IsEmpty());
}

TEST(WatchedFiles, AMissingPathIsAFaultUntilItIsThere) {
  TemporaryFolder folder;
  WatchedFiles files({folder.file("a.yaml")});
  EXPECT_EQ(files.poll(), Change::Content);
  EXPECT_THAT(files.faults(), SizeIs(1));
  folder.write("a.yaml", node("a"));
  EXPECT_EQ(files.poll(), Change::Content);
  EXPECT_THAT(files.faults(), IsEmpty());
}

TEST(WatchedFiles, AYoungFileIsReadWhenItsWriterIsDone) {
  TemporaryFolder folder;
  folder.write("a.yaml", node("a"));
  WatchedFiles files({folder.path()});
  files.poll();
  // A writer that truncates first.
  folder.write_now("a.yaml", "");
  EXPECT_EQ(files.poll(), Change::None);
  folder.write_now("a.yaml", node("b"));
  EXPECT_EQ(poll_until_changed(files), Change::Content);
  EXPECT_THAT(contents(files), ElementsAre(node("b")));
}

// Of equal length, within one tick of the file system's clock.
TEST(WatchedFiles, NoChangeHidesBehindAnEqualTime) {
  TemporaryFolder folder;
  folder.write_now("a.yaml", node("a"));
  WatchedFiles files({folder.path()});
  for (char c = 'b'; c <= 'z'; ++c) {
    folder.write_now("a.yaml", node(std::string(1, c)));
    files.poll();
  }
  folder.write_now("a.yaml", node("A"));
  for (int i = 0; i < 1000 && contents(files) != std::vector<std::string>{node("A")}; ++i) {
    files.poll();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_THAT(contents(files), ElementsAre(node("A")));
}

TEST(WatchedFiles, AFileThatIsWrittenWithoutAPauseIsReadAllTheSame) {
  TemporaryFolder folder;
  folder.write("a.yaml", node("a"));
  WatchedFiles files({folder.path()});
  files.poll();
  bool seen = false;
  for (int i = 0; i < 100 && !seen; ++i) {
    folder.write_now("a.yaml", node("n" + std::to_string(i)));
    seen = files.poll() == Change::Content;
  }
  EXPECT_TRUE(seen);
}

}  // namespace
}  // namespace trellis::watched_files_test
