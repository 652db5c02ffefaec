#include "server/kube/bind_book.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/server/kube/scripted_pods.h"
#include "tests/support/long_run.h"
#include "tests/support/random.h"

namespace trellis {
namespace {

using test::ScriptedPods;
using testing::ElementsAre;
using testing::IsEmpty;
using What = PodEvent::What;

PodWrite bind_of(const std::string& name, const std::string& uid, const std::string& node) {
  PodWrite write;
  write.name_space = "n";
  write.name = name;
  write.uid = uid;
  write.node = node;
  write.gang = "n/g";
  return write;
}

PodWrite eviction_of(const std::string& name, const std::string& uid) {
  PodWrite write = bind_of(name, uid, "");
  write.kind = PodWrite::Kind::Evict;
  return write;
}

ApiAnswer status(int code, int64_t retry_after_ms = 0) { return {code, "", "", retry_after_ms}; }
ApiAnswer pod_answer(const std::string& uid, const std::string& node) {
  return {200,
          R"({"metadata":{"uid":")" + uid + R"("},"spec":{)" +
              (node.empty() ? "" : R"("nodeName":")" + node + R"(")") + "}}",
          "", 0};
}
const ApiAnswer kLost = {0, "", "the connection broke off", 0};

class Book : public testing::Test {
 protected:
  // What is sent next, once waits are over.
  BindBook::Send sent() {
    now = std::max(now, book.next_ms());
    auto send = book.next(now);
    EXPECT_TRUE(send.has_value());
    return send.value_or(BindBook::Send());
  }
  void answer(const ApiAnswer& answer) {
    BindBook::Send send = sent();
    methods.push_back(send.request.method);
    book.answered(now, send.ticket, true, answer);
  }
  std::vector<std::string> forgotten() {
    std::vector<std::string> names;
    for (const auto& named : book.take_forgotten().pods) names.push_back(named.name);
    return names;
  }
  // Its next write is done.
  void settle() { answer(status(201)); }

  int64_t now = 0;
  bool node_there = true;
  std::vector<What> told;
  std::vector<std::string> methods;
  BindBook book{{.seed = 1,
                 .removal = Removal::Evict,
                 .node_there = [this](const std::string&) { return node_there; },
                 .told = [this](const PodEvent& event) { told.push_back(event.what); }}};
};

TEST_F(Book, ABindNamesThePodsUidAndWhatIsWrittenWithIt) {
  PodWrite write = bind_of("p", "u1", "n1");
  write.labels = {{"trellis.scheduler/rank", "3"}};
  write.annotations = {{"trellis.scheduler/numa-hint", R"({"main":[0]})"}};
  book.order(0, write);
  BindBook::Send send = sent();
  EXPECT_EQ(send.request.method, "POST");
  EXPECT_EQ(send.request.target, "/api/v1/namespaces/n/pods/p/binding");
  EXPECT_EQ(
      send.request.body,
      R"({"apiVersion":"v1","kind":"Binding","metadata":{"namespace":"n","name":"p","uid":"u1",)"
      R"("labels":{"trellis.scheduler/rank":"3"},)"
      R"("annotations":{"trellis.scheduler/numa-hint":"{\"main\":[0]}"}},)"
      R"("target":{"apiVersion":"v1","kind":"Node","name":"n1"}})");
  book.answered(7, send.ticket, true, status(201));
  EXPECT_THAT(told, ElementsAre(What::Bound));
  EXPECT_THAT(book.take_figures().latency_ms, ElementsAre(7));
  book.seen({"n", "p", "u1", "n1"});
  EXPECT_EQ(book.next_ms(), INT64_MAX);
  BindFigures figures = book.take_figures();
  EXPECT_EQ(figures.confirmed, 1);
  EXPECT_EQ(figures.open, 0);
  EXPECT_THAT(forgotten(), IsEmpty());
}

TEST_F(Book, WhatTheWatchTellsBeforeTheAnswerComesCountsAllTheSame) {
  book.order(0, bind_of("p", "u1", "n1"));
  PodWrite eviction = bind_of("q", "u2", "");
  eviction.kind = PodWrite::Kind::Evict;
  book.order(0, eviction);
  BindBook::Send bind = sent();
  BindBook::Send evict = sent();
  book.seen({"n", "p", "u1", "n1"});
  book.seen({"n", "p", "u1", "n1"});
  book.gone("n", "q");
  EXPECT_THAT(told, IsEmpty());
  book.answered(7, bind.ticket, true, status(201));
  book.answered(8, evict.ticket, true, status(201));
  EXPECT_THAT(told, ElementsAre(What::Bound, What::Evicted));
  BindFigures figures = book.take_figures();
  EXPECT_EQ(figures.bound, 1);
  EXPECT_EQ(figures.confirmed, 1);
  EXPECT_EQ(figures.evicted, 1);
  EXPECT_EQ(figures.open, 0);
  EXPECT_EQ(book.next_ms(), INT64_MAX);
  EXPECT_THAT(forgotten(), IsEmpty());
}

TEST_F(Book, AWithdrawnBindThatTheWatchTellsOfFirstIsUndone) {
  PodWrite write = bind_of("p", "u1", "n1");
  write.gang = "n/g";
  book.order(0, write);
  BindBook::Send bind = sent();
  book.withdraw("n/g");
  book.seen({"n", "p", "u1", "n1"});
  book.answered(7, bind.ticket, true, status(0));
  now = 1000;
  EXPECT_EQ(sent().request.target, "/api/v1/namespaces/n/pods/p/eviction");
}

TEST_F(Book, AssignedAlreadyToTheSameNodeIsDone) {
  book.order(0, bind_of("p", "u1", "n1"));
  answer(status(409));
  answer(pod_answer("u1", "n1"));
  EXPECT_THAT(methods, ElementsAre("POST", "GET"));
  EXPECT_THAT(told, ElementsAre(What::Bound));
}

TEST_F(Book, WhatWentItsOwnWayIsLeftToTheWatch) {
  for (const ApiAnswer& is : {pod_answer("u1", "n2"), pod_answer("u2", ""), status(404)}) {
    told.clear();
    book.order(now, bind_of("p", "u1", "n1"));
    answer(status(409));
    answer(is);
    EXPECT_THAT(told, ElementsAre(What::BindFailed));
    EXPECT_THAT(forgotten(), IsEmpty());
    EXPECT_EQ(book.next_ms(), now + BindBook::kPatienceMs);
    book.gone("n", "p");
  }
}

TEST_F(Book, ARefusalForNowIsTriedAgainWhenTheServerSaysSo) {
  book.order(0, bind_of("p", "u1", "n1"));
  answer(status(429, 5000));
  EXPECT_GE(book.next_ms(), 5000);
  settle();
  EXPECT_THAT(methods, ElementsAre("POST", "POST"));
  EXPECT_EQ(book.take_figures().retried, 1);
}

TEST_F(Book, ARefusalThatStaysIsForgottenOnceThePodIsSeenUnbound) {
  book.order(0, bind_of("p", "u1", "n1"));
  for (int i = 0; i < BindBook::kMostTries; ++i) answer(status(403));
  EXPECT_THAT(forgotten(), IsEmpty());
  answer(pod_answer("u1", ""));
  EXPECT_EQ(methods.back(), "GET");
  EXPECT_THAT(forgotten(), ElementsAre("p"));
  EXPECT_EQ(book.take_failed_binds().size(), 1U);
  EXPECT_EQ(book.next_ms(), INT64_MAX);
}

TEST_F(Book, WithoutAnAnswerThePodItselfTells) {
  book.order(0, bind_of("p", "u1", "n1"));
  answer(kLost);
  answer(kLost);  // not even that
  answer(pod_answer("u1", "n1"));
  EXPECT_THAT(methods, ElementsAre("POST", "GET", "GET"));
  EXPECT_THAT(told, ElementsAre(What::Bound));
}

TEST_F(Book, WhatMayStillComeTrueIsNotForgotten) {
  book.order(0, bind_of("p", "u1", "n1"));
  int64_t last = 0;
  for (int i = 0; i < BindBook::kMostTries; ++i) {
    answer(kLost);
    last = now;
    answer(pod_answer("u1", ""));
    EXPECT_THAT(forgotten(), IsEmpty());
  }
  answer(pod_answer("u1", ""));
  EXPECT_GE(now, last + BindBook::kSettleMs);
  EXPECT_THAT(forgotten(), ElementsAre("p"));
}

TEST_F(Book, ANodeThatIsGoneIsNotBoundTo) {
  node_there = false;
  book.order(0, bind_of("p", "u1", "n1"));
  EXPECT_FALSE(book.next(0).has_value());
  EXPECT_THAT(forgotten(), ElementsAre("p"));
}

TEST_F(Book, APodThatIsMadeAnewEndsTheOrder) {
  book.order(0, bind_of("p", "u1", "n1"));
  BindBook::Send old = sent();
  book.seen({"n", "p", "u2", ""});
  book.order(1, bind_of("p", "u2", "n2"));
  book.answered(2, old.ticket, true, status(409));
  now = 2;
  EXPECT_THAT(sent().request.body, testing::HasSubstr("u2"));
}

TEST_F(Book, AWatchThatIsLateIsNotWaitedForForEver) {
  book.order(0, bind_of("p", "u1", "n1"));
  settle();
  answer(pod_answer("u1", "n1"));
  EXPECT_EQ(methods.back(), "GET");
  EXPECT_EQ(now, BindBook::kPatienceMs);
  EXPECT_THAT(told, ElementsAre(What::Bound)) << "told once";
}

TEST_F(Book, WhatMayNotGoOutIsForgotten) {
  book.order(0, bind_of("p", "u1", "n1"));
  BindBook::Send send = sent();
  book.answered(0, send.ticket, false, {});
  EXPECT_THAT(forgotten(), ElementsAre("p"));
  EXPECT_THAT(book.take_failed_binds(), IsEmpty());
}

TEST_F(Book, AnEvictionNamesTheUidAndKeepsToBudgets) {
  book.order(0, eviction_of("v", "u1"));
  BindBook::Send send = sent();
  EXPECT_EQ(send.request.target, "/api/v1/namespaces/n/pods/v/eviction");
  EXPECT_EQ(nlohmann::json::parse(send.request.body)["deleteOptions"]["preconditions"]["uid"],
            "u1");
  book.answered(0, send.ticket, true, status(429, 10'000));
  EXPECT_GE(book.next_ms(), 10'000);
  for (int i = 1; i < BindBook::kMostTries; ++i) answer(status(429, 10'000));
  answer(pod_answer("u1", "n1"));
  EXPECT_THAT(forgotten(), ElementsAre("v"));
  EXPECT_THAT(told, ElementsAre(What::EvictionFailed));
}

TEST_F(Book, APodThatIsGoneNeedsNoEviction) {
  book.order(0, eviction_of("v", "u1"));
  answer(status(404));
  book.gone("n", "v");
  EXPECT_THAT(told, ElementsAre(What::Evicted));
  EXPECT_EQ(book.next_ms(), INT64_MAX);
}

TEST_F(Book, AWithdrawnGangLeavesNothingBound) {
  book.order(0, bind_of("a", "ua", "n1"));
  BindBook::Send first = sent();
  book.order(0, bind_of("b", "ub", "n1"));
  book.withdraw("n/g");
  EXPECT_THAT(forgotten(), ElementsAre("b"));
  book.answered(0, first.ticket, true, status(201));
  EXPECT_THAT(sent().request.target, testing::HasSubstr("pods/a/eviction"));
}

TEST_F(Book, WhatIsDisownedIsFollowedAndNotSentAgain) {
  book.order(0, bind_of("a", "ua", "n1"));
  BindBook::Send first = sent();
  book.order(0, bind_of("b", "ub", "n1"));
  book.disown();
  book.answered(0, first.ticket, true, status(503));
  answer(pod_answer("ua", ""));
  EXPECT_THAT(methods, ElementsAre("GET"));
  EXPECT_THAT(forgotten(), ElementsAre("a"));
  EXPECT_EQ(book.next_ms(), INT64_MAX);
}

TEST(PodWrite, DeletesWhereNoBudgetCounts) {
  ApiRequest request = write_request(eviction_of("v", "u1"), Removal::Delete);
  EXPECT_EQ(request.method, "DELETE");
  EXPECT_EQ(request.target, "/api/v1/namespaces/n/pods/v");
  EXPECT_EQ(request.body,
            R"({"apiVersion":"v1","kind":"DeleteOptions","preconditions":{"uid":"u1"}})");
}

TEST(PodWrite, ReadsWhereAPodIsAndNothingElse) {
  auto pod =
      read_pod_reply(R"({"metadata":{"uid":"u1","deletionTimestamp":"2026-01-01T00:00:00Z"},)"
                     R"("spec":{"nodeName":"n1"}})");
  ASSERT_TRUE(pod.has_value());
  EXPECT_EQ(pod->uid, "u1");
  EXPECT_EQ(pod->node, "n1");
  EXPECT_TRUE(pod->leaving);
  pod = read_pod_reply(R"({"metadata":{"uid":"u1"},"status":{"phase":"Failed"}})");
  ASSERT_TRUE(pod.has_value());
  EXPECT_EQ(pod->node, "");
  EXPECT_TRUE(pod->leaving);
  for (const char* other : {"", "<html>", "[1]", R"({"metadata":1})",
                            R"({"kind":"Status","metadata":{},"status":"Failure","code":403})"}) {
    EXPECT_FALSE(read_pod_reply(other).has_value()) << other;
  }
}

// A small scheduler of gangs, with a book, beside a scripted API server, under one virtual clock.
class World {
 public:
  explicit World(uint64_t seed) : random_(seed), server_(seed + 1) {
    add_nodes();
    for (int i = 0; i < kPods; ++i) server_.create(pod_name(i), 0);
    restart();
  }

  void run(int64_t for_ms) {
    for (int64_t until = now_ + for_ms; now_ < until; now_ += kStepMs) {
      server_.pass(now_);
      if (server_.faulty) churn();
      make_missing();
      receive();
      if (random_.chance(50)) cycle();
      send();
    }
  }

  // Nothing goes wrong any more.
  void calm() {
    server_.faulty = false;
    add_nodes();
  }

  void expect_whole() {
    EXPECT_THAT(server_.wrongs, IsEmpty());
    for (const auto& [name, pod] : server_.pods()) {
      EXPECT_TRUE(server_.nodes.contains(pod.node)) << name << " is on '" << pod.node << "'";
    }
    EXPECT_EQ(server_.pods().size(), static_cast<size_t>(kPods));
    EXPECT_EQ(book_->take_figures().open, 0);
  }

 private:
  static constexpr int kNodes = 5;
  static constexpr int kPods = 12;
  static constexpr int kGang = 3;
  static constexpr int64_t kStepMs = 100;

  struct Known {
    std::string uid;
    std::string node;
    std::string assumed;
  };

  static std::string pod_name(int i) { return "p" + std::to_string(i); }

  void add_nodes() {
    for (int i = 0; i < kNodes; ++i) server_.nodes.insert("n" + std::to_string(i));
  }

  // The process ends and begins anew: it lists what there is.
  void restart() {
    server_.hang_up(now_);
    server_.relist();
    replies_.clear();
    known_.clear();
    for (const auto& [name, pod] : server_.pods()) known_[name] = {pod.uid, pod.node, ""};
    book_ = std::make_unique<BindBook>(BindBook::Options{
        .seed = random_.next(),
        .removal = Removal::Evict,
        .node_there = [this](const std::string& node) { return server_.nodes.contains(node); },
        .told = {}});
  }

  void churn() {
    if (random_.below(1000) < 3) restart();
    if (random_.below(1000) < 10) {
      std::string name = pod_name(static_cast<int>(random_.below(kPods)));
      if (server_.pods().contains(name)) server_.remove(name, now_);
    }
    if (random_.below(1000) < 3) {
      std::string node = "n" + std::to_string(random_.below(kNodes));
      if (server_.nodes.erase(node) == 0) server_.nodes.insert(node);
    }
  }

  // As controllers and the garbage collector do.
  void make_missing() {
    std::vector<std::string> stray;
    for (const auto& [name, pod] : server_.pods()) {
      if (!pod.node.empty() && !server_.nodes.contains(pod.node)) stray.push_back(name);
    }
    for (const std::string& name : stray) server_.remove(name, now_);
    for (int i = 0; i < kPods; ++i) {
      if (!server_.pods().contains(pod_name(i))) server_.create(pod_name(i), now_);
    }
  }

  void receive() {
    std::erase_if(replies_, [&](const auto& entry) {
      const auto& [ticket, reply] = entry;
      if (reply.at_ms > now_) return false;
      book_->answered(now_, ticket, true, reply.answer);
      return true;
    });
    for (const ScriptedPods::Event& event : server_.told(now_)) {
      if (!event.pod.there) {
        book_->gone("n", event.name);
        known_.erase(event.name);
        continue;
      }
      book_->seen({"n", event.name, event.pod.uid, event.pod.node});
      Known& known = known_[event.name];
      if (known.uid != event.pod.uid) known.assumed.clear();
      known.uid = event.pod.uid;
      known.node = event.pod.node;
    }
  }

  void cycle() {
    for (const auto& named : book_->take_forgotten().pods) {
      if (auto found = known_.find(named.name); found != known_.end()) {
        found->second.assumed.clear();
      }
    }
    std::map<std::string, size_t> held;
    for (const auto& [name, known] : known_) ++held[place(known)];
    for (int gang = 0; gang < kPods / kGang; ++gang) place_gang(gang, held);
    if (server_.faulty && random_.below(1000) < 20) evict_one();
  }

  static const std::string& place(const Known& known) {
    return known.node.empty() ? known.assumed : known.node;
  }

  // All of it or nothing.
  void place_gang(int gang, std::map<std::string, size_t>& held) {
    std::vector<std::pair<std::string, std::string>> places;
    std::map<std::string, size_t> taken = held;
    for (int i = 0; i < kGang; ++i) {
      auto found = known_.find(pod_name(gang * kGang + i));
      if (found == known_.end()) return;
      if (!place(found->second).empty()) continue;
      std::vector<std::string> fitting;
      for (const std::string& node : server_.nodes) {
        if (taken[node] < ScriptedPods::kRoom) fitting.push_back(node);
      }
      if (fitting.empty()) return;
      std::string node = random_.pick(fitting);
      ++taken[node];
      places.emplace_back(found->first, node);
    }
    for (const auto& [name, node] : places) {
      known_[name].assumed = node;
      book_->order(now_, bind_of(name, known_[name].uid, node));
    }
    held = std::move(taken);
  }

  void evict_one() {
    std::string name = pod_name(static_cast<int>(random_.below(kPods)));
    auto found = known_.find(name);
    if (found == known_.end() || found->second.node.empty()) return;
    server_.may_be_evicted.insert(found->second.uid);
    book_->order(now_, eviction_of(name, found->second.uid));
  }

  void send() {
    while (auto send = book_->next(now_)) {
      replies_[send->ticket] = server_.ask(send->request, now_);
    }
  }

  Random random_;
  ScriptedPods server_;
  std::unique_ptr<BindBook> book_;
  std::map<std::string, Known> known_;
  std::map<int64_t, ScriptedPods::Reply> replies_;  // by ticket
  int64_t now_ = 0;
};

TEST(BindFaults, NothingIsBoundTwiceLostOrEvictedWithoutCause) {
  uint64_t seeds = long_run(1000, 100'000);
  for (uint64_t seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    World world(seed);
    world.run(60'000);
    world.calm();
    world.run(120'000);
    world.expect_whole();
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace trellis
