#include "server/kube/status/write_queue.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace trellis::write_queue_test {
namespace {

WriteKey key(const std::string& name) { return {.kind = "Pod", .name = name}; }

struct Queue {
  WriteQueue writes;
  TimeUs now = 0;

  explicit Queue(const WriteQueue::Options& options = {.rate = {.per_second = 1000, .burst = 1000}})
      : writes(options) {}

  void add(const std::string& name) { writes.add(key(name), now); }
  // The next one, sent; "" when it is no write's turn.
  std::string send() {
    auto next = writes.next(now);
    if (!next) return "";
    writes.sent(*next, now);
    return next->name;
  }
  WriteQueue::Fate answer(const std::string& name, int status, int64_t retry_after_ms = 0) {
    return writes.done(key(name), {.status = status, .retry_after_ms = retry_after_ms}, now);
  }
};

TEST(WriteQueue, GoesInTurnAndEachOnce) {
  Queue queue;
  queue.add("b");
  queue.add("a");
  queue.add("b");
  EXPECT_EQ(queue.send(), "b");
  EXPECT_EQ(queue.send(), "a");
  EXPECT_EQ(queue.send(), "");
}

TEST(WriteQueue, AKeyThatIsAddedInFlightIsQueuedAgain) {
  Queue queue;
  queue.add("a");
  queue.send();
  queue.add("a");
  EXPECT_EQ(queue.send(), "");
  EXPECT_EQ(queue.answer("a", 200), WriteQueue::Fate::Written);
  EXPECT_EQ(queue.send(), "") << "the write is not seen yet";
  queue.now += WriteQueue::kDelayUs;
  EXPECT_EQ(queue.send(), "a");
  queue.answer("a", 200);
  EXPECT_EQ(queue.writes.size(), 0);
}

TEST(WriteQueue, BacksOffLongerWithEachFailure) {
  Queue queue;
  queue.add("a");
  TimeUs wait = WriteQueue::kFirstBackoffUs;
  for (int i = 0; i < 12; ++i) {
    EXPECT_EQ(queue.send(), "a");
    EXPECT_EQ(queue.answer("a", 503), WriteQueue::Fate::Again);
    EXPECT_EQ(queue.writes.next_at(queue.now), queue.now + wait);
    queue.now += wait - 1;
    EXPECT_EQ(queue.send(), "");
    queue.now += 1;
    wait = std::min(2 * wait, WriteQueue::kMostBackoffUs);
  }
}

TEST(WriteQueue, DistinguishesTransientFailuresFromRefusals) {
  Queue queue;
  for (auto [status, fate] :
       {std::pair(409, WriteQueue::Fate::Again), std::pair(429, WriteQueue::Fate::Again),
        std::pair(403, WriteQueue::Fate::Again), std::pair(0, WriteQueue::Fate::Again),
        std::pair(404, WriteQueue::Fate::Gone), std::pair(422, WriteQueue::Fate::Refused)}) {
    queue.writes.clear();
    queue.add("a");
    queue.send();
    EXPECT_EQ(queue.answer("a", status), fate) << status;
    EXPECT_EQ(queue.writes.size(), fate == WriteQueue::Fate::Again ? 1 : 0) << status;
  }
}

TEST(WriteQueue, TheServerMayAskAllToWait) {
  Queue queue;
  queue.add("a");
  queue.add("b");
  queue.send();
  queue.answer("a", 429, 3000);
  EXPECT_EQ(queue.send(), "");
  EXPECT_EQ(queue.writes.next_at(queue.now), 3 * kSecondUs);
  queue.now = 3 * kSecondUs;
  EXPECT_EQ(queue.send(), "b");
  EXPECT_EQ(queue.send(), "a");
}

TEST(WriteQueue, OnlySoManyAreInFlight) {
  Queue queue({.rate = {.per_second = 1000, .burst = 1000}, .most_in_flight = 2});
  for (const char* name : {"a", "b", "c"}) queue.add(name);
  queue.send();
  queue.send();
  EXPECT_EQ(queue.send(), "");
  EXPECT_EQ(queue.writes.next_at(queue.now), kNoTime);
  queue.answer("a", 200);
  EXPECT_EQ(queue.send(), "c");
}

TEST(WriteQueue, WhatIsDroppedCostsNoToken) {
  Queue queue({.rate = {.per_second = 1, .burst = 1}});
  for (const char* name : {"a", "b", "c"}) queue.add(name);
  for (const char* name : {"a", "b"}) {
    ASSERT_EQ(queue.writes.next(0)->name, name);
    queue.writes.drop(key(name));
  }
  EXPECT_EQ(queue.send(), "c");
  queue.add("d");
  EXPECT_EQ(queue.send(), "");
  queue.now = queue.writes.next_at(0);
  EXPECT_GE(queue.now, kSecondUs);
  EXPECT_EQ(queue.send(), "d");
}

TEST(WriteQueue, ADelayedKeyComesBackBehindTheOthers) {
  Queue queue;
  queue.add("a");
  queue.add("b");
  queue.writes.delay(*queue.writes.next(0), 0);
  EXPECT_EQ(queue.send(), "b");
  EXPECT_EQ(queue.send(), "");
  queue.now = WriteQueue::kDelayUs;
  EXPECT_EQ(queue.send(), "a");
}

TEST(WriteQueue, AnAnswerFromBeforeAClearIsIgnored) {
  Queue queue;
  queue.add("a");
  queue.send();
  queue.writes.clear();
  queue.add("a");
  EXPECT_EQ(queue.answer("a", 503), WriteQueue::Fate::Gone);
  EXPECT_EQ(queue.send(), "a");
}

TEST(WriteQueue, AClockThatIsSetBackNeitherFillsNorEmptiesTheBucket) {
  TokenBucket bucket({.per_second = 1, .burst = 2});
  EXPECT_TRUE(bucket.take(10 * kSecondUs));
  EXPECT_TRUE(bucket.take(0));
  EXPECT_FALSE(bucket.take(0));
  EXPECT_TRUE(bucket.take(kSecondUs));
}

}  // namespace
}  // namespace trellis::write_queue_test
