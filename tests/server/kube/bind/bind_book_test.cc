#include "server/kube/bind/bind_book.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace trellis::bind_book_test {
namespace {

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
  bool copies_labels = true;
  std::vector<What> reported;
  std::vector<std::string> methods;
  BindBook book{{.seed = 1,
                 .removal = Removal::Evict,
                 .node_there = [this](const std::string&) { return node_there; },
                 .on_event = [this](const PodEvent& event) { reported.push_back(event.what); },
                 .copies_labels = [this] { return copies_labels; }}};
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
  EXPECT_THAT(reported, ElementsAre(What::Bound));
  EXPECT_THAT(book.take_figures().latency_ms, ElementsAre(7));
  book.seen({"n", "p", "u1", "n1"});
  EXPECT_EQ(book.next_ms(), INT64_MAX);
  BindFigures figures = book.take_figures();
  EXPECT_EQ(figures.confirmed, 1);
  EXPECT_EQ(figures.open, 0);
  EXPECT_THAT(forgotten(), IsEmpty());
}

TEST_F(Book, LabelsThatTheServerDoesNotCopyAreWrittenBeforeTheBind) {
  copies_labels = false;
  PodWrite write = bind_of("p", "u1", "n1");
  write.labels = {{"trellis.scheduler/rank", "3"}};
  book.order(0, write);
  BindBook::Send send = sent();
  EXPECT_EQ(send.request.method, "PATCH");
  EXPECT_EQ(send.request.target, "/api/v1/namespaces/n/pods/p");
  EXPECT_EQ(send.request.content_type, kMergePatch);
  EXPECT_EQ(send.request.body,
            R"({"metadata":{"uid":"u1","labels":{"trellis.scheduler/rank":"3"}}})");
  book.answered(1, send.ticket, true, kLost);
  answer(pod_answer("u1", ""));
  answer(status(503));
  EXPECT_TRUE(book.has_open_bind("n", "p"));
  answer(status(200));
  EXPECT_THAT(reported, IsEmpty()) << "nothing is bound yet";
  settle();
  EXPECT_THAT(methods, ElementsAre("GET", "PATCH", "PATCH", "POST"));
  EXPECT_THAT(reported, ElementsAre(What::Bound));
  BindFigures figures = book.take_figures();
  EXPECT_EQ(figures.sent, 1);
  EXPECT_EQ(figures.retried, 0);
}

TEST_F(Book, APodThatCannotBeLabelledIsNotBound) {
  copies_labels = false;
  PodWrite write = bind_of("p", "u1", "n1");
  write.labels = {{"trellis.scheduler/rank", "3"}};
  book.order(0, write);
  for (int i = 0; i < BindBook::kMostTries; ++i) answer(status(403));
  answer(pod_answer("u1", ""));
  EXPECT_THAT(methods, testing::Not(testing::Contains("POST")));
  EXPECT_THAT(forgotten(), ElementsAre("p"));
  EXPECT_THAT(reported, ElementsAre(What::BindFailed));
}

TEST_F(Book, OthersBindsAreNotTakenForOursWhileLabelsAreWritten) {
  copies_labels = false;
  PodWrite write = bind_of("p", "u1", "n1");
  write.labels = {{"trellis.scheduler/rank", "3"}};
  book.order(0, write);
  BindBook::Send send = sent();
  book.seen({"n", "p", "u1", "n2"});
  book.answered(1, send.ticket, true, status(200));
  EXPECT_THAT(reported, IsEmpty());
  EXPECT_EQ(book.next_ms(), INT64_MAX);
  EXPECT_EQ(book.take_figures().open, 0);
}

TEST_F(Book, OnlyPodsThatGetLabelsAreWrittenBeforeTheirBind) {
  copies_labels = false;
  book.order(0, bind_of("p", "u1", "n1"));
  settle();
  EXPECT_THAT(methods, ElementsAre("POST"));
}

TEST(DeletingBook, WritesToAPodWhyItIsDeletedBeforeItIs) {
  BindBook book({.removal = Removal::Delete, .node_there = {}, .on_event = {}});
  for (int code : {200, 403, 422}) {
    PodWrite eviction = eviction_of("v", "u1");
    eviction.decided = 1'800'000'000 * kSecondUs + 7;
    eviction.cause = "Evicted by preempt to make room for gang n/large";
    book.order(0, eviction);
    auto send = book.next(0);
    ASSERT_TRUE(send.has_value());
    EXPECT_EQ(send->request.method, "PATCH");
    EXPECT_EQ(send->request.target, "/api/v1/namespaces/n/pods/v/status");
    EXPECT_EQ(send->request.body,
              R"({"metadata":{"uid":"u1"},"status":{"conditions":[{"type":"DisruptionTarget",)"
              R"("status":"True","reason":"PreemptionByScheduler",)"
              R"("message":"Evicted by preempt to make room for gang n/large",)"
              R"("lastTransitionTime":"2027-01-15T08:00:00Z"}]}})");
    book.answered(0, send->ticket, true, status(code));
    send = book.next(0);
    ASSERT_TRUE(send.has_value()) << code;
    EXPECT_EQ(send->request.method, "DELETE");
    book.answered(0, send->ticket, true, status(200));
    book.gone("n", "v");
  }
  EXPECT_EQ(book.take_figures().evicted, 3);
}

TEST(DeletingBook, TriesAgainWhatMayBeTakenLater) {
  BindBook book({.removal = Removal::Delete, .node_there = {}, .on_event = {}});
  book.order(0, eviction_of("v", "u1"));
  book.answered(0, book.next(0).value_or(BindBook::Send()).ticket, true, status(429));
  auto send = book.next(book.next_ms());
  ASSERT_TRUE(send.has_value());
  EXPECT_EQ(send->request.method, "PATCH");
  book.answered(0, send->ticket, true, status(404));
  EXPECT_EQ(book.take_figures().evicted, 1) << "it is gone";
}

TEST_F(Book, WhatTheWatchReportsBeforeTheAnswerComesCountsAllTheSame) {
  book.order(0, bind_of("p", "u1", "n1"));
  PodWrite eviction = bind_of("q", "u2", "");
  eviction.kind = PodWrite::Kind::Evict;
  book.order(0, eviction);
  BindBook::Send bind = sent();
  BindBook::Send evict = sent();
  book.seen({"n", "p", "u1", "n1"});
  book.seen({"n", "p", "u1", "n1"});
  book.gone("n", "q");
  EXPECT_THAT(reported, IsEmpty());
  book.answered(7, bind.ticket, true, status(201));
  book.answered(8, evict.ticket, true, status(201));
  EXPECT_THAT(reported, ElementsAre(What::Bound, What::Evicted));
  BindFigures figures = book.take_figures();
  EXPECT_EQ(figures.bound, 1);
  EXPECT_EQ(figures.confirmed, 1);
  EXPECT_EQ(figures.evicted, 1);
  EXPECT_EQ(figures.open, 0);
  EXPECT_EQ(book.next_ms(), INT64_MAX);
  EXPECT_THAT(forgotten(), IsEmpty());
}

TEST_F(Book, AWithdrawnBindThatTheWatchReportsFirstIsUndone) {
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
  EXPECT_THAT(reported, ElementsAre(What::Bound));
}

TEST_F(Book, WhatWentItsOwnWayIsLeftToTheWatch) {
  for (const ApiAnswer& is : {pod_answer("u1", "n2"), pod_answer("u2", ""), status(404)}) {
    reported.clear();
    book.order(now, bind_of("p", "u1", "n1"));
    answer(status(409));
    answer(is);
    EXPECT_THAT(reported, ElementsAre(What::BindFailed));
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

TEST_F(Book, WithoutAnAnswerThePodItselfShowsTheOutcome) {
  book.order(0, bind_of("p", "u1", "n1"));
  answer(kLost);
  answer(kLost);  // not even that
  answer(pod_answer("u1", "n1"));
  EXPECT_THAT(methods, ElementsAre("POST", "GET", "GET"));
  EXPECT_THAT(reported, ElementsAre(What::Bound));
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

// A pod that others bound uses its claims there.
TEST_F(Book, OnlyPodsThatStayUnboundGiveTheirGrantsBack) {
  PodWrite write = bind_of("p", "u1", "n1");
  write.grants.push_back({"c", "", "", ""});
  book.order(0, write);
  answer(status(409));
  answer(pod_answer("u1", "n2"));
  EXPECT_THAT(book.take_given_up(), IsEmpty());
  write.name = "q";
  book.order(now, write);
  node_there = false;
  EXPECT_FALSE(book.next(now).has_value());
  EXPECT_THAT(book.take_given_up(), testing::SizeIs(1));
}

TEST_F(Book, ANodeThatIsGoneIsNotBoundTo) {
  node_there = false;
  book.order(0, bind_of("p", "u1", "n1"));
  EXPECT_FALSE(book.next(0).has_value());
  EXPECT_THAT(forgotten(), ElementsAre("p"));
}

TEST_F(Book, APodThatIsMadeAgainEndsTheOrder) {
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
  EXPECT_THAT(reported, ElementsAre(What::Bound)) << "reported once";
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
  EXPECT_THAT(reported, ElementsAre(What::EvictionFailed));
}

TEST_F(Book, APodThatMayLeaveByItselfIsEvictedOnceItHasNot) {
  PodWrite order = eviction_of("v", "u1");
  order.grace_ms = 700;
  book.order(100, order);
  book.order(200, order);
  EXPECT_FALSE(book.next(799).has_value());
  EXPECT_TRUE(book.next(800).has_value());
}

TEST_F(Book, APodThatLeavesByItselfIsNotEvicted) {
  PodWrite order = eviction_of("v", "u1");
  order.grace_ms = 700;
  book.order(0, order);
  book.seen({.name_space = "n", .name = "v", .uid = "u1", .node = "n1", .leaving = true});
  EXPECT_EQ(book.next_ms(), INT64_MAX);
  EXPECT_THAT(reported, IsEmpty());
}

TEST_F(Book, APodThatIsGoneNeedsNoEviction) {
  book.order(0, eviction_of("v", "u1"));
  answer(status(404));
  book.gone("n", "v");
  EXPECT_THAT(reported, ElementsAre(What::Evicted));
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

}  // namespace
}  // namespace trellis::bind_book_test
