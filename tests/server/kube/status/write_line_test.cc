#include "server/kube/status/write_line.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace trellis::write_line_test {
namespace {

WriteKey key(const std::string& name) { return {.kind = "Pod", .name = name}; }

struct Line {
  WriteLine line;
  TimeUs now = 0;

  explicit Line(const WriteLine::Options& options = {.rate = {.per_second = 1000, .burst = 1000}})
      : line(options) {}

  void wish(const std::string& name) { line.wish(key(name), now); }
  // The next one, sent; "" when it is nobody's turn.
  std::string send() {
    auto next = line.next(now);
    if (!next) return "";
    line.sent(*next, now);
    return next->name;
  }
  WriteLine::Fate answer(const std::string& name, int status, int64_t retry_after_ms = 0) {
    return line.done(key(name), {.status = status, .retry_after_ms = retry_after_ms}, now);
  }
};

TEST(WriteLine, GoesInTurnAndEachOnce) {
  Line line;
  line.wish("b");
  line.wish("a");
  line.wish("b");
  EXPECT_EQ(line.send(), "b");
  EXPECT_EQ(line.send(), "a");
  EXPECT_EQ(line.send(), "");
}

TEST(WriteLine, WhatIsWishedWhileItIsOnItsWayGoesAgain) {
  Line line;
  line.wish("a");
  line.send();
  line.wish("a");
  EXPECT_EQ(line.send(), "");
  EXPECT_EQ(line.answer("a", 200), WriteLine::Fate::Written);
  EXPECT_EQ(line.send(), "") << "what was written is not seen yet";
  line.now += WriteLine::kLookAgainUs;
  EXPECT_EQ(line.send(), "a");
  line.answer("a", 200);
  EXPECT_EQ(line.line.size(), 0);
}

TEST(WriteLine, RestsLongerWithEachFailure) {
  Line line;
  line.wish("a");
  TimeUs rest = WriteLine::kFirstRestUs;
  for (int i = 0; i < 12; ++i) {
    EXPECT_EQ(line.send(), "a");
    EXPECT_EQ(line.answer("a", 503), WriteLine::Fate::Again);
    EXPECT_EQ(line.line.next_at(line.now), line.now + rest);
    line.now += rest - 1;
    EXPECT_EQ(line.send(), "");
    line.now += 1;
    rest = std::min(2 * rest, WriteLine::kMostRestUs);
  }
}

TEST(WriteLine, TellsWhatMayPassFromWhatNeverWill) {
  Line line;
  for (auto [status, fate] :
       {std::pair(409, WriteLine::Fate::Again), std::pair(429, WriteLine::Fate::Again),
        std::pair(403, WriteLine::Fate::Again), std::pair(0, WriteLine::Fate::Again),
        std::pair(404, WriteLine::Fate::Gone), std::pair(422, WriteLine::Fate::Refused)}) {
    line.line.clear();
    line.wish("a");
    line.send();
    EXPECT_EQ(line.answer("a", status), fate) << status;
    EXPECT_EQ(line.line.size(), fate == WriteLine::Fate::Again ? 1 : 0) << status;
  }
}

TEST(WriteLine, TheServerMayAskAllToWait) {
  Line line;
  line.wish("a");
  line.wish("b");
  line.send();
  line.answer("a", 429, 3000);
  EXPECT_EQ(line.send(), "");
  EXPECT_EQ(line.line.next_at(line.now), 3 * kSecondUs);
  line.now = 3 * kSecondUs;
  EXPECT_EQ(line.send(), "b");
  EXPECT_EQ(line.send(), "a");
}

TEST(WriteLine, OnlySoManyAreOnTheirWay) {
  Line line({.rate = {.per_second = 1000, .burst = 1000}, .most_sent = 2});
  for (const char* name : {"a", "b", "c"}) line.wish(name);
  line.send();
  line.send();
  EXPECT_EQ(line.send(), "");
  EXPECT_EQ(line.line.next_at(line.now), kNoTime);
  line.answer("a", 200);
  EXPECT_EQ(line.send(), "c");
}

TEST(WriteLine, WhatIsDroppedCostsNoToken) {
  Line line({.rate = {.per_second = 1, .burst = 1}});
  for (const char* name : {"a", "b", "c"}) line.wish(name);
  for (const char* name : {"a", "b"}) {
    ASSERT_EQ(line.line.next(0)->name, name);
    line.line.drop(key(name));
  }
  EXPECT_EQ(line.send(), "c");
  line.wish("d");
  EXPECT_EQ(line.send(), "");
  line.now = line.line.next_at(0);
  EXPECT_GE(line.now, kSecondUs);
  EXPECT_EQ(line.send(), "d");
}

TEST(WriteLine, WhatIsPutOffComesBackBehindTheOthers) {
  Line line;
  line.wish("a");
  line.wish("b");
  line.line.put_off(*line.line.next(0), 0);
  EXPECT_EQ(line.send(), "b");
  EXPECT_EQ(line.send(), "");
  line.now = WriteLine::kLookAgainUs;
  EXPECT_EQ(line.send(), "a");
}

TEST(WriteLine, AnAnswerFromBeforeAClearCountsForNothing) {
  Line line;
  line.wish("a");
  line.send();
  line.line.clear();
  line.wish("a");
  EXPECT_EQ(line.answer("a", 503), WriteLine::Fate::Gone);
  EXPECT_EQ(line.send(), "a");
}

TEST(WriteLine, AClockThatIsSetBackNeitherFillsNorEmptiesTheBucket) {
  TokenBucket bucket({.per_second = 1, .burst = 2});
  EXPECT_TRUE(bucket.take(10 * kSecondUs));
  EXPECT_TRUE(bucket.take(0));
  EXPECT_FALSE(bucket.take(0));
  EXPECT_TRUE(bucket.take(kSecondUs));
}

}  // namespace
}  // namespace trellis::write_line_test
