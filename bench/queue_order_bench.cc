// The order of gangs when a tree of queues shares the cluster.
#include <benchmark/benchmark.h>

#include <set>
#include <string>
#include <vector>

#include "actions/waiting/gang_queue.h"
#include "bench/world.h"

namespace trellis::bench::queue_order {
namespace {

constexpr int kTops = 10;
constexpr int kTeams = 9;      // below each of them
constexpr int kProjects = 10;  // below each of those: 10 + 90 + 900 queues
constexpr int kGangs = 50'000;

void add_queue(Cluster& cluster, const std::string& name, const std::string& parent) {
  Queue queue;
  queue.name = name;
  if (!parent.empty()) queue.parent = cluster.vocabulary().strings.intern(parent);
  queue.gpu = {0, QueueShare::kUnlimited, 1.0};
  queue.cpu = queue.memory = {QueueShare::kUnlimited, QueueShare::kUnlimited, 1.0};
  cluster.upsert(std::move(queue));
}

std::vector<std::string> add_queues(Cluster& cluster) {
  std::vector<std::string> leaves;
  for (int i = 0; i < kTops; ++i) {
    std::string top = "t" + std::to_string(i);
    add_queue(cluster, top, "");
    for (int j = 0; j < kTeams; ++j) {
      std::string team = top + "-" + std::to_string(j);
      add_queue(cluster, team, top);
      for (int k = 0; k < kProjects; ++k) {
        leaves.push_back(team + "-" + std::to_string(k));
        add_queue(cluster, leaves.back(), team);
      }
    }
  }
  return leaves;
}

// Every gang is popped and takes what it asks for, so that its queues' amounts change each time.
std::vector<GangId> pop_and_place(Session& session) {
  GangQueue queue(session);
  for (uint32_t i = 0; i < session.cluster().gangs().size(); ++i) queue.push(GangId(i));
  std::vector<GangId> order;
  order.reserve(kGangs);
  while (!queue.empty()) {
    GangId gang = queue.pop();
    order.push_back(gang);
    for (PodId pod : session.cluster().pods_of(gang)) {
      session.statement().place_on(pod, NodeId(0), FitMode::Now, {});
    }
    queue.settle(gang);
  }
  return order;
}

// 1,000 queues in three levels, 50,000 gangs.
void QueueOrder(benchmark::State& state) {
  World world;
  world.add_nodes({.count = 1,
                   .cpu_milli = int64_t{1000} * kGangs,
                   .memory_bytes = int64_t{kGangs} << 30,
                   .gpus = kGangs});
  std::vector<std::string> leaves = add_queues(world.cluster());
  for (int i = 0; i < kGangs; ++i) {
    GangId gang = world.add_gang({.name = "g" + std::to_string(i), .gpus = 1});
    Gang record = world.cluster().gangs()[gang];
    record.queue =
        world.cluster().vocabulary().strings.intern(leaves[static_cast<size_t>(i) % leaves.size()]);
    world.cluster().upsert(std::move(record));
  }
  Session& session = world.scheduler().open(0);
  std::vector<GangId> order = pop_and_place(session);
  session.statement().rollback();
  // Teams that hold nothing go before those that hold something.
  std::set<uint32_t> teams;
  for (size_t i = 0; i < kTops * kTeams; ++i) {
    QueueId leaf = *session.snapshot().queues().queue_of_gang()[order[i]];
    teams.insert(session.snapshot().queues().tree().parent(leaf).value);
  }
  if (order.size() != kGangs || teams.size() != kTops * kTeams) {
    state.SkipWithError("not every gang in its turn");
  }
  Latencies().run(
      state, [&] { benchmark::DoNotOptimize(pop_and_place(session)); },
      [&] { session.statement().rollback(); });
}
BENCHMARK(QueueOrder)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace trellis::bench::queue_order
