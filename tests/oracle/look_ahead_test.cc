// Look-ahead against every order: small clusters, in which the gangs of a queue compete.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "tests/support/long_run.h"
#include "tests/support/random.h"
#include "tests/support/world.h"

namespace trellis::oracle::look_ahead_test {
namespace {

std::string numbered(const char* prefix, size_t index) { return prefix + std::to_string(index); }

struct Outcome {
  int64_t gpus = 0;
  std::set<size_t> placed;  // gangs, by index
};

// Gangs of one queue, equal in rank, and the racks in which they compete.
class Case {
 public:
  explicit Case(uint64_t seed) {
    Random random(seed);
    for (int64_t racks = random.between(1, 4); racks > 0; --racks) {
      nodes_.push_back(static_cast<int>(random.between(1, 3)));
    }
    for (int64_t gangs = random.between(2, 5); gangs > 0; --gangs) {
      GangArgs args{.count = static_cast<int32_t>(random.between(1, 4)),
                    .pod = {.gpu = int64_t{1} << random.below(4)}};
      uint32_t asks = random.below(4);
      if (asks > 0) args.topology = "t";
      if (asks == 1) args.required = "rack";
      if (asks == 2) args.required = "block";
      if (asks >= 2) args.preferred = "rack";
      gangs_.push_back(args);
    }
  }

  size_t gangs() const { return gangs_.size(); }

  Outcome run(const std::vector<size_t>& order, int64_t look_ahead) const {
    World world;
    world.config.actions = {"allocate"};
    world.config.limits.look_ahead = look_ahead;
    world.topology("t", {"block", "rack"});
    for (size_t rack = 0; rack < nodes_.size(); ++rack) {
      for (int i = 0; i < nodes_[rack]; ++i) {
        world.node(numbered("r", rack) + "-" + std::to_string(i),
                   {.gpu = 8,
                    .labels = {{"block", numbered("b", rack / 2)}, {"rack", numbered("r", rack)}}});
      }
    }
    for (size_t i = 0; i < order.size(); ++i) {
      GangArgs args = gangs_[order[i]];
      args.created = static_cast<TimeUs>(i) * kSecondUs;
      world.gang(numbered("g", order[i]), args);
    }
    world.cycle(kSecondUs);
    Outcome outcome;
    for (size_t i = 0; i < gangs_.size(); ++i) {
      if (world.status_of(numbered("g", i) + "-0") != PodStatus::Bound) continue;
      outcome.placed.insert(i);
      outcome.gpus += gangs_[i].count * gangs_[i].pod.gpu;
    }
    return outcome;
  }

 private:
  std::vector<int> nodes_;  // by rack
  std::vector<GangArgs> gangs_;
};

// The most GPUs of any order in which the head keeps a place.
int64_t most_gpus(const Case& one, std::vector<size_t> order, const Outcome& plain) {
  auto head = std::ranges::find_if(order, [&](size_t gang) { return plain.placed.contains(gang); });
  if (head == order.end()) return 0;
  size_t kept = *head;
  int64_t most = 0;
  std::ranges::sort(order);
  do {
    Outcome outcome = one.run(order, 0);
    if (outcome.placed.contains(kept)) most = std::max(most, outcome.gpus);
  } while (std::ranges::next_permutation(order).found);
  return most;
}

TEST(LookAheadOracle, NearTheBestOrderAndNeverBelowTheOrderAsItStands) {
  int64_t plain_gpus = 0, gpus = 0, best_gpus = 0;
  for (uint64_t seed = 1; seed <= long_run(200, 5'000); ++seed) {
    Case one(seed);
    std::vector<size_t> order(one.gangs());
    std::iota(order.begin(), order.end(), 0);
    Outcome plain = one.run(order, 0);
    Outcome found = one.run(order, 16);
    ASSERT_GE(found.gpus, plain.gpus) << "seed " << seed;
    for (size_t gang : order) {
      if (!plain.placed.contains(gang)) continue;
      ASSERT_TRUE(found.placed.contains(gang)) << "the head, seed " << seed;
      break;
    }
    int64_t best = most_gpus(one, order, plain);
    ASSERT_LE(found.gpus, best) << "seed " << seed;
    plain_gpus += plain.gpus;
    gpus += found.gpus;
    best_gpus += best;
  }
  RecordProperty("plain", std::to_string(plain_gpus));
  RecordProperty("found", std::to_string(gpus));
  RecordProperty("best", std::to_string(best_gpus));
  EXPECT_GE(static_cast<double>(gpus), 0.995 * static_cast<double>(best_gpus));
}

}  // namespace
}  // namespace trellis::oracle::look_ahead_test
