// Gangs with ResourceClaims, beside a scripted API server and in virtual time: answers that are
// lost, binds that fail, gangs that are given up, and a service that ends at any step and starts
// again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "server/kube/bind/grant_book.h"
#include "tests/server/kube/bind/scripted_claims.h"
#include "tests/support/long_run.h"
#include "tests/support/random.h"

namespace trellis::grant_faults_test {
namespace {

using test::ScriptedClaims;
using testing::IsEmpty;

// Each pod has a claim of its own, "cN", and its gang shares "sG".
class World {
 public:
  explicit World(uint64_t seed) : random_(seed), server_(seed + 1) {
    for (int i = 0; i < kPods; ++i) {
      server_.claims["c" + std::to_string(i)];
      server_.claims["s" + std::to_string(gang_of(i))];
      server_.pods.insert("uid-" + std::to_string(i));
    }
    restart();
  }

  void run(int64_t for_ms) {
    for (int64_t until = now_ + for_ms; now_ < until; now_ += kStepMs) {
      server_.pass(now_);
      if (server_.faulty && random_.below(1000) < 3) restart();
      receive();
      if (random_.chance(30)) cycle();
      while (auto send = book_->next(now_)) {
        replies_.emplace(send->ticket, server_.ask(send->request, now_));
      }
    }
  }

  // Faults end, and some gangs are not wanted any more. What a service that ended had written for
  // them goes with their pods.
  void calm() {
    server_.faulty = false;
    for (int gang = 0; gang < kGangs; ++gang) {
      bool whole_waits = true;
      for (int i = gang * kGang; i < (gang + 1) * kGang; ++i) whole_waits &= bound_[i] == 0;
      if (!whole_waits || !random_.chance(50)) continue;
      given_up_.insert(gang);
      book_->withdraw(now_, name_of(gang));
      if (restarts_ == 0 && random_.chance(50)) continue;
      for (int i = gang * kGang; i < (gang + 1) * kGang; ++i) {
        server_.pods.erase("uid-" + std::to_string(i));
      }
    }
  }

  void expect_whole() {
    EXPECT_THAT(server_.wrongs, IsEmpty());
    for (int i = 0; i < kPods; ++i) {
      bool wanted = !given_up_.contains(gang_of(i));
      EXPECT_EQ(bound_[i], wanted ? 1 : 0) << "pod " << i;
      for (const std::string& claim : claims_of(i)) {
        EXPECT_EQ(server_.is_reserved(claim, "uid-" + std::to_string(i)), wanted) << claim;
        EXPECT_EQ(server_.claims.at(claim).allocation.is_null(), !wanted) << claim;
      }
    }
  }

 private:
  static constexpr int kGang = 3;
  static constexpr int kGangs = 4;
  static constexpr int kPods = kGang * kGangs;
  static constexpr int64_t kStepMs = 100;

  static int gang_of(int pod) { return pod / kGang; }
  static std::string name_of(int gang) { return "n/g" + std::to_string(gang); }
  static std::vector<std::string> claims_of(int pod) {
    return {"c" + std::to_string(pod), "s" + std::to_string(gang_of(pod))};
  }

  void restart() {
    ++restarts_;
    replies_.clear();
    assumed_.clear();
    book_ = std::make_unique<GrantBook>(
        GrantBook::Options{.on_event = nullptr, .now_text = [] { return "2026-01-01T00:00:00Z"; }});
  }

  void receive() {
    std::erase_if(replies_, [&](const auto& entry) {
      if (entry.second.at_ms > now_) return false;
      book_->answered(now_, entry.first, true, entry.second.answer);
      return true;
    });
  }

  void cycle() {
    for (const auto& named : book_->take_forgotten().pods) assumed_.erase(named.name);
    std::vector<PodWrite> ready = book_->take_ready();
    std::vector<bool> fails;
    for (const PodWrite& bind : ready) {
      for (int i = gang_of(std::stoi(bind.name)) * kGang, end = i + kGang; i < end; ++i) {
        if (bound_[i] == 0) check_claims(i);
      }
      fails.push_back(server_.faulty && random_.chance(20));
    }
    for (size_t i = 0; i < ready.size(); ++i) {
      int pod = std::stoi(ready[i].name);
      if (fails[i]) {
        book_->release(now_, ready[i]);
        assumed_.erase(ready[i].name);
        continue;
      }
      if (++bound_[pod] > 1) server_.wrongs.push_back("pod " + ready[i].name + " twice");
      server_.bound.insert(ready[i].uid);
    }
    for (int gang = 0; gang < kGangs; ++gang) {
      if (!given_up_.contains(gang)) decide(gang);
    }
  }

  void check_claims(int pod) {
    for (const std::string& claim : claims_of(pod)) {
      bool ready = !server_.claims.at(claim).allocation.is_null() &&
                   server_.is_reserved(claim, "uid-" + std::to_string(pod));
      if (!ready) server_.wrongs.push_back("a gang before claim " + claim);
    }
  }

  // The pods of the gang that wait, with devices for the claims that have none.
  void decide(int gang) {
    std::vector<PodWrite> pods;
    std::map<std::string, std::string> chosen;
    for (int i = gang * kGang; i < (gang + 1) * kGang; ++i) {
      std::string name = std::to_string(i);
      if (bound_[i] > 0) continue;
      if (assumed_.contains(name)) return;
      PodWrite pod;
      pod.name_space = "n";
      pod.name = name;
      pod.uid = "uid-" + name;
      pod.gang = name_of(gang);
      for (const std::string& claim : claims_of(i)) {
        if (!chosen.contains(claim)) chosen[claim] = choose(claim);
        pod.grants.push_back({claim, chosen[claim], "", ""});
      }
      pods.push_back(std::move(pod));
    }
    if (pods.empty()) return;
    for (const PodWrite& pod : pods) assumed_[pod.name] = 1;
    book_->order(now_, std::move(pods));
  }

  // What is allocated stays, mostly; a service that reads an old state chooses again.
  std::string choose(const std::string& claim) {
    bool allocated = !server_.claims.at(claim).allocation.is_null();
    if (allocated && !(server_.faulty && random_.chance(10))) return "";
    std::string device = "d" + std::to_string(random_.below(3));
    return R"({"devices":{"results":[{"request":"r","driver":"x","pool":"p","device":")" + device +
           R"("}]}})";
  }

  Random random_;
  ScriptedClaims server_;
  std::unique_ptr<GrantBook> book_;
  std::map<int64_t, ScriptedClaims::Reply> replies_;
  std::map<std::string, int> assumed_;
  std::map<int, int> bound_;
  std::set<int> given_up_;
  int restarts_ = -1;
  int64_t now_ = 1'000;
};

TEST(GrantFaults, ClaimsBeforeBindsAndNothingLeaks) {
  uint64_t seeds = long_run(1'000, 100'000);
  for (uint64_t seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    World world(seed);
    world.run(10'000);
    world.calm();
    world.run(4 * GrantBook::kSettleMs);
    world.expect_whole();
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace trellis::grant_faults_test
