#include "server/kube/status/event_book.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/document/json_objects.h"

namespace trellis::event_book_test {
namespace {

using testing::HasSubstr;

ClusterEvent event(const std::string& name, const std::string& note = "no room") {
  return {.subject = {"v1", "Pod", "default", name, "uid-" + name},
          .type = EventType::Warning,
          .reason = "FailedScheduling",
          .action = "Scheduling",
          .note = note};
}

struct Book {
  EventBook book;
  TimeUs now = 1'800'000'000 * kSecondUs + 7;

  explicit Book(const Rate& rate = {.per_second = 1000, .burst = 1000}, size_t most_waiting = 10)
      : book({.rate = rate, .instance = "here", .most_waiting = most_waiting}) {}

  // The next write, taken; without a method: there is none.
  ApiRequest next_write(int status = 201) {
    auto write = book.next(now);
    if (!write) return {.method = ""};
    book.done(write->ticket, {.status = status}, now);
    return write->request;
  }
};

TEST(EventBook, AnEventSaysWhoWhatAndWhen) {
  Book book;
  book.book.say(event("a"), book.now);
  ApiRequest request = book.next_write();
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.target, "/apis/events.k8s.io/v1/namespaces/default/events");
  Json body = parse_object(request.body);
  EXPECT_EQ(body["eventTime"], "2027-01-15T08:00:00.000007Z");
  EXPECT_EQ(body["regarding"]["name"], "a");
  EXPECT_EQ(body["regarding"]["uid"], "uid-a");
  EXPECT_EQ(body["reportingInstance"], "here");
  EXPECT_EQ(body["type"], "Warning");
  EXPECT_EQ(body["note"], "no room");
  EXPECT_FALSE(body.contains("series"));
  EXPECT_THAT(text_at(body["metadata"], "name"), testing::StartsWith("a."));
}

TEST(EventBook, TheSameAgainIsCountedOnceAMinute) {
  Book book;
  book.book.say(event("a"), book.now);
  std::string name = text_at(parse_object(book.next_write().body)["metadata"], "name");
  for (int i = 0; i < 5; ++i) {
    book.now += kSecondUs;
    book.book.say(event("a"), book.now);
    EXPECT_EQ(book.next_write().method, "");
  }
  book.now = book.book.next_at(book.now);
  ApiRequest again = book.next_write();
  EXPECT_EQ(again.method, "PATCH");
  EXPECT_EQ(again.target, "/apis/events.k8s.io/v1/namespaces/default/events/" + name);
  EXPECT_EQ(again.body,
            R"({"series":{"count":6,"lastObservedTime":"2027-01-15T08:00:05.000007Z"}})");
  EXPECT_EQ(book.next_write().method, "");
  EXPECT_EQ(book.book.next_at(book.now), kNoTime);
  book.book.say(event("a", "still no room"), book.now);
  EXPECT_EQ(book.next_write().method, "POST") << "other words are another event";
}

TEST(EventBook, WhatCannotBeSentIsDroppedAndCounted) {
  Book book({.per_second = 1, .burst = 1}, /*most_waiting=*/2);
  for (const char* name : {"a", "b", "c", "d"}) book.book.say(event(name), book.now);
  EXPECT_EQ(book.book.dropped(), 2);
  EXPECT_EQ(book.next_write().method, "POST");
  EXPECT_EQ(book.next_write().method, "") << "one a second";
  book.now += 2 * kSecondUs;
  EXPECT_EQ(book.next_write().method, "POST");
  EXPECT_EQ(book.next_write().method, "");
}

TEST(EventBook, ARefusedOneIsSentAgainWhenItIsSetAgain) {
  Book book;
  book.book.say(event("a"), book.now);
  book.next_write(500);
  EXPECT_EQ(book.book.dropped(), 1);
  EXPECT_EQ(book.next_write().method, "");
  book.book.say(event("a"), book.now);
  EXPECT_EQ(book.next_write().method, "POST");
  // The series goes on after the server has thrown its event away.
  book.book.say(event("a"), book.now);
  book.now += EventBook::kSeriesUs;
  EXPECT_EQ(book.next_write(404).method, "PATCH");
  book.book.say(event("a"), book.now);
  EXPECT_EQ(book.next_write().method, "POST");
}

TEST(EventBook, LongNotesAreCutBetweenLetters) {
  Book book;
  std::string note;
  while (note.size() < 2000) note += "\u00e9";
  book.book.say(event("a", note), book.now);
  std::string written = text_at(parse_object(book.next_write().body), "note");
  EXPECT_LE(written.size(), EventBook::kMostNoteBytes);
  EXPECT_TRUE(written.ends_with("\u00e9..."));
}

}  // namespace
}  // namespace trellis::event_book_test
