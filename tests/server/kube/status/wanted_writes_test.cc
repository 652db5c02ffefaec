#include "server/kube/status/wanted_writes.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace trellis::test::wanted_writes_test {
namespace {

struct Sent {
  std::vector<ApiRequest> requests;
  std::vector<WritePool::Done> done;
  WantedWrites book{[this](ApiRequest request, WritePool::Done answered) {
    requests.push_back(std::move(request));
    done.push_back(std::move(answered));
  }};
  void answer(int status) { done.back()({.sent = true, .answer = {.status = status}}); }
};

TEST(WantedWrites, SendsOnceUntilItCanBeSeen) {
  Sent sent;
  std::vector<ApiRequest> wanted = {{"POST", "/groups", R"({"name":"g"})"}};
  sent.book.look(wanted, 0);
  sent.book.look(wanted, 1);
  ASSERT_EQ(sent.requests.size(), 1);
  sent.answer(201);
  sent.book.look(wanted, WantedWrites::kSeenMs - 1);
  EXPECT_EQ(sent.requests.size(), 1);
  sent.book.look(wanted, WantedWrites::kSeenMs);
  EXPECT_EQ(sent.requests.size(), 2);
  // It is there: what the watch shows of it is awaited.
  sent.answer(409);
  sent.book.look(wanted, 2 * WantedWrites::kSeenMs - 1);
  EXPECT_EQ(sent.requests.size(), 2);
}

TEST(WantedWrites, WaitsLongerWhereItFailed) {
  Sent sent;
  std::vector<ApiRequest> wanted = {{"PATCH", "/groups/g", "{}"}};
  sent.book.look(wanted, 0);
  sent.answer(403);
  sent.book.look(wanted, WantedWrites::kAgainMs - 1);
  EXPECT_EQ(sent.requests.size(), 1);
  sent.book.look(wanted, WantedWrites::kAgainMs);
  EXPECT_EQ(sent.requests.size(), 2);
  sent.answer(200);
  // Something else to say of it is said at once.
  wanted[0].body = R"({"spec":{}})";
  sent.book.look(wanted, WantedWrites::kAgainMs + 1);
  EXPECT_EQ(sent.requests.size(), 3);
}

TEST(WantedWrites, AnswersMayComeLate) {
  auto sent = std::make_unique<Sent>();
  sent->book.look({{"POST", "/groups", "{}"}}, 0);
  WritePool::Done done = std::move(sent->done.back());
  sent.reset();
  done({.sent = false, .answer = {}});
}

}  // namespace
}  // namespace trellis::test::wanted_writes_test
