#include "server/kube/watch/reflector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "server/kube/client/line_buffer.h"
#include "tests/server/kube/watch/scripted_api_server.h"
#include "tests/support/long_run.h"
#include "tests/support/random.h"

namespace trellis::reflector_test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using Do = Reflector::Step::Do;

const ApiKind kPod = {"v1", "Pod"};

Reflector::Options options(uint64_t seed = 1) {
  return {.path = "/api/v1/pods", .kind = kPod, .seed = seed, .failed = {}, .broken = {}};
}

std::string page(const std::string& version, const std::string& next, const std::string& items) {
  return R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":")" + version +
         R"(","continue":")" + next + R"("},"items":[)" + items + "]}";
}

std::string object(const std::string& name, const std::string& version) {
  return R"({"metadata":{"namespace":"n","name":")" + name + R"(","resourceVersion":")" + version +
         R"("}})";
}

std::string event(const std::string& type, const std::string& what) {
  return R"({"type":")" + type + R"(","object":)" + what + "}";
}

ApiAnswer good(std::string body) { return {200, std::move(body), "", 0}; }
const ApiAnswer kEnd = {200, "", "", 0};

std::vector<std::string> names(const ObjectStore& store) {
  std::vector<std::string> names;
  for (const auto& [name, text] : store.objects()) names.push_back(name);
  return names;
}

// Past every wait.
int64_t later(Reflector& reflector, int64_t now) {
  Reflector::Step step = reflector.next(now);
  return step.what == Do::Wait ? step.until_ms : now;
}

TEST(Reflector, ListsInPagesThenWatchesFromTheListsVersion) {
  ObjectStore store("pods");
  Reflector reflector(options(), store);
  EXPECT_EQ(reflector.next(0).target, "/api/v1/pods?limit=500");
  reflector.listed(0, good(page("7", "a b", object("x", "3"))));
  EXPECT_FALSE(store.synced());
  EXPECT_EQ(reflector.next(0).target, "/api/v1/pods?limit=500&continue=a%20b");
  reflector.listed(0, good(page("7", "", object("y", "9"))));
  EXPECT_TRUE(store.synced());
  EXPECT_EQ(names(store), (std::vector<std::string>{"n/x", "n/y"}));
  Reflector::Step step = reflector.next(0);
  EXPECT_EQ(step.what, Do::Watch);
  EXPECT_THAT(step.target, HasSubstr("?watch=1&allowWatchBookmarks=true&resourceVersion=7&"));
}

TEST(Reflector, ObjectsBearTheKindOfTheirList) {
  ObjectStore store("pods");
  Reflector reflector(options(), store);
  reflector.next(0);
  reflector.listed(0, good(page("7", "", object("x", "3"))));
  EXPECT_EQ(store.objects().begin()->second.str(),
            R"({"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"n","name":"x",)"
            R"("resourceVersion":"3"}})");
}

class Watching : public testing::Test {
 protected:
  Watching() : reflector(with_notes(), store) {
    reflector.next(0);
    reflector.listed(0, good(page("7", "", object("x", "3") + "," + object("y", "4"))));
    step = reflector.next(0);
  }
  Reflector::Options with_notes() {
    Reflector::Options with = options();
    with.failed = [this](const std::string& what) { failures.push_back(what); };
    with.broken = [this](const std::string& what) { broken.push_back(what); };
    return with;
  }
  std::string target_after(int64_t now) { return reflector.next(later(reflector, now)).target; }

  std::vector<std::string> failures;
  std::vector<std::string> broken;
  ObjectStore store{"pods"};
  Reflector reflector;
  Reflector::Step step;
};

TEST_F(Watching, FollowsEventsAndResumesBehindTheLast) {
  EXPECT_TRUE(reflector.take_line(event("ADDED", object("z", "8"))));
  EXPECT_TRUE(reflector.take_line(event("DELETED", object("x", "9"))));
  reflector.ended(400'000, kEnd);
  EXPECT_EQ(names(store), (std::vector<std::string>{"n/y", "n/z"}));
  EXPECT_THAT(reflector.next(400'000).target, HasSubstr("resourceVersion=9&"));
  EXPECT_THAT(failures, IsEmpty());
}

TEST_F(Watching, ABookmarkMovesTheVersionAlone) {
  reflector.take_line(event("BOOKMARK", R"({"metadata":{"resourceVersion":"50"}})"));
  reflector.ended(400'000, kEnd);
  EXPECT_THAT(reflector.next(400'000).target, HasSubstr("resourceVersion=50&"));
  EXPECT_EQ(store.size(), 2U);
}

TEST_F(Watching, OutlivesItsTimeByAMarginOnly) {
  EXPECT_GE(step.timeout_ms, Reflector::kLeastWatchS * 1000 + Reflector::kMarginMs);
  EXPECT_LE(step.timeout_ms, Reflector::kMostWatchS * 1000 + Reflector::kMarginMs);
}

TEST_F(Watching, TooOldInTheStreamListsAgainAndSwaps) {
  EXPECT_FALSE(reflector.take_line(
      event("ERROR", R"({"kind":"Status","code":410,"reason":"Expired","message":"too old"})")));
  reflector.ended(10, kEnd);
  EXPECT_EQ(target_after(10), "/api/v1/pods?limit=500");
  EXPECT_EQ(store.size(), 2U) << "what was read stands until the new list is whole";
  reflector.listed(2000, good(page("90", "p", object("a", "80"))));
  EXPECT_EQ(store.size(), 2U);
  reflector.listed(2000, good(page("90", "", object("b", "81"))));
  EXPECT_EQ(names(store), (std::vector<std::string>{"n/a", "n/b"}));
  EXPECT_THAT(failures, testing::ElementsAre(HasSubstr("410 Expired too old")));
}

TEST_F(Watching, AnyOtherErrorInTheStreamIsTriedAgainFromTheSameVersion) {
  EXPECT_FALSE(reflector.take_line(event("ERROR", R"({"code":500,"reason":"InternalError"})")));
  reflector.ended(10, kEnd);
  EXPECT_EQ(reflector.next(10).what, Do::Wait);
  EXPECT_THAT(target_after(10), HasSubstr("resourceVersion=7&"));
}

TEST_F(Watching, AConnectionThatBreaksIsNoReasonToList) {
  int64_t now = 0;
  for (int i = 0; i < 20; ++i) {
    reflector.ended(now, {0, "", "no connection", 0});
    EXPECT_THAT(target_after(now), HasSubstr("resourceVersion=7&"));
    now = later(reflector, now);
  }
}

TEST_F(Watching, AServerThatRefusesAgainAndAgainIsListedAgain) {
  int64_t now = 0;
  for (int i = 0; i < Reflector::kMostRefusals; ++i) {
    EXPECT_THAT(target_after(now), HasSubstr("watch=1"));
    reflector.ended(now, {400, R"({"code":400,"reason":"BadRequest"})", "", 0});
  }
  EXPECT_EQ(target_after(now), "/api/v1/pods?limit=500");
}

TEST_F(Watching, ABrokenObjectIsCountedReportedAndLeftOut) {
  EXPECT_TRUE(reflector.take_line(event("ADDED", R"({"metadata":{"resourceVersion":"8"}})")));
  EXPECT_TRUE(reflector.take_line(event("ADDED", R"("text")")));
  EXPECT_TRUE(reflector.take_line(event("MODIFIED", R"({"a":tru})")));
  EXPECT_TRUE(reflector.take_line(event("ADDED", object("z", "9"))));
  EXPECT_EQ(reflector.figures().broken, 3);
  EXPECT_EQ(broken.size(), 3U);
  EXPECT_EQ(names(store), (std::vector<std::string>{"n/x", "n/y", "n/z"}));
  EXPECT_EQ(reflector.figures().failures, 0);
}

TEST_F(Watching, WhatIsNoEventMeansThatSomethingIsLost) {
  EXPECT_FALSE(reflector.take_line("<html>"));
  reflector.ended(10, kEnd);
  EXPECT_EQ(target_after(10), "/api/v1/pods?limit=500");
}

TEST_F(Watching, WhatCouldNotBeTakenIsListedAgain) {
  reflector.take_line(event("ADDED", object("z", "8")));
  reflector.lose("too long");
  // The reader stopped reading: the stream itself was good.
  reflector.ended(400'000, kEnd);
  EXPECT_EQ(target_after(400'000), "/api/v1/pods?limit=500");
  EXPECT_THAT(failures, testing::ElementsAre("watch: too long"));
}

TEST_F(Watching, AWatchThatEndsAtOnceIsNotAskedForAtOnce) {
  reflector.ended(1, kEnd);
  EXPECT_EQ(reflector.next(1).what, Do::Wait);
  EXPECT_THAT(target_after(1), HasSubstr("resourceVersion=7&"));
}

TEST_F(Watching, TheServersWordOnWhenToComeBackHolds) {
  reflector.ended(0, {429, "", "", 45'000});
  EXPECT_GE(reflector.next(0).until_ms, 45'000);
}

TEST(Reflector, ABrokenItemOfAListCostsNoneOfTheOthers) {
  ObjectStore store("pods");
  Reflector reflector(options(), store);
  reflector.next(0);
  reflector.listed(0, good(page("7", "", R"({"spec":nul},[1],{},)" + object("x", "3"))));
  EXPECT_EQ(names(store), std::vector<std::string>{"n/x"});
  EXPECT_EQ(reflector.figures().broken, 3);
}

TEST(Reflector, AListThatBreaksOffStartsAgain) {
  ObjectStore store("pods");
  Reflector reflector(options(), store);
  reflector.next(0);
  reflector.listed(0, good(page("7", "p", object("x", "3"))));
  reflector.listed(0, {410, R"({"code":410,"reason":"Expired"})", "", 0});
  int64_t now = later(reflector, 0);
  EXPECT_EQ(reflector.next(now).target, "/api/v1/pods?limit=500");
  reflector.listed(now, good(page("9", "", object("y", "8"))));
  EXPECT_EQ(names(store), std::vector<std::string>{"n/y"});
}

TEST(Backoff, DoublesWithJitterAndStartsAgainOnceHealthy) {
  Backoff backoff(3);
  int64_t now = 0;
  int64_t least = Backoff::kFirstMs;
  for (int i = 0; i < 12; ++i) {
    int64_t wait = backoff.wait_ms(now);
    EXPECT_GE(wait, least);
    EXPECT_LE(wait, least + least / 2);
    now += wait;
    least = std::min(2 * least, Backoff::kMostMs);
  }
  now += Backoff::kHealthyMs;
  EXPECT_LE(backoff.wait_ms(now), Backoff::kFirstMs * 3 / 2);
}

TEST(RetryAfter, IsSecondsUpToAMinute) {
  EXPECT_EQ(retry_after_ms("7"), 7000);
  EXPECT_EQ(retry_after_ms("61"), 60'000);
  EXPECT_EQ(retry_after_ms("9223372036854775"), 60'000);
  EXPECT_EQ(retry_after_ms("9223372036854775807"), 60'000);
  EXPECT_EQ(retry_after_ms("99999999999999999999"), 60'000);
  EXPECT_EQ(retry_after_ms("-99999999999999999999"), 0);
  EXPECT_EQ(retry_after_ms("-1"), 0);
  EXPECT_EQ(retry_after_ms("Fri, 31 Dec 1999 23:59:59 GMT"), 0);
  EXPECT_EQ(retry_after_ms(""), 0);
}

TEST(LineBuffer, JoinsPiecesAndRefusesWhatNeverEnds) {
  LineBuffer lines;
  std::vector<std::string> read;
  auto take = [&](const std::string& line) {
    read.push_back(line);
    return line != "stop";
  };
  EXPECT_TRUE(lines.add("a", take));
  EXPECT_TRUE(lines.add("b\n\nc\nd", take));
  EXPECT_FALSE(lines.add("\nstop\nmore\n", take));
  EXPECT_EQ(read, (std::vector<std::string>{"ab", "c", "d", "stop"}));
  LineBuffer endless;
  std::string long_piece(LineBuffer::kMostLineBytes, 'x');
  EXPECT_TRUE(endless.add(long_piece, take));
  EXPECT_FALSE(endless.too_long());
  EXPECT_FALSE(endless.add("y", take));
  EXPECT_TRUE(endless.too_long());
  EXPECT_FALSE(lines.too_long());
}

// A reflector and a server under one virtual clock.
class Simulation {
 public:
  explicit Simulation(uint64_t seed)
      : random_(seed), server_(seed + 1), reflector_(options(seed), store_) {}

  ObjectStore& store() { return store_; }
  test::ScriptedApiServer& server() { return server_; }

  // Objects come, change and go, and the reflector follows, for so long, in such steps.
  void run(int64_t for_ms, int64_t step_ms, uint32_t changes) {
    for (int64_t until = now_ + for_ms; now_ < until; now_ += step_ms) {
      if (random_.chance(changes)) churn();
      if (changes > 0 && random_.chance(1)) server_.restart();
      turn();
      check();
    }
  }

  // What the server has is what the store has.
  void expect_equal() const {
    std::map<std::string, int64_t> held;
    for (const auto& [name, text] : store_.objects()) held[name.substr(2)] = version_of(text.str());
    EXPECT_EQ(held, server_.objects());
  }

 private:
  static int64_t version_of(const std::string& text) {
    const std::string key = R"("resourceVersion":")";
    return std::stoll(text.substr(text.find(key) + key.size()));
  }

  void churn() {
    std::string name = "p" + std::to_string(random_.below(12));
    if (random_.chance(30)) {
      server_.remove(name);
    } else {
      server_.put(name);
    }
  }

  void turn() {
    if (!watching_) {
      Reflector::Step step = reflector_.next(now_);
      if (step.what == Do::List) reflector_.listed(now_, server_.list(step.target));
      if (step.what == Do::Watch) begin_watch(step);
      return;
    }
    std::optional<ApiAnswer> end;
    std::string text = server_.read(now_, end);
    if (!text.empty()) last_text_ms_ = now_;
    bool more = feed(text);
    if (!more) {
      end = ApiAnswer{200, "", "", 0};
    } else if (!end && now_ - last_text_ms_ >= timeout_ms_) {
      end = ApiAnswer{200, "", "silent for too long", 0};
    }
    if (!end) return;
    watching_ = false;
    reflector_.ended(now_, *end);
  }

  void begin_watch(const Reflector::Step& step) {
    ApiAnswer answer;
    if (!server_.open(step.target, now_, answer)) return reflector_.ended(now_, answer);
    watching_ = true;
    last_text_ms_ = now_;
    timeout_ms_ = step.timeout_ms;
    lines_ = LineBuffer();
  }

  // In pieces of any size.
  bool feed(std::string_view text) {
    bool more = true;
    while (more && !text.empty()) {
      std::string_view piece = text.substr(0, 1 + random_.below(60));
      text.remove_prefix(piece.size());
      more = lines_.add(piece, [&](const std::string& line) { return reflector_.take_line(line); });
    }
    return more;
  }

  // No object is ever older than it was, and none that went comes back as it was.
  void check() {
    std::map<std::string, int64_t> held;
    for (const auto& [name, text] : store_.objects()) {
      int64_t version = version_of(text.str());
      ASSERT_GE(version, newest_[name]) << name << " went back in time";
      held[name] = newest_[name] = version;
    }
    for (const auto& [name, version] : held_) {
      if (!held.contains(name)) newest_[name] = version + 1;
    }
    held_ = std::move(held);
    ASSERT_FALSE(was_synced_ && !store_.synced());
    was_synced_ = store_.synced();
  }

  Random random_;
  test::ScriptedApiServer server_;
  ObjectStore store_{"pods"};
  Reflector reflector_;
  LineBuffer lines_;
  std::map<std::string, int64_t> held_;    // at the last look
  std::map<std::string, int64_t> newest_;  // that ever was seen, and that may come yet
  bool was_synced_ = false;
  bool watching_ = false;
  int64_t last_text_ms_ = 0;
  int64_t timeout_ms_ = 0;
  int64_t now_ = 0;
};

TEST(ReflectorFaults, NothingIsLostAndNothingGoesBackInTime) {
  uint64_t seeds = long_run(1000, 100'000);
  for (uint64_t seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Simulation simulation(seed);
    for (int i = 0; i < 5; ++i) simulation.server().put("p" + std::to_string(i));
    simulation.run(120'000, 250, 20);
    simulation.server().faulty = false;
    // A peer that died is found out by its silence, at the latest.
    simulation.run(1000 * Reflector::kMostWatchS + 2 * Reflector::kMarginMs + 60'000, 2000, 0);
    EXPECT_TRUE(simulation.store().synced());
    simulation.expect_equal();
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace trellis::reflector_test
