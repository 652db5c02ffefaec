// How many GPUs look-ahead gains: halls with more waiting gangs than fit, counted over random
// gangs.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/support/long_run.h"
#include "tests/support/random.h"
#include "tests/support/world.h"

namespace trellis::look_ahead_gain_test {
namespace {

constexpr int kBlocks = 4, kRacks = 4, kNodes = 8;
constexpr int64_t kGpus = int64_t{kBlocks} * kRacks * kNodes * 8;

std::string numbered(const char* prefix, int index) {
  return prefix + std::to_string(1'000 + index);
}

struct Drawn {
  GangArgs args;
  double lifetime = 0;
  int64_t gpus() const { return args.count * args.pod.gpu; }
};

// Most are small; gangs of several nodes request most of the GPUs.
Drawn draw(Random& random) {
  Drawn drawn;
  uint32_t kind = random.below(100);
  if (kind < 40) {
    drawn.args = {.count = 1, .pod = {.gpu = int64_t{1} << random.below(4)}};
  } else if (kind < 75) {
    drawn.args = {.count = static_cast<int32_t>(random.between(2, 8)),
                  .pod = {.gpu = 8},
                  .topology = "hall",
                  .required = "rack"};
  } else if (kind < 93) {
    drawn.args = {.count = static_cast<int32_t>(random.between(6, 24)),
                  .pod = {.gpu = 8},
                  .topology = "hall",
                  .required = "block",
                  .preferred = "rack"};
  } else {
    drawn.args = {.count = static_cast<int32_t>(random.between(16, 48)),
                  .pod = {.gpu = 8},
                  .topology = "hall",
                  .preferred = "rack"};
  }
  drawn.lifetime = -std::log((1.0 + random.below(1'000'000)) / 1'000'001.0);
  return drawn;
}

class Hall {
 public:
  Hall(uint64_t seed, int64_t look_ahead) : random_(seed) {
    world_.config.actions = {"allocate"};
    world_.config.limits.look_ahead = look_ahead;
    world_.topology("hall", {"block", "rack"});
    for (int rack = 0; rack < kBlocks * kRacks; ++rack) {
      for (int i = 0; i < kNodes; ++i) {
        world_.node(
            numbered("r", rack) + "-" + std::to_string(i),
            {.gpu = 8,
             .labels = {{"block", numbered("b", rack / kRacks)}, {"rack", numbered("r", rack)}}});
      }
    }
  }

  void arrive() {
    Drawn gang = draw(random_);
    gang.args.created = static_cast<TimeUs>(drawn_.size()) * kSecondUs;
    world_.gang(name(drawn_.size()), gang.args);
    requested_ += gang.gpus();
    waiting_.push_back(drawn_.size());
    drawn_.push_back(gang);
  }

  void cycle(double now) {
    world_.cycle(static_cast<TimeUs>(now * kSecondUs));
    std::erase_if(waiting_, [&](size_t gang) {
      if (world_.status_of(name(gang) + "-0") != PodStatus::Bound) return false;
      ends_.emplace(now + drawn_[gang].lifetime, gang);
      used_ += drawn_[gang].gpus();
      return true;
    });
    world_.pass_time();
  }

  // The gang that ends first leaves.
  void leave() {
    size_t gang = ends_.begin()->second;
    ends_.erase(ends_.begin());
    used_ -= drawn_[gang].gpus();
    for (int i = 0; i < drawn_[gang].args.count; ++i) {
      world_.remove_pod(name(gang) + "-" + std::to_string(i));
    }
    world_.cluster.remove_gang("default", name(gang));
  }

  int64_t requested() const { return requested_; }
  size_t waiting() const { return waiting_.size(); }
  double next_end() const { return ends_.begin()->first; }
  double used() const { return static_cast<double>(used_) / kGpus; }

 private:
  static std::string name(size_t gang) { return "g" + std::to_string(100'000 + gang); }

  World world_;
  Random random_;
  std::vector<Drawn> drawn_;
  std::vector<size_t> waiting_;
  std::multimap<double, size_t> ends_;
  int64_t requested_ = 0;
  int64_t used_ = 0;
};

// The part of the GPUs in use after gangs that request so many percent of them came at once.
double at_once(uint64_t seed, int64_t look_ahead, int64_t percent) {
  Hall hall(seed, look_ahead);
  while (hall.requested() * 100 < percent * kGpus) hall.arrive();
  hall.cycle(0);
  return hall.used();
}

// The mean part of the GPUs in use while gangs come and go, and so many always wait.
double with_backlog(uint64_t seed, int64_t look_ahead, size_t backlog) {
  constexpr double kBegin = 2, kEnd = 7;  // in mean lifetimes
  Hall hall(seed, look_ahead);
  double sum = 0;
  for (double now = 0; now < kEnd; hall.leave()) {
    while (hall.waiting() < backlog) hall.arrive();
    hall.cycle(now);
    double next = std::min(hall.next_end(), kEnd);
    sum += hall.used() * std::max(0.0, next - std::max(now, kBegin));
    now = hall.next_end();
  }
  return sum / (kEnd - kBegin);
}

// Points that look-ahead gains.
template <class Figure>
double gain(const char* name, uint64_t seeds, Figure figure) {
  double off = 0, on = 0;
  for (uint64_t seed = 1; seed <= seeds; ++seed) {
    off += figure(seed, 0);
    on += figure(seed, 16);
  }
  double scale = 100 / static_cast<double>(seeds);
  ::testing::Test::RecordProperty(std::string(name) + "_off", std::to_string(off * scale));
  ::testing::Test::RecordProperty(std::string(name) + "_on", std::to_string(on * scale));
  return (on - off) * scale;
}

TEST(LookAheadGain, GangsThatComeAtOnceUseMoreGpus) {
  for (int64_t percent : {100, 130, 200}) {
    double points =
        gain(("at_once_" + std::to_string(percent)).c_str(), long_run(20, 200),
             [&](uint64_t seed, int64_t look_ahead) { return at_once(seed, look_ahead, percent); });
    EXPECT_GE(points, 0.2) << percent << " %";
  }
}

// One place becomes free at a time, and the head takes it: little is left to choose.
TEST(LookAheadGain, WithABacklogNothingIsLost) {
  for (size_t backlog : {4, 16, 48}) {
    double points = gain(
        ("backlog_" + std::to_string(backlog)).c_str(), long_run(4, 200),
        [&](uint64_t seed, int64_t look_ahead) { return with_backlog(seed, look_ahead, backlog); });
    EXPECT_GE(points, -2) << backlog << " wait";
  }
}

}  // namespace
}  // namespace trellis::look_ahead_gain_test
