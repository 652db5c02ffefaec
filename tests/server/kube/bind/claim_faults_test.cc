// Gangs with waiting claims, beside a scripted API server and its controllers, in virtual time:
// answers that are lost, writes that are done late, provisioners that refuse, and a service that
// ends at any step and starts again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "server/kube/bind/claim_book.h"
#include "tests/server/kube/bind/lossy_server.h"
#include "tests/support/long_run.h"
#include "tests/support/random.h"

namespace trellis::claim_faults_test {
namespace {

using testing::IsEmpty;
using Json = nlohmann::ordered_json;

constexpr const char* kSelected = "volume.kubernetes.io/selected-node";
constexpr const char* kCompleted = "pv.kubernetes.io/bind-completed";

// Claims and volumes, what controllers make of them, and what must never happen.
class ScriptedStorage : public test::LossyServer {
 public:
  using LossyServer::LossyServer;

  struct Claim {
    bool made = false;  // by a provisioner; else bound to a volume that is there
    int version = 1;
    std::string node;
    bool bound = false;
  };
  struct Volume {
    int version = 1;
    std::string claim;
  };
  std::map<std::string, Claim> claims;
  std::map<std::string, Volume> volumes;

 private:
  static std::string name_in(const std::string& target) {
    return target.substr(target.rfind('/') + 1);
  }
  static bool is_claim(const std::string& target) {
    return target.find("/persistentvolumeclaims/") != std::string::npos;
  }

  ApiAnswer read(const std::string& target) override {
    std::string name = name_in(target);
    Json object;
    if (is_claim(target)) {
      auto found = claims.find(name);
      if (found == claims.end()) return {404, "{}", "", 0};
      Json annotations = Json::object();
      if (!found->second.node.empty()) annotations[kSelected] = found->second.node;
      if (found->second.bound) annotations[kCompleted] = "yes";
      object["metadata"] = {{"name", name},
                            {"uid", "uid-" + name},
                            {"resourceVersion", std::to_string(found->second.version)},
                            {"annotations", annotations}};
    } else {
      const Volume& volume = volumes.at(name);
      object["metadata"] = {{"name", name}, {"resourceVersion", std::to_string(volume.version)}};
      object["spec"] = Json::object();
      if (!volume.claim.empty()) {
        object["spec"]["claimRef"] = {
            {"namespace", "n"}, {"name", volume.claim}, {"uid", "uid-" + volume.claim}};
      }
    }
    return {200, object.dump(), "", 0};
  }

  ApiAnswer write(const ApiRequest& request) override {
    Json patch = Json::parse(request.body);
    std::string name = name_in(request.target);
    std::string version = patch["metadata"]["resourceVersion"];
    if (is_claim(request.target)) {
      auto found = claims.find(name);
      if (found == claims.end()) return {404, "{}", "", 0};
      Claim& claim = found->second;
      if (version != std::to_string(claim.version)) return {409, "{}", "", 0};
      std::string node = patch["metadata"]["annotations"][kSelected];
      if (!claim.node.empty() && claim.node != node) wrongs.push_back(name + " got another node");
      if (!claim.made) wrongs.push_back(name + " got a node, and needs none");
      claim.node = node;
      ++claim.version;
    } else {
      Volume& volume = volumes.at(name);
      if (version != std::to_string(volume.version)) return {409, "{}", "", 0};
      std::string claim = patch["spec"]["claimRef"]["name"];
      if (!volume.claim.empty() && volume.claim != claim) wrongs.push_back(name + " was taken");
      if (patch["spec"]["claimRef"]["uid"] != "uid-" + claim) wrongs.push_back(name + ": uid");
      volume.claim = claim;
      ++volume.version;
    }
    return {200, "{}", "", 0};
  }

  // What the volume binder and a provisioner do.
  void control() override {
    for (auto& [name, volume] : volumes) {
      if (volume.claim.empty() || claims[volume.claim].bound) continue;
      claims[volume.claim].bound = true;
      ++claims[volume.claim].version;
    }
    for (auto& [name, claim] : claims) {
      if (!claim.made || claim.node.empty() || claim.bound || !random_.chance(30)) continue;
      if (faulty && random_.chance(20)) {
        claim.node.clear();
      } else {
        claim.bound = true;
      }
      ++claim.version;
    }
  }
};

class World {
 public:
  explicit World(uint64_t seed) : random_(seed), storage_(seed + 1) {
    for (int i = 0; i < kPods; ++i) {
      storage_.claims["c" + std::to_string(i)].made = random_.chance(50);
      storage_.volumes["v" + std::to_string(i)];
    }
    restart();
  }

  void run(int64_t for_ms) {
    for (int64_t until = now_ + for_ms; now_ < until; now_ += kStepMs) {
      storage_.pass(now_);
      if (storage_.faulty && random_.below(1000) < 5) restart();
      receive();
      if (random_.chance(30)) cycle();
      while (auto send = book_->next(now_)) {
        replies_.emplace(send->ticket, storage_.ask(send->request, now_));
      }
    }
  }

  void calm() { storage_.faulty = false; }

  void expect_whole() {
    EXPECT_THAT(storage_.wrongs, IsEmpty());
    for (int i = 0; i < kPods; ++i) EXPECT_EQ(bound_[i], 1) << "pod " << i;
  }

 private:
  static constexpr int kPods = 9;
  static constexpr int kGang = 3;
  static constexpr int64_t kStepMs = 100;

  void restart() {
    replies_.clear();
    assumed_.clear();
    book_ = std::make_unique<ClaimBook>(nullptr);
  }

  void receive() {
    std::erase_if(replies_, [&](const auto& entry) {
      if (entry.second.at_ms > now_) return false;
      book_->answered(now_, entry.first, true, entry.second.answer);
      return true;
    });
  }

  ClaimBook::Sight sight(const PodWrite& bind) {
    const ScriptedStorage::Claim& claim = storage_.claims.at("c" + bind.name);
    using State = ClaimBook::State;
    if (claim.bound) return {State::Bound, ""};
    return {claim.made && !claim.node.empty() ? State::Chosen : State::Waits, ""};
  }

  void cycle() {
    for (const auto& named : book_->take_forgotten().pods) assumed_.erase(named.name);
    book_->look([this](const PodWrite& bind) { return sight(bind); });
    std::vector<PodWrite> ready = book_->take_ready();
    for (const PodWrite& bind : ready) {
      int pod = std::stoi(bind.name);
      for (int i = pod / kGang * kGang; i < pod / kGang * kGang + kGang; ++i) {
        bool bound = storage_.claims.at("c" + std::to_string(i)).bound;
        if (!bound)
          storage_.wrongs.push_back("pod " + bind.name + " before claim " + std::to_string(i));
      }
      if (++bound_[pod] > 1) storage_.wrongs.push_back("pod " + bind.name + " twice");
    }
    for (int first = 0; first < kPods; first += kGang) decide(first);
  }

  // As the plugin chooses: the node where a volume is being made, the volume that a claim has.
  void decide(int first) {
    std::vector<ClaimBook::GangPod> pods;
    for (int i = first; i < first + kGang; ++i) {
      std::string name = std::to_string(i);
      if (bound_[i] > 0 || assumed_.contains(name)) return;
      const ScriptedStorage::Claim& claim = storage_.claims.at("c" + name);
      ClaimBook::GangPod pod;
      pod.bind.name_space = "n";
      pod.bind.name = name;
      pod.bind.gang = "n/g" + std::to_string(first);
      pod.bind.node = claim.node.empty() ? "n" + std::to_string(random_.below(3)) : claim.node;
      pod.waits = !claim.bound;
      if (pod.waits) {
        pod.claims.push_back({"n", "c" + name, pod.bind.node, claim.made ? "" : volume_for(name)});
      }
      pods.push_back(std::move(pod));
    }
    for (const ClaimBook::GangPod& pod : pods) assumed_[pod.bind.name] = 1;
    book_->order(now_, std::move(pods));
  }

  // Free, as far as this service knows; each has its own, so that gangs do not wait for each other.
  std::string volume_for(const std::string& pod) {
    for (const auto& [name, volume] : storage_.volumes) {
      if (volume.claim == "c" + pod) return name;
    }
    return "v" + pod;
  }

  Random random_;
  ScriptedStorage storage_;
  std::unique_ptr<ClaimBook> book_;
  std::map<int64_t, ScriptedStorage::Reply> replies_;
  std::map<std::string, int> assumed_;
  std::map<int, int> bound_;
  int64_t now_ = 1'000;
};

TEST(ClaimFaults, NoPodBeforeTheClaimsOfItsGang) {
  for (uint64_t seed = 1; seed <= long_run(400, 100'000); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    World world(seed);
    world.run(60'000);
    world.calm();
    world.run(ClaimBook::kTimeoutMs + 60'000);
    world.expect_whole();
    if (testing::Test::HasFailure()) return;
  }
}

PodWrite bind_of(const std::string& name) {
  PodWrite bind;
  bind.name_space = "n";
  bind.name = name;
  bind.gang = "n/g";
  bind.node = "n1";
  return bind;
}

// Pods for whose claims no volume was chosen are given back, with their gang.
TEST(ClaimBook, NothingChosen) {
  ClaimBook book(nullptr);
  book.order(0, {{.bind = bind_of("a"), .waits = true, .claims = {}},
                 {.bind = bind_of("b"), .waits = false, .claims = {}}});
  EXPECT_FALSE(book.next(0).has_value());
  EXPECT_EQ(book.take_forgotten().pods.size(), 2);
  EXPECT_THAT(book.take_ready(), IsEmpty());
}

TEST(ClaimBook, TheWaitEnds) {
  std::vector<std::string> why;
  ClaimBook book([&](const PodEvent& event) { why.push_back(event.why); });
  book.order(0, {{.bind = bind_of("a"), .waits = true, .claims = {{"n", "c", "n1", ""}}}});
  auto send = book.next(0);
  ASSERT_TRUE(send.has_value());
  EXPECT_EQ(send->request.target, "/api/v1/namespaces/n/persistentvolumeclaims/c");
  book.answered(
      1, send->ticket, true,
      {200, R"({"metadata":{"annotations":{"volume.kubernetes.io/selected-node":"n1"}}})", "", 0});
  EXPECT_EQ(book.next_ms(), ClaimBook::kTimeoutMs);
  EXPECT_FALSE(book.next(ClaimBook::kTimeoutMs).has_value());
  EXPECT_THAT(why, testing::ElementsAre("its claims were not bound in time"));
  EXPECT_EQ(book.take_forgotten().pods.size(), 1);
}

TEST(ClaimBook, AnotherNodeWasChosen) {
  ClaimBook book(nullptr);
  book.order(0, {{.bind = bind_of("a"), .waits = true, .claims = {{"n", "c", "n1", ""}}}});
  auto send = book.next(0);
  ASSERT_TRUE(send.has_value());
  book.answered(
      1, send->ticket, true,
      {200, R"({"metadata":{"annotations":{"volume.kubernetes.io/selected-node":"n2"}}})", "", 0});
  EXPECT_EQ(book.take_forgotten().pods.size(), 1);
}

}  // namespace
}  // namespace trellis::claim_faults_test
