#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "server/kube/bind/bind_book.h"
#include "tests/server/kube/bind/scripted_pods.h"
#include "tests/support/long_run.h"
#include "tests/support/random.h"

namespace trellis::bind_faults_test {
namespace {

using test::ScriptedPods;
using testing::IsEmpty;

PodWrite write_about(const std::string& name, const std::string& uid, PodWrite::Kind kind) {
  PodWrite write;
  write.kind = kind;
  write.name_space = "n";
  write.name = name;
  write.uid = uid;
  write.gang = "n/g";
  return write;
}

// A small scheduler of gangs, with a book, beside a scripted API server, under one virtual clock.
class World {
 public:
  explicit World(uint64_t seed)
      : random_(seed),
        server_(seed + 1),
        removal_(seed % 2 == 0 ? Removal::Evict : Removal::Delete) {
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

  // The process ends and starts again: it lists what there is.
  void restart() {
    server_.hang_up(now_);
    server_.relist();
    replies_.clear();
    known_.clear();
    for (const auto& [name, pod] : server_.pods()) known_[name] = {pod.uid, pod.node, ""};
    book_ = std::make_unique<BindBook>(BindBook::Options{
        .seed = random_.next(),
        .removal = removal_,
        .node_there = [this](const std::string& node) { return server_.nodes.contains(node); },
        .on_event = {},
        .copies_labels = [] { return false; }});
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
    for (const ScriptedPods::Event& event : server_.events_until(now_)) {
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
      PodWrite bind = write_about(name, known_[name].uid, PodWrite::Kind::Bind);
      bind.node = node;
      if (name.back() % 2 == 0) bind.labels = {{"trellis.scheduler/rank", name}};
      book_->order(now_, std::move(bind));
    }
    held = std::move(taken);
  }

  void evict_one() {
    std::string name = pod_name(static_cast<int>(random_.below(kPods)));
    auto found = known_.find(name);
    if (found == known_.end() || found->second.node.empty()) return;
    server_.may_be_evicted.insert(found->second.uid);
    book_->order(now_, write_about(name, found->second.uid, PodWrite::Kind::Evict));
  }

  void send() {
    while (auto send = book_->next(now_)) {
      replies_[send->ticket] = server_.ask(send->request, now_);
    }
  }

  Random random_;
  ScriptedPods server_;
  Removal removal_;
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
}  // namespace trellis::bind_faults_test
