// Workloads of several PodSets, against exhaustive search in tiny halls: the lowest level with a
// domain that holds all pods, and on it the fewest racks that they span together.
//
// Not all are exact: no workload gets more domains of any level than by Kueue's answer, so that
// two racks of two blocks stay where three racks of one block would be the lowest level.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "session/placement/workload_search.h"
#include "tests/actions/workloads/workload_hall.h"
#include "tests/oracle/small_hall.h"
#include "tests/oracle/workload_truth.h"
#include "tests/support/long_run.h"
#include "tests/support/random.h"
#include "tests/support/seed_guard.h"

namespace trellis::oracle::workload_domains_test {
namespace {

constexpr const char* kHostname = "kubernetes.io/hostname";

enum class Asks { Prefers, Requires };  // a rack
enum class Lowest { Rack, Node };       // level of the topology

struct Case {
  SmallHall hall;
  std::vector<test::PodSetArgs> sets;
  std::vector<Asks> asks;  // by set

  std::string text() const {
    std::string text = hall.text() + "; PodSets";
    for (size_t i = 0; i < sets.size(); ++i) {
      text += " " + std::to_string(sets[i].count) + "x" + std::to_string(sets[i].cores) +
              (asks[i] == Asks::Requires ? " requiring" : "");
    }
    return text;
  }
  std::vector<SmallPod> pods() const {
    std::vector<SmallPod> pods;
    for (size_t i = 0; i < sets.size(); ++i) {
      int together = asks[i] == Asks::Requires ? static_cast<int>(i) : -1;
      for (int pod = 0; pod < sets[i].count; ++pod) {
        pods.push_back({static_cast<int>(sets[i].cores), together});
      }
    }
    std::ranges::stable_sort(pods, std::greater<>(), &SmallPod::gpus);
    return pods;
  }
};

Case make_case(uint64_t seed, const std::vector<Asks>& choices) {
  Random random(seed);
  Case one;
  one.hall = random_hall(random);
  for (auto left = random.between(2, 3); left > 0; --left) {
    one.sets.push_back(
        {.count = static_cast<int32_t>(random.between(1, 3)), .cores = random.between(1, 6)});
    one.asks.push_back(random.pick(choices));
  }
  return one;
}

// What the workload spans; nullopt: it finds no place.
std::optional<Spans> span(const Case& one, Lowest lowest) {
  std::vector<std::string> levels = {"block", "rack"};
  if (lowest == Lowest::Node) levels.emplace_back(kHostname);
  test::WorkloadHall hall({.quota = 1000, .levels = levels});
  for (size_t i = 0; i < one.hall.nodes.size(); ++i) {
    const SmallHall::HallNode& node = one.hall.nodes[i];
    std::string name = "n" + std::to_string(i);
    hall.world().node(name, {.cpu = static_cast<double>(node.free),
                             .labels = {{"block", "b" + std::to_string(node.block)},
                                        {"rack", "r" + std::to_string(node.rack)},
                                        {kHostname, name}}});
  }
  Workload workload = hall.workload(one.sets);
  for (size_t i = 0; i < one.sets.size(); ++i) {
    TopologyRequest& topology = workload.pod_sets[i].topology;
    topology = {};
    (one.asks[i] == Asks::Requires ? topology.required : topology.preferred) =
        hall.world().str("rack");
  }
  WorkloadId id = hall.add(std::move(workload));
  Session& session = hall.open();
  std::vector<FlavoredPodSet> sets;
  for (const TrueRow& row : true_rows(session, id, FlavorId(0))) sets.push_back(row.set);
  WorkloadSearch search(session);
  WorkloadPlace place;
  if (!search.place(session.cluster().workloads()[id], sets, FitMode::Now, place))
    return std::nullopt;
  std::set<int> blocks;
  std::set<int> racks;
  for (const PodSetPlace& pod_set : place.pod_sets) {
    for (const SlotFill& fill : pod_set.slots) {
      std::string_view name = session.cluster().nodes()[fill.node].name;
      const SmallHall::HallNode& node = one.hall.nodes[std::stoul(std::string(name.substr(1)))];
      blocks.insert(node.block);
      racks.insert(node.rack);
    }
  }
  session.statement().rollback();
  return Spans{blocks.size() > 1 ? 2 : 1, static_cast<int>(racks.size())};
}

struct Tally {
  int placed = 0;
  int exact = 0;
  int divided = 0;
  int racks = 0;
  int least = 0;
};

Tally run(uint64_t first, const std::vector<Asks>& choices, Lowest lowest) {
  Tally tally;
  uint64_t cases = long_run(4'000, 20'000);
  for (uint64_t seed = first; seed < first + cases; ++seed) {
    SeedGuard guard(seed);
    Case one = make_case(seed, choices);
    std::optional<Spans> best = fewest_spans(one.hall, one.pods(), Inside::Hall);
    std::optional<Spans> ours = span(one, lowest);
    EXPECT_EQ(ours.has_value(), best.has_value()) << "seed " << seed << ": " << one.text();
    if (!best || !ours) continue;
    ++tally.placed;
    tally.divided += best->racks > 1 ? 1 : 0;
    tally.exact += *ours == *best ? 1 : 0;
    tally.racks += ours->racks;
    tally.least += best->racks;
    if (*ours != *best && long_run(0, 1) == 1) {
      std::printf("seed %llu: %s, %s would do: %s\n", static_cast<unsigned long long>(seed),
                  text_of(ours).c_str(), text_of(best).c_str(), one.text().c_str());
    }
  }
  std::printf("%d of %d workloads span the fewest racks; all span %d, at the least %d\n",
              tally.exact, tally.placed, tally.racks, tally.least);
  EXPECT_GT(tally.divided, static_cast<int>(cases / 10));
  return tally;
}

TEST(WorkloadDomains, OfPodSetsThatPreferARack) {
  Tally tally = run(1, {Asks::Prefers}, Lowest::Rack);
  EXPECT_GE(100 * tally.exact, 99 * tally.placed);
  EXPECT_LE(100 * tally.racks, 101 * tally.least);
}

TEST(WorkloadDomains, OfPodSetsThatRequireARack) {
  Tally tally = run(1'000'000, {Asks::Requires, Asks::Prefers}, Lowest::Rack);
  EXPECT_GE(100 * tally.exact, 97 * tally.placed);
  EXPECT_LE(100 * tally.racks, 102 * tally.least);
}

// Kueue's answers take few nodes, which also bounds the racks.
TEST(WorkloadDomains, WhereNodesAreTheLowestLevel) {
  Tally tally = run(2'000'000, {Asks::Prefers}, Lowest::Node);
  EXPECT_LE(100 * tally.racks, 104 * tally.least);
}

}  // namespace
}  // namespace trellis::oracle::workload_domains_test
