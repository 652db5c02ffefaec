#include "server/kube/bind/grant_book.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace trellis::grant_book_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr const char* kOne =
    R"({"devices":{"results":[{"request":"r","driver":"x","pool":"p","device":"d1"}]}})";
constexpr const char* kOther =
    R"({"devices":{"results":[{"request":"r","driver":"x","pool":"p","device":"d2"}]}})";
constexpr const char* kPath = "/apis/resource.k8s.io/v1/namespaces/n/resourceclaims/c";

PodWrite bind_of(const std::string& name, ClaimGrant grant) {
  PodWrite bind;
  bind.name_space = "n";
  bind.name = name;
  bind.uid = "uid-" + name;
  bind.gang = "n/g";
  bind.grants.push_back(std::move(grant));
  return bind;
}

std::string claim_text(const std::string& status, const std::string& more = "") {
  return R"({"metadata":{"uid":"u","resourceVersion":"7")" + more + R"(},"status":)" + status + "}";
}

class GrantBookTest : public testing::Test {
 protected:
  // The next request, which is answered so.
  ApiRequest exchange(int status, const std::string& body) {
    auto send = book_.next(now_);
    if (!send) {
      ADD_FAILURE() << "nothing is sent";
      return {};
    }
    book_.answered(now_, send->ticket, true, {status, body, "", 0});
    return send->request;
  }
  std::vector<std::string> why_;
  int64_t now_ = 100'000;
  GrantBook book_{{.on_event = [this](const PodEvent& event) { why_.push_back(event.why); },
                   .now_text = [] { return "2026-01-01T00:00:00Z"; }}};
};

TEST_F(GrantBookTest, KeepsWritesAndHandsOn) {
  book_.order(now_, {bind_of("a", {"c", kOne, "", ""}), bind_of("b", {"c", kOne, "", ""})});
  EXPECT_EQ(exchange(200, claim_text("{}")).target, kPath);
  ApiRequest keep = exchange(200, claim_text("{}", R"(,"finalizers":["f"])"));
  EXPECT_EQ(keep.body, R"({"metadata":{"uid":"u","resourceVersion":"7",)"
                       R"("finalizers":["resource.kubernetes.io/delete-protection"]}})");
  EXPECT_EQ(keep.method, "PATCH");
  // Its answer has not the finalizer: the claim is kept again.
  exchange(200, claim_text("{}", R"(,"finalizers":["resource.kubernetes.io/delete-protection"])"));
  EXPECT_THAT(book_.take_ready(), IsEmpty());
  ApiRequest write =
      exchange(200, claim_text(std::string(R"({"allocation":)") + kOne +
                               R"(,"reservedFor":[{"uid":"uid-a"},{"uid":"uid-b"}]})"));
  EXPECT_EQ(write.target, std::string(kPath) + "/status");
  EXPECT_EQ(write.body,
            R"({"metadata":{"uid":"u","resourceVersion":"7"},"status":{"allocation":{"devices":)"
            R"({"results":[{"request":"r","driver":"x","pool":"p","device":"d1"}]},)"
            R"("allocationTimestamp":"2026-01-01T00:00:00Z"},"reservedFor":[)"
            R"({"resource":"pods","name":"a","uid":"uid-a"},)"
            R"({"resource":"pods","name":"b","uid":"uid-b"}]}})");
  EXPECT_THAT(book_.take_ready(), SizeIs(2));
  EXPECT_FALSE(book_.next(now_ + 1'000'000).has_value());
}

TEST_F(GrantBookTest, NeverOverridesOtherDevices) {
  book_.order(now_, {bind_of("a", {"c", kOne, "", ""})});
  exchange(200, claim_text(std::string(R"({"allocation":)") + kOther +
                           R"(,"reservedFor":[{"uid":"uid-z"}]})"));
  EXPECT_THAT(why_, ElementsAre("claim c has got other devices"));
  EXPECT_THAT(book_.take_forgotten().claims, SizeIs(1));
  EXPECT_EQ(exchange(200, claim_text("{}")).method, "GET");  // nothing is to be undone
  EXPECT_FALSE(book_.next(now_ + 1'000'000).has_value());
}

// What an earlier decision about the same pod left behind is taken back first.
TEST_F(GrantBookTest, ReplacesItsOwnDevices) {
  book_.order(now_, {bind_of("a", {"c", kOne, "", ""})});
  exchange(200, claim_text(std::string(R"({"allocation":)") + kOther +
                           R"(,"reservedFor":[{"uid":"uid-a"}]})"));
  ApiRequest freed = exchange(
      200, claim_text("{}", R"(,"finalizers":["resource.kubernetes.io/delete-protection"])"));
  EXPECT_THAT(freed.body, testing::HasSubstr(R"("allocation":null)"));
  EXPECT_THAT(exchange(409, "{}").body, testing::HasSubstr("d1"));
  now_ += GrantBook::kConflictMs;
  EXPECT_EQ(exchange(404, "{}").method, "GET");
  EXPECT_THAT(why_, ElementsAre("claim c or its pod is gone"));
}

TEST_F(GrantBookTest, UndoesTheGangWhenOneClaimIsLost) {
  PodWrite pod = bind_of("a", {"c", kOne, "", ""});
  pod.grants.push_back({"gone", kOther, "", ""});
  book_.order(now_, {std::move(pod)});
  auto first = book_.next(now_);
  auto second = book_.next(now_);
  ASSERT_TRUE(first && second);
  std::string whole =
      claim_text(std::string(R"({"allocation":)") + kOne + R"(,"reservedFor":[{"uid":"uid-a"}]})");
  book_.answered(
      now_, first->ticket, true,
      {200, claim_text("{}", R"(,"finalizers":["resource.kubernetes.io/delete-protection"])"), "",
       0});
  exchange(200, whole);
  book_.answered(now_, second->ticket, true, {404, "{}", "", 0});
  EXPECT_THAT(why_, SizeIs(1));
  EXPECT_EQ(exchange(200, whole).method, "GET");
  EXPECT_EQ(exchange(404, "{}").method, "GET");
  EXPECT_EQ(exchange(200, claim_text("{}")).body,
            R"({"metadata":{"uid":"u","resourceVersion":"7"},"status":)"
            R"({"allocation":null,"reservedFor":null,"devices":null}})");
  EXPECT_EQ(book_.next_ms(), INT64_MAX);
}

ClaimGrant of_group(const std::string& claim) {
  return {.name = claim,
          .allocation = kOne,
          .spec = "",
          .mappings = "",
          .group = "ring",
          .group_uid = "uid-ring"};
}

std::string held_by_group() {
  return claim_text(std::string(R"({"allocation":)") + kOne +
                    R"(,"reservedFor":[{"uid":"uid-ring"}]})");
}

constexpr const char* kFinalizers = R"(,"finalizers":["resource.kubernetes.io/delete-protection"])";

TEST_F(GrantBookTest, ReservesAClaimForThePodGroupOnce) {
  book_.order(now_, {bind_of("a", of_group("c")), bind_of("b", of_group("c"))});
  exchange(200, claim_text("{}", kFinalizers));
  ApiRequest write = exchange(200, held_by_group());
  EXPECT_THAT(write.body,
              testing::HasSubstr(R"("reservedFor":[{"apiGroup":"scheduling.k8s.io",)"
                                 R"("resource":"podgroups","name":"ring","uid":"uid-ring"}])"));
  std::vector<PodWrite> ready = book_.take_ready();
  ASSERT_THAT(ready, SizeIs(2));
  // The other pod of the group may be bound.
  book_.release(now_, ready[0]);
  EXPECT_FALSE(book_.next(now_ + 1'000'000).has_value());
}

class GrantBookGroupTest : public GrantBookTest {
 protected:
  // Orders a pod with a claim of the group, which is answered so, and with a second claim. Returns
  // the ticket of the second.
  int64_t order_two(const std::string& first_read) {
    PodWrite pod = bind_of("a", of_group("c"));
    pod.grants.push_back({.name = "gone", .allocation = kOther});
    book_.order(now_, {std::move(pod)});
    int64_t first = book_.next(now_)->ticket;
    int64_t second = book_.next(now_)->ticket;
    book_.answered(now_, first, true, {200, first_read, "", 0});
    if (first_read != held_by_group()) exchange(200, held_by_group());
    return second;
  }
  void answer_gone(int64_t ticket) { book_.answered(now_, ticket, true, {404, "{}", "", 0}); }
};

TEST_F(GrantBookGroupTest, TakesBackWhatItReservedForAGroup) {
  answer_gone(order_two(claim_text("{}", kFinalizers)));
  EXPECT_EQ(exchange(200, held_by_group()).method, "GET");
  EXPECT_EQ(exchange(404, "{}").method, "GET");
  EXPECT_THAT(exchange(200, claim_text("{}")).body, testing::HasSubstr(R"("allocation":null)"));
}

TEST_F(GrantBookGroupTest, KeepsWhatTheGroupHadBefore) {
  answer_gone(order_two(held_by_group()));
  EXPECT_EQ(exchange(404, "{}").target,
            "/apis/resource.k8s.io/v1/namespaces/n/resourceclaims/gone");
  EXPECT_FALSE(book_.next(now_ + 1'000'000).has_value());
}

// Another order of the group was handed on after the write.
TEST_F(GrantBookGroupTest, KeepsWhatOtherPodsOfTheGroupHaveByNow) {
  int64_t second = order_two(claim_text("{}", kFinalizers));
  now_ += GrantBook::kSettleMs;
  book_.order(now_, {bind_of("b", of_group("c"))});
  exchange(200, held_by_group());
  EXPECT_THAT(book_.take_ready(), SizeIs(1));
  answer_gone(second);
  EXPECT_EQ(exchange(404, "{}").target,
            "/apis/resource.k8s.io/v1/namespaces/n/resourceclaims/gone");
  EXPECT_FALSE(book_.next(now_ + 1'000'000).has_value());
}

TEST_F(GrantBookTest, AwaitsWhatDriversReport) {
  constexpr const char* kBinding =
      R"({"devices":{"results":[{"request":"r","driver":"x","pool":"p","device":"d1",)"
      R"("bindingConditions":["Ready"],"bindingFailureConditions":["Broken"]}]}})";
  book_.order(now_, {bind_of("a", {"c", kBinding, "", ""})});
  exchange(200, claim_text("{}", R"(,"finalizers":["resource.kubernetes.io/delete-protection"])"));
  auto status = [&](const std::string& conditions) {
    return claim_text(std::string(R"({"allocation":)") + kBinding +
                      R"(,"reservedFor":[{"uid":"uid-a"}],"devices":[{"driver":"x","pool":"p",)"
                      R"("device":"d1","conditions":[)" +
                      conditions + "]}]}");
  };
  exchange(200, status(""));
  EXPECT_FALSE(book_.next(now_).has_value());
  EXPECT_EQ(book_.next_ms(), now_ + GrantBook::kLookMs);
  now_ += GrantBook::kLookMs;
  exchange(200, status(R"({"type":"Ready","status":"False"})"));
  EXPECT_THAT(book_.take_ready(), IsEmpty());
  now_ += GrantBook::kLookMs;
  exchange(200, status(R"({"type":"Ready","status":"True"})"));
  EXPECT_THAT(book_.take_ready(), SizeIs(1));
}

TEST_F(GrantBookTest, MakesTheClaimOfExtendedResources) {
  ClaimGrant grant{"c", kOne, R"({"devices":{"requests":[]}})", R"([{"containerName":"m"}])"};
  book_.order(now_, {bind_of("a", grant)});
  exchange(404, "{}");
  std::string owned = R"(,"ownerReferences":[{"uid":"uid-a","controller":true}],)"
                      R"("finalizers":["resource.kubernetes.io/delete-protection"])";
  ApiRequest made = exchange(201, claim_text("{}", owned));
  EXPECT_EQ(made.method, "POST");
  EXPECT_EQ(made.target, "/apis/resource.k8s.io/v1/namespaces/n/resourceclaims");
  exchange(200, claim_text(std::string(R"({"allocation":)") + kOne +
                               R"(,"reservedFor":[{"uid":"uid-a"}]})",
                           owned));
  EXPECT_THAT(book_.take_ready(), IsEmpty());
  ApiRequest status_write = exchange(200, "{}");
  EXPECT_EQ(status_write.target, "/api/v1/namespaces/n/pods/a/status");
  EXPECT_EQ(status_write.body,
            R"({"metadata":{"uid":"uid-a"},"status":{"extendedResourceClaimStatus":)"
            R"({"resourceClaimName":"c","requestMappings":[{"containerName":"m"}]}}})");
  std::vector<PodWrite> ready = book_.take_ready();
  ASSERT_THAT(ready, SizeIs(1));
  // The bind fails: the claim loses its devices.
  book_.release(now_, ready.front());
  exchange(200, claim_text(std::string(R"({"allocation":)") + kOne +
                               R"(,"reservedFor":[{"uid":"uid-a"}]})",
                           owned));
  EXPECT_THAT(exchange(200, claim_text("{}", owned)).body, testing::HasSubstr("null"));
  EXPECT_FALSE(book_.next(now_ + 1'000'000).has_value());
}

// The service before this one may have been about to release what is reserved already.
TEST_F(GrantBookTest, WaitsAMinuteAfterItsStart) {
  book_.order(now_, {bind_of("a", {"c", "", "", ""})});
  std::string whole =
      claim_text(std::string(R"({"allocation":)") + kOne + R"(,"reservedFor":[{"uid":"uid-a"}]})");
  exchange(200, whole);
  EXPECT_EQ(book_.next_ms(), now_ + GrantBook::kSettleMs);
  now_ += GrantBook::kSettleMs;
  exchange(200, whole);
  EXPECT_THAT(book_.take_ready(), SizeIs(1));
}

}  // namespace
}  // namespace trellis::grant_book_test
