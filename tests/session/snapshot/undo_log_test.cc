#include "session/snapshot/undo_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "session/snapshot/change_log.h"
#include "tests/support/random.h"

namespace trellis::undo_log_test {
namespace {

using ::testing::ElementsAre;

TEST(UndoLog, GivesBackOldValuesNewestFirst) {
  UndoLog log;
  int64_t a = 1;
  int64_t b = INT64_MIN;
  UndoLog::Mark start = log.mark();
  log.set(a, 2);
  UndoLog::Mark middle = log.mark();
  log.set(a, 3);
  log.set(b, INT64_MAX);
  log.set(a, 4);
  log.rollback(middle, [](UndoLog::Note) {});
  EXPECT_EQ(a, 2);
  EXPECT_EQ(b, INT64_MIN);
  log.rollback(start, [](UndoLog::Note) {});
  EXPECT_EQ(a, 1);
  log.rollback(start, [](UndoLog::Note) { FAIL(); });
}

TEST(UndoLog, HandsBackNotesInBetween) {
  using Kind = UndoLog::Note::Kind;
  UndoLog log;
  int64_t cell = 0;
  log.note({Kind::Bound, NodeId(1), PodId(2)});
  log.set(cell, 1);
  log.note({Kind::Touched, NodeId(UINT32_MAX - 1), PodId(UINT32_MAX - 1)});
  log.note({Kind::Evicted, NodeId(3), PodId()});
  std::vector<uint32_t> nodes;
  std::vector<int64_t> seen;
  std::vector<Kind> kinds;
  log.rollback(0, [&](UndoLog::Note note) {
    kinds.push_back(note.kind);
    nodes.push_back(note.node.value);
    seen.push_back(cell);
  });
  EXPECT_THAT(kinds, ElementsAre(Kind::Evicted, Kind::Touched, Kind::Bound));
  EXPECT_THAT(nodes, ElementsAre(3u, UINT32_MAX - 1, 1u));
  EXPECT_THAT(seen, ElementsAre(1, 1, 0));
}

TEST(UndoLog, ClearForgets) {
  UndoLog log;
  int64_t cell = 0;
  log.set(cell, 1);
  log.clear();
  EXPECT_EQ(log.mark(), 0u);
  log.rollback(0, [](UndoLog::Note) { FAIL(); });
  EXPECT_EQ(cell, 1);
}

TEST(UndoLog, RandomPrograms) {
  Random random(17);
  UndoLog log;
  std::vector<int64_t> cells(5, 0);
  std::vector<std::pair<UndoLog::Mark, std::vector<int64_t>>> marks;
  for (int step = 0; step < 20'000; ++step) {
    switch (random.below(4)) {
      case 0:
        marks.emplace_back(log.mark(), cells);
        break;
      case 1:
        if (marks.empty()) break;
        marks.resize(1 + random.below(static_cast<uint32_t>(marks.size())));
        log.rollback(marks.back().first, [](UndoLog::Note) {});
        ASSERT_EQ(cells, marks.back().second);
        break;
      case 2:
        log.note({UndoLog::Note::Kind::Touched, NodeId(1), PodId(1)});
        break;
      default:
        log.set(cells[random.below(5)], static_cast<int64_t>(random.next()));
    }
  }
}

TEST(ChangeLog, ReadersGoOnWhereTheyStopped) {
  ChangeLog log;
  uint64_t start = log.end();
  log.touch(NodeId(1));
  log.touch(NodeId(2));
  uint64_t later = log.end();
  log.touch(NodeId(1));
  EXPECT_THAT(*log.since(start), ElementsAre(NodeId(1), NodeId(2), NodeId(1)));
  EXPECT_THAT(*log.since(later), ElementsAre(NodeId(1)));
  EXPECT_TRUE(log.since(log.end())->empty());
}

TEST(ChangeLog, ReadersThatAreFarBehindStartAgain) {
  ChangeLog log;
  uint64_t start = log.end();
  for (int i = 0; i < 100; ++i) log.touch(NodeId(i));
  uint64_t near = log.end() - 3;
  log.trim(20);
  EXPECT_FALSE(log.since(start));
  EXPECT_THAT(*log.since(near), ElementsAre(NodeId(97), NodeId(98), NodeId(99)));
  log.trim(20);
  EXPECT_TRUE(log.since(near));
  uint64_t end = log.end();
  log.restart();
  EXPECT_FALSE(log.since(end));
  EXPECT_TRUE(log.since(log.end())->empty());
}

}  // namespace
}  // namespace trellis::undo_log_test
