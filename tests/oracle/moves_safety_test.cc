// What must hold of every cycle in which gangs are moved for others, whatever is decided: nothing
// oversubscribed, no gang broken, no victim that the rules protect, no eviction without the
// placement that it enables, and an end to it.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/long_run.h"
#include "tests/support/queues.h"
#include "tests/support/random.h"
#include "tests/support/seed_guard.h"
#include "tests/support/world.h"

namespace trellis::oracle::moves_safety_test {
namespace {

constexpr int kMostCycles = 40;  // until nothing moves any more

class Competition {
 public:
  explicit Competition(uint64_t seed) : random_(seed) {
    world.topology("t", {"rack", "node"});
    uint32_t nodes = 1 + random_.below(6);
    for (uint32_t i = 0; i < nodes; ++i) {
      std::string name = "n" + std::to_string(i);
      free_.push_back(1 + random_.below(4));
      world.node(name, {.cpu = static_cast<double>(random_.between(4, 12)),
                        .gpu = free_.back(),
                        .labels = {{"rack", "r" + std::to_string(i % 2)}, {"node", name}}});
    }
    add_queues();
    uint32_t gangs = 3 + random_.below(8);
    for (uint32_t i = 0; i < gangs; ++i) add_gang("g" + std::to_string(i));
  }

  // Pods that hold a node, by gang, as the cycle finds them.
  std::map<GangId, int64_t> placed() const {
    std::map<GangId, int64_t> counts;
    for (PodId pod : world.cluster.pods_by_name()) {
      const PodSlot& slot = world.cluster.pods()[pod];
      counts[slot.gang] += will_remain(slot.pod.status) ? 1 : 0;
    }
    return counts;
  }

  World world;

 private:
  void add_queues() {
    bool deep = random_.chance(40);
    if (deep) {
      add_queue(world.cluster, "d0", {.gpu_quota = quota(), .gpu_weight = weight()});
      add_queue(world.cluster, "d1", {.gpu_quota = quota(), .gpu_weight = weight()});
    }
    uint32_t queues = 2 + random_.below(3);
    for (uint32_t i = 0; i < queues; ++i) {
      std::string name = "q" + std::to_string(i);
      add_queue(world.cluster, name,
                {.parent = deep ? "d" + std::to_string(i % 2) : "",
                 .gpu_quota = quota(),
                 .gpu_limit = random_.chance(15) ? quota() + 2 : -1,
                 .gpu_weight = weight(),
                 .priority = random_.chance(20) ? 200 : 100,
                 .created = i});
      queues_.push_back(name);
    }
  }
  double quota() { return static_cast<double>(random_.below(5)); }
  double weight() { return static_cast<double>(random_.below(3)); }

  void add_gang(const std::string& name) {
    int32_t pods = 1 + static_cast<int32_t>(random_.below(4));
    int64_t gpus = random_.chance(15) ? 0 : random_.between(1, 2);
    bool in_rack = random_.chance(25);
    world.gang(name,
               {.min_member = 1 + static_cast<int32_t>(random_.below(static_cast<uint32_t>(pods))),
                .topology = in_rack ? "t" : "",
                .required = in_rack ? "rack" : "",
                .priority = static_cast<int32_t>(10 * random_.between(1, 6)),
                .created = static_cast<TimeUs>(random_.below(1000)),
                .queue = random_.pick(queues_),
                .preemptible = random_.chance(85)});
    bool runs = random_.chance(60) && !in_rack;
    std::vector<PodArgs> made(static_cast<size_t>(pods), {.gpu = gpus});
    for (PodArgs& pod : made) {
      if (!runs) break;
      size_t node = random_.below(static_cast<uint32_t>(free_.size()));
      runs = free_[node] >= gpus && cpus_[node] < 4;
      if (!runs) break;
      free_[node] -= gpus;
      ++cpus_[node];
      pod.node = "n" + std::to_string(node);
      pod.status = PodStatus::Running;
    }
    for (size_t i = 0; i < made.size(); ++i) {
      world.pod(name + "-" + std::to_string(i), name, made[i]);
    }
  }

  Random random_;
  std::vector<int64_t> free_;
  std::map<size_t, int> cpus_;
  std::vector<std::string> queues_;
};

void check_nodes(const World& world) {
  const Cluster& cluster = world.cluster;
  std::map<NodeId, int64_t> now;
  std::map<NodeId, int64_t> later;
  for (PodId pod : cluster.pods_by_name()) {
    const PodOutcome& outcome = world.record().pods[pod];
    const PodSlot& slot = cluster.pods()[pod];
    int64_t gpus = cluster.pod_classes()[slot.pod_class].requests.get(kGpu);
    NodeId was = will_remain(slot.pod.status) || slot.pod.status == PodStatus::Releasing ? slot.node
                                                                                         : NodeId();
    if (was.valid()) now[was] += gpus;
    if (outcome.status == PodStatus::Bound && !was.valid()) now[outcome.node] += gpus;
    if (will_remain(outcome.status)) later[outcome.node] += gpus;
  }
  for (const auto& [node, gpus] : now) {
    ASSERT_LE(gpus, cluster.nodes()[node].allocatable.get(kGpu)) << cluster.nodes()[node].name;
  }
  for (const auto& [node, gpus] : later) {
    ASSERT_LE(gpus, cluster.nodes()[node].allocatable.get(kGpu)) << cluster.nodes()[node].name;
  }
}

void check_gangs(const World& world, const std::map<GangId, int64_t>& before) {
  std::map<GangId, int64_t> after;
  for (PodId pod : world.cluster.pods_by_name()) {
    after[world.cluster.pods()[pod].gang] += will_remain(world.record().pods[pod].status) ? 1 : 0;
  }
  for (const auto& [gang, placed] : after) {
    int64_t minimum = world.cluster.gangs()[gang].min_member;
    bool whole = placed == 0 || placed >= minimum;
    bool as_found = placed == before.at(gang);
    ASSERT_TRUE(whole || as_found) << world.cluster.gangs()[gang].name << ": " << before.at(gang)
                                   << " -> " << placed << " of " << minimum;
  }
}

void check_victims(World& world) {
  const Cluster& cluster = world.cluster;
  for (const Decision& eviction : world.evictions()) {
    const Gang& victim = cluster.gangs()[cluster.pods()[eviction.pod].gang];
    SCOPED_TRACE(std::string(eviction.action) + " of " + victim.name);
    if (eviction.action == "stalegangeviction") continue;
    ASSERT_TRUE(eviction.by.valid());
    const Gang& by = cluster.gangs()[eviction.by];
    GangStatus status = world.record().gangs[eviction.by].status;
    ASSERT_TRUE(status != GangStatus::Pending && status != GangStatus::Evicted)
        << by.name << " was given no place";
    ASSERT_TRUE(victim.preemptible);
    if (eviction.action == "preempt") {
      ASSERT_LT(victim.priority, by.priority);
      ASSERT_EQ(victim.queue, by.queue);
    }
    if (eviction.action == "reclaim") {
      ASSERT_NE(victim.queue, by.queue);
    }
    if (eviction.action == "consolidation") {
      ASSERT_TRUE(world.record().pods[eviction.pod].evicted) << "has no new place";
    }
  }
}

// A root queue that loses a pod for good holds more than it deserves, at that time.
void check_shares(const World& world) {
  const Cluster& cluster = world.cluster;
  std::map<StrId, int64_t> held;
  auto queue_of = [&](PodId pod) { return cluster.gangs()[cluster.pods()[pod].gang].queue.raw(); };
  auto gpus_of = [&](PodId pod) {
    return cluster.pod_classes()[cluster.pods()[pod].pod_class].requests.get(kGpu);
  };
  for (PodId pod : cluster.pods_by_name()) {
    if (will_remain(cluster.pods()[pod].pod.status)) held[queue_of(pod)] += gpus_of(pod);
  }
  std::set<std::pair<GangId, GangId>> judged;  // by its first pod
  for (const Decision& made : world.record().decisions) {
    PodId pod = made.pod;
    if (world.record().pods[pod].evicted) continue;  // stands elsewhere in the end
    StrId name = queue_of(pod);
    if (made.kind != Decision::Kind::Evict) {
      held[name] += gpus_of(pod);
      continue;
    }
    const Queue& queue =
        cluster.queues()[cluster.find_queue(cluster.vocabulary().strings.view(name))];
    bool first = judged.emplace(cluster.pods()[pod].gang, made.by).second;
    if (made.action == "reclaim" && first && !queue.parent.valid()) {
      bool limited = queue.gpu.limit != QueueShare::kUnlimited;
      int64_t deserved = limited ? std::min(queue.gpu.limit, queue.gpu.quota) : queue.gpu.quota;
      ASSERT_GT(held[name], deserved) << queue.name << " lost what it deserves";
    }
    held[name] -= gpus_of(pod);
  }
}

std::string evictions_text(const World& world) {
  std::string text;
  const Cluster& cluster = world.cluster;
  for (const Decision& eviction : world.evictions()) {
    std::string by = eviction.by.valid() ? cluster.gangs()[eviction.by].name : "-";
    text += std::string(eviction.action) + ": " + cluster.pods()[eviction.pod].pod.name + " for " +
            by + "\n";
  }
  return text;
}

struct Tally {
  int64_t cycles = 0;
  int64_t evictions = 0;
};

// Until nothing moves any more, which it must come to.
void live(uint64_t seed, Tally& tally) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  SeedGuard guard(seed);
  Competition competition(seed);
  World& world = competition.world;
  std::string last;
  for (int cycle = 0; cycle < kMostCycles; ++cycle) {
    std::map<GangId, int64_t> before = competition.placed();
    world.cycle(cycle * kSecondUs);
    ++tally.cycles;
    tally.evictions += static_cast<int64_t>(world.evictions().size());
    check_nodes(world);
    check_gangs(world, before);
    check_victims(world);
    check_shares(world);
    if (::testing::Test::HasFatalFailure() || world.record().decisions.empty()) return;
    if (cycle >= kMostCycles - 3) last += world.decisions() + evictions_text(world) + "\n";
    world.pass_time();
  }
  FAIL() << "never ends; its last three cycles:\n" << last;
}

TEST(MovesSafety, RandomCycles) {
  uint64_t worlds = long_run(1'500, 30'000);
  Tally tally;
  for (uint64_t seed = 1; seed <= worlds; ++seed) {
    live(seed, tally);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(tally.evictions, static_cast<int64_t>(worlds / 4));
  RecordProperty("cycles", static_cast<int>(tally.cycles));
}

// A gang is reclaimed for, a larger one of its queue would preempt it and take that queue above its
// share, and the one that left would reclaim the larger one.
TEST(MovesSafety, PreemptAndReclaimDoNotTakeTurns) {
  Tally tally;
  live(15'636, tally);
}

}  // namespace
}  // namespace trellis::oracle::moves_safety_test
