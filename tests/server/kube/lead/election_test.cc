#include "server/kube/lead/election.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/long_run.h"
#include "tests/support/random.h"

namespace trellis::election_test {
namespace {

using testing::HasSubstr;
using testing::Not;
using Do = Election::Step::Do;

constexpr TimeUs kNoon = 1'767'268'800 * kSecondUs;  // 2026-01-01T12:00:00Z

Election::Options candidate(const std::string& identity, uint64_t seed = 1) {
  return {.name_space = "kube-system", .name = "trellis", .identity = identity, .seed = seed};
}

// The one Lease of an API server.
class LeaseServer {
 public:
  ApiAnswer apply(const ApiRequest& request) {
    if (request.method == "GET") return text_.empty() ? status(404) : good(200);
    if (request.method == "POST") {
      if (!text_.empty()) return status(409);
      std::string body = request.body;
      const std::string metadata = R"("metadata":{)";
      body.insert(body.find(metadata) + metadata.size(), R"("resourceVersion":"",)");
      return store(body, "", 201);
    }
    if (text_.empty()) return status(404);
    Result<LeaseRecord> record = parse_lease(request.body);
    if (!record || record->resource_version != std::to_string(version_)) return status(409);
    return store(request.body, record->resource_version, 200);
  }
  void remove() { text_.clear(); }
  // Another writer's data: an annotation, or the like.
  void touch() {
    if (!text_.empty()) store(text_, std::to_string(version_), 200);
  }
  LeaseRecord record() const { return parse_lease(text_).value(); }

 private:
  static ApiAnswer status(int code) {
    return {code, R"({"kind":"Status","code":)" + std::to_string(code) + "}", "", 0};
  }
  ApiAnswer good(int code) const { return {code, text_, "", 0}; }
  ApiAnswer store(std::string body, const std::string& before, int code) {
    const std::string key = R"("resourceVersion":")";
    body.replace(body.find(key) + key.size(), before.size(), std::to_string(++version_));
    text_ = std::move(body);
    return good(code);
  }

  std::string text_;
  int64_t version_ = 7;
};

class ElectionTest : public testing::Test {
 protected:
  // All that it does at this time; false: it ended.
  bool turn(Election& election, int64_t now, TimeUs wall = kNoon) {
    for (Election::Step step = election.next(now, wall); step.what != Do::Wait;
         step = election.next(now, wall)) {
      if (step.what == Do::End) return false;
      requests.push_back(step.request.method);
      election.answered(now, server.apply(step.request));
    }
    return true;
  }
  // Until a time, as often as it likes.
  void follow(Election& election, int64_t from, int64_t until, TimeUs wall = kNoon) {
    for (int64_t now = from; now <= until; now += 50) turn(election, now, wall);
  }

  LeaseServer server;
  std::vector<std::string> requests;
  Election a{candidate("a")};
  Election b{candidate("b", 2)};
};

TEST_F(ElectionTest, TheFirstMakesTheLeaseAndLeads) {
  turn(a, 1000);
  EXPECT_EQ(requests, (std::vector<std::string>{"GET", "POST"}));
  EXPECT_EQ(a.leads_until_ms(), 1000 + Election::kLeadMs);
  LeaseRecord record = server.record();
  EXPECT_EQ(record.holder, "a");
  EXPECT_EQ(record.duration_s, 15);
  EXPECT_EQ(record.transitions, 0);
  EXPECT_EQ(record.renewed, "2026-01-01T12:00:00.000000Z");
  EXPECT_EQ(record.acquired, record.renewed);
}

TEST_F(ElectionTest, TheLeadCountsFromTheBeginningOfTheRequest) {
  a.answered(1000, server.apply(a.next(1000, kNoon).request));
  ApiRequest create = a.next(1000, kNoon).request;
  ASSERT_EQ(create.method, "POST");
  a.answered(3500, server.apply(create));
  EXPECT_EQ(a.leads_until_ms(), 1000 + Election::kLeadMs);
}

TEST_F(ElectionTest, RenewalsKeepTheLeadAndTheTimeOfTaking) {
  follow(a, 0, 60'000);
  EXPECT_GT(a.leads_until_ms(), 60'000 + Election::kLeadMs - Election::kRetryMs - 1000);
  follow(a, 60'050, 63'000, kNoon + 90 * kSecondUs);
  EXPECT_EQ(server.record().renewed, "2026-01-01T12:01:30.000000Z");
  EXPECT_EQ(server.record().acquired, "2026-01-01T12:00:00.000000Z");
  EXPECT_EQ(server.record().transitions, 0);
}

TEST_F(ElectionTest, AnotherTakesOverWhenTheRecordStandsStillForItsTime) {
  turn(a, 0);
  turn(b, 500);
  EXPECT_EQ(b.holder(), "a");
  follow(b, 550, 500 + Election::kLeaseMs - 50);
  EXPECT_EQ(b.leads_until_ms(), 0);
  follow(b, 500 + Election::kLeaseMs, 500 + Election::kLeaseMs);
  EXPECT_GT(b.leads_until_ms(), 0);
  EXPECT_EQ(server.record().holder, "b");
  EXPECT_EQ(server.record().transitions, 1);
}

TEST_F(ElectionTest, WhatTheRecordSaysOfTimeIsNotBelieved) {
  turn(a, 0, kNoon - 3600 * kSecondUs);  // an hour behind
  follow(b, 0, Election::kLeaseMs - 100);
  EXPECT_EQ(b.leads_until_ms(), 0);
  // Nor does a jump of the own clock matter.
  Election ahead(candidate("c", 3));
  for (int64_t now = 0; now < Election::kLeaseMs - 100; now += 50) {
    turn(ahead, now, kNoon + now * 1'000'000);
  }
  EXPECT_EQ(ahead.leads_until_ms(), 0);
  turn(a, 14'950, kNoon - 7200 * kSecondUs);
  EXPECT_GT(a.leads_until_ms(), 14'950);
}

TEST_F(ElectionTest, AnyWriteOfTheLeaderStartsTheWaitAgain) {
  turn(a, 0);
  follow(b, 0, 14'000);
  turn(a, 14'000);
  follow(b, 14'050, 28'000);
  EXPECT_EQ(b.leads_until_ms(), 0);
}

TEST_F(ElectionTest, AnotherDurationIsTheOtherOnesMatter) {
  turn(a, 0);
  LeaseRecord longer = server.record();
  longer.holder = "another program";
  longer.duration_s = 60;
  server.apply({.method = "PUT", .target = {}, .body = lease_json(longer, "n", "l")});
  follow(b, 0, 59'000);
  EXPECT_EQ(b.leads_until_ms(), 0);
  follow(b, 59'050, 60'050);
  EXPECT_GT(b.leads_until_ms(), 0);
}

TEST_F(ElectionTest, WhatIsReleasedIsTakenAtOnce) {
  turn(a, 0);
  turn(b, 100);
  a.release();
  EXPECT_EQ(a.leads_until_ms(), 0);
  EXPECT_FALSE(turn(a, 200));
  EXPECT_EQ(server.record().holder, "");
  EXPECT_EQ(server.record().duration_s, 1);
  follow(b, 250, 250 + Election::kLookMs + Election::kJitterMs);
  EXPECT_EQ(server.record().holder, "b");
  // One that leads nothing has nothing to give up.
  Election c(candidate("c", 3));
  turn(c, 2000);
  c.release();
  EXPECT_FALSE(turn(c, 2000));
  EXPECT_EQ(server.record().holder, "b");
}

TEST_F(ElectionTest, AWriteWhoseAnswerIsLostIsFoundOut) {
  turn(a, 0);
  Election::Step step = a.next(2500, kNoon);
  ASSERT_EQ(step.request.method, "PUT");
  server.apply(step.request);
  a.answered(2500 + Election::kAnswerMs, {0, "", "silent for too long", 0});
  EXPECT_EQ(a.leads_until_ms(), Election::kLeadMs) << "not known to be written: no longer lead";
  EXPECT_EQ(a.failures(), 1);
  turn(a, 6000);
  EXPECT_EQ(a.leads_until_ms(), 6000 + Election::kLeadMs);
}

TEST_F(ElectionTest, WhatWasTakenByAnotherIsLedNoMore) {
  turn(a, 0);
  follow(b, 0, Election::kLeaseMs);
  ASSERT_EQ(server.record().holder, "b");
  for (int64_t now = Election::kLeaseMs; now < Election::kLeaseMs + 1000; now += 50) turn(a, now);
  EXPECT_EQ(a.leads_until_ms(), 0);
  EXPECT_EQ(a.holder(), "b");
}

TEST_F(ElectionTest, ALeaseThatIsRemovedIsMadeAgain) {
  turn(a, 0);
  server.remove();
  follow(a, 50, 4000);
  EXPECT_EQ(server.record().holder, "a");
  EXPECT_GT(a.leads_until_ms(), 4000);
}

TEST_F(ElectionTest, ALeaseThatIsRemovedStillCountsAsHeldForItsTime) {
  turn(a, 0);
  turn(b, 0);
  server.remove();
  follow(b, 50, Election::kLeaseMs - 50);
  EXPECT_EQ(b.leads_until_ms(), 0);
  follow(b, Election::kLeaseMs, Election::kLeaseMs);
  EXPECT_GT(b.leads_until_ms(), 0);
}

TEST_F(ElectionTest, OthersLabelsAndAnnotationsAreKept) {
  turn(a, 0);
  LeaseRecord marked = server.record();
  marked.labels = R"({"app":"x"})";
  marked.annotations = R"({"note":"\"y\""})";
  server.apply({.method = "PUT", .target = {}, .body = lease_json(marked, "n", "l")});
  int64_t transitions = server.record().transitions;
  follow(a, 50, 6000);
  EXPECT_EQ(server.record().labels, marked.labels);
  EXPECT_EQ(server.record().annotations, marked.annotations);
  EXPECT_EQ(server.record().transitions, transitions);
  EXPECT_GT(a.leads_until_ms(), 6000);
}

TEST(LeaseRecord, AnAnswerThatIsNoneIsAnError) {
  EXPECT_FALSE(parse_lease("<html>"));
  EXPECT_FALSE(parse_lease(R"({"kind":"Status"})"));
  EXPECT_FALSE(parse_lease(R"({"kind":"Lease","metadata":{"name":"x"}})"))
      << "a write without a version would overwrite anything";
}

// Candidates whose clocks go at rates and from beginnings of their own, an API server, and a
// network that delays and loses.
class ElectionSimulation {
 public:
  explicit ElectionSimulation(uint64_t seed) : random_(seed) {
    size_t count = 2 + random_.below(2);
    for (size_t i = 0; i < count; ++i) candidates_.push_back(fresh());
  }

  void run(int64_t for_ms) {
    for (int64_t until = now_ + for_ms; now_ < until; now_ += kStepMs) {
      if (faulty_) break_things();
      deliver();
      for (Candidate& one : candidates_) turn(one);
      ASSERT_LE(leaders(), 1) << "two lead at " << now_;
    }
  }
  int leaders() const {
    int count = 0;
    for (const Candidate& one : candidates_) {
      count += one.local(now_) < one.election->leads_until_ms() ? 1 : 0;
    }
    return count;
  }
  // The one that leads gives up.
  void release() {
    for (Candidate& one : candidates_) {
      if (one.local(now_) < one.election->leads_until_ms()) one.releasing = true;
    }
  }

  // No more faults; what was still on its way arrives.
  void calm() {
    faulty_ = false;
    for (Message& message : messages_) message.arrives_ms = std::min(message.arrives_ms, now_);
  }

 private:
  static constexpr int64_t kStepMs = 100;

  struct Candidate {
    std::unique_ptr<Election> election;
    int64_t begin_ms = 0;
    int64_t per_mille = 1000;  // how fast its clock goes
    int64_t paused_until_ms = 0;
    int64_t asked = 0;  // the request that it waits for; 0: none
    int64_t give_up_ms = 0;
    bool releasing = false;
    std::optional<ApiAnswer> answer;
    int64_t local(int64_t now) const { return begin_ms + now * per_mille / 1000; }
  };
  struct Message {
    size_t from = 0;
    int64_t number = 0;
    int64_t arrives_ms = 0;  // at the server, if ever
    int64_t back_ms = 0;
    ApiRequest request;
    std::optional<ApiAnswer> answer;
  };

  Candidate fresh() {
    Candidate one;
    std::string name = "c" + std::to_string(++joined_);
    one.election = std::make_unique<Election>(candidate(name, random_.next()));
    one.begin_ms = random_.between(0, 1'000'000'000);
    one.per_mille = random_.between(900, 1100);
    return one;
  }

  void break_things() {
    if (random_.below(300) == 0) down_until_ms_ = now_ + random_.between(0, 25'000);
    if (random_.below(500) == 0) server_.touch();
    for (Candidate& one : candidates_) {
      if (random_.below(400) == 0) one.paused_until_ms = now_ + random_.between(0, 40'000);
      if (random_.below(600) == 0) one.releasing = true;
      // It is killed; what it sent is on its way.
      if (random_.below(600) == 0) one = fresh();
    }
  }

  void deliver() {
    for (Message& message : messages_) {
      if (!message.answer && message.arrives_ms <= now_) {
        message.answer =
            down() ? ApiAnswer{0, "", "no connection", 0} : server_.apply(message.request);
      }
      if (!message.answer || message.back_ms > now_) continue;
      for (Candidate& one : candidates_) {
        if (one.asked == message.number) one.answer = message.answer;
      }
      message.number = -1;
    }
    std::erase_if(messages_, [](const Message& message) { return message.number < 0; });
  }

  bool down() const { return faulty_ && now_ < down_until_ms_; }

  void turn(Candidate& one) {
    if (faulty_ && now_ < one.paused_until_ms) return;
    int64_t local = one.local(now_);
    if (one.asked > 0) {
      if (!one.answer && local < one.give_up_ms) return;
      one.asked = 0;
      one.election->answered(local, one.answer.value_or(ApiAnswer{0, "", "silent", 0}));
      one.answer.reset();
      return;
    }
    if (one.releasing) one.election->release();
    Election::Step step = one.election->next(local, kNoon + random_.between(-1, 1) * kNoon / 2);
    if (step.what == Do::End) {
      // It ends, and another begins.
      one = fresh();
      return;
    }
    if (step.what == Do::Ask) send(one, local, std::move(step.request));
  }

  void send(Candidate& one, int64_t local, ApiRequest request) {
    one.asked = ++last_message_;
    one.give_up_ms = local + Election::kAnswerMs;
    // A process may be held up between the look at its clock and the request.
    Message message{.number = one.asked,
                    .arrives_ms = now_ + delay(),
                    .back_ms = 0,
                    .request = std::move(request),
                    .answer = {}};
    message.back_ms = message.arrives_ms + delay();
    if (faulty_ && random_.chance(5)) return;                       // it is lost
    if (faulty_ && random_.chance(5)) message.back_ms = INT64_MAX;  // its answer is
    if (faulty_ && random_.chance(3)) message.arrives_ms = now_ + random_.between(0, 30'000);
    messages_.push_back(std::move(message));
  }

  int64_t delay() { return faulty_ && random_.chance(10) ? random_.between(0, 4000) : 0; }

  Random random_;
  bool faulty_ = true;
  LeaseServer server_;
  std::vector<Candidate> candidates_;
  std::vector<Message> messages_;
  int64_t now_ = 0;
  int64_t down_until_ms_ = 0;
  int64_t last_message_ = 0;
  int joined_ = 0;
};

TEST(ElectionFaults, NeverDoTwoLeadAndSoonOneDoes) {
  // The clocks of this test go up to a tenth too slowly.
  constexpr int64_t kSoon =
      (Election::kLeaseMs + Election::kRetryMs + Election::kAnswerMs + 2000) * 10 / 9;
  uint64_t seeds = long_run(1000, 100'000);
  int led = 0;
  for (uint64_t seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    ElectionSimulation simulation(seed);
    simulation.run(60'000);
    led += simulation.leaders();
    simulation.run(60'000);
    simulation.calm();
    simulation.run(kSoon);
    EXPECT_EQ(simulation.leaders(), 1);
    simulation.run(20'000);
    EXPECT_EQ(simulation.leaders(), 1) << "and it stays";
    simulation.release();
    simulation.run(1000 + (Election::kLookMs + Election::kJitterMs) * 10 / 9);
    EXPECT_EQ(simulation.leaders(), 1) << "and hands over at once";
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(led, static_cast<int>(seeds / 4)) << "the faults leave room for leading";
}

}  // namespace
}  // namespace trellis::election_test
