// Small workloads against every arrangement of their pods: what has a place finds one, also where
// pods have terms about each other, limits per node, placement preferences, NUMA zones, a leader,
// or PodSets that compete.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "session/placement/workload_search.h"
#include "tests/actions/workloads/workload_hall.h"
#include "tests/oracle/random_preference.h"
#include "tests/oracle/workload_truth.h"
#include "tests/support/long_run.h"
#include "tests/support/random.h"
#include "tests/support/zones.h"

namespace trellis::workload_demand_test {
namespace {

enum class Zones { None, Some };

class SmallCase {
 public:
  SmallCase(uint64_t seed, Zones zones)
      : random_(seed), zoned_(zones == Zones::Some), hall_({.quota = 1000}) {
    uint32_t nodes = 2 + random_.below(4);
    for (uint32_t i = 0; i < nodes; ++i) {
      std::string name = "n" + std::to_string(i);
      int64_t cores = 1 + random_.below(4);
      hall_.node(name, static_cast<double>(cores), "r" + std::to_string(random_.below(3)));
      if (zoned_) split(hall_.world().node_id(name), cores);
    }
    std::vector<test::PodSetArgs> sets;
    uint32_t count = 1 + random_.below(2);
    for (uint32_t i = 0; i < count; ++i) {
      sets.push_back(
          {.count = static_cast<int32_t>(1 + random_.below(3)), .cores = 1 + random_.below(3)});
    }
    Workload workload = hall_.workload(sets);
    bool grouped = count == 2 && random_.chance(25);
    for (size_t i = 0; i < workload.pod_sets.size(); ++i) ask(i, grouped, workload);
    id_ = hall_.add(std::move(workload));
  }

  // What the search says, and what is true.
  std::pair<bool, bool> run() {
    session_ = &hall_.open();
    const Workload& workload = session_->cluster().workloads()[id_];
    std::vector<TrueRow> rows = true_rows(*session_, id_, FlavorId(0));
    std::vector<FlavoredPodSet> sets;
    for (const TrueRow& row : rows) sets.push_back(row.set);
    WorkloadSearch search(*session_);
    WorkloadPlace place;
    bool found = search.place(workload, sets, FitMode::Now, place);
    if (found) check(rows, place);
    session_->statement().rollback();
    return {found, has_arrangement(*session_, rows, FitMode::Now)};
  }

 private:
  // The node has two free zones.
  void split(NodeId node, int64_t cores) {
    int64_t first = random_.below(static_cast<uint32_t>(cores) + 1);
    std::vector<int64_t> zones = {first, cores - first};
    test::report_zones(hall_.world(), node, zones, zones);
  }

  StrId str(const char* text) { return hall_.world().str(text); }

  PodTerm term(const char* label, const char* value, const char* key) {
    PodTerm term;
    term.pods.labels = {{str(label), SelectorOp::In, {str(value)}}};
    term.key = str(key);
    return term;
  }

  void ask(size_t index, bool grouped, Workload& workload) {
    PodSet& set = workload.pod_sets[index];
    const char* name = index == 0 ? "a" : "b";
    set.labels = {{str("role"), str(name)}};
    set.topology = {};
    uint32_t mode = grouped ? 0 : random_.below(3);
    if (mode == 0) set.topology.required = str("rack");
    if (mode == 1) set.topology.preferred = str("rack");
    if (mode == 2) set.topology.unconstrained = true;
    if (grouped) set.topology.group = str("group");
    if (grouped && index == 1) set.count = 1;
    const char* key = random_.chance(50) ? "rack" : "kubernetes.io/hostname";
    if (random_.chance(20)) {
      set.spec.pod_anti_affinity = {term("role", name, key)};
    }
    if (index == 1 && random_.chance(25)) {
      bool together = random_.chance(50);
      (together ? set.spec.pod_affinity : set.spec.pod_anti_affinity)
          .push_back(term("role", "a", "rack"));
    }
    if (random_.chance(15)) {
      set.spec.placement.service = str(index == 0 ? "service-a" : "service-b");
      set.spec.placement.max_pods_per_node = 1;
    }
    if (random_.chance(20)) prefer(set, index);
    if (zoned_) set.spec.demand = test::zone_demand(set.spec.requests.get(kCpu) / kMilli);
  }

  void prefer(PodSet& set, size_t index) {
    set.spec.placement.service = str(index == 0 ? "service-a" : "service-b");
    set.spec.placement.list = {test::random_preference(random_, str("rack"))};
  }

  // All pods have a place, and required racks are kept.
  void check(const std::vector<TrueRow>& rows, const WorkloadPlace& place) {
    ASSERT_EQ(place.pod_sets.size(), rows.size());
    std::vector<std::pair<int, DomainId>> racks;
    for (size_t i = 0; i < rows.size(); ++i) {
      int32_t pods = 0;
      for (const SlotFill& fill : place.pod_sets[i].slots) {
        pods += fill.count;
        if (rows[i].bound_unit < 0) continue;
        racks.emplace_back(rows[i].bound_unit, domain_of(*session_, rows[i], fill.node));
      }
      EXPECT_EQ(pods, rows[i].set.count);
    }
    for (const auto& [unit, rack] : racks) {
      for (const auto& [other, other_rack] : racks) {
        EXPECT_TRUE(unit != other || rack == other_rack);
      }
    }
  }

  Random random_;
  bool zoned_;
  test::WorkloadHall hall_;
  WorkloadId id_;
  Session* session_ = nullptr;
};

void place_all(Zones zones) {
  int placed = 0;
  int refused = 0;
  int missed = 0;
  auto cases = static_cast<int>(long_run(5000, 20000));
  for (int seed = 1; seed <= cases; ++seed) {
    SmallCase one(static_cast<uint64_t>(seed), zones);
    auto [found, exists] = one.run();
    ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << seed;
    EXPECT_TRUE(exists || !found) << "seed " << seed;
    (found ? placed : refused) += 1;
    if (found || !exists) continue;
    ADD_FAILURE() << "seed " << seed;
    ++missed;
  }
  EXPECT_GT(placed, cases / 4);
  EXPECT_GT(refused, cases / 10);
  std::printf("%d workloads are placed, %d wait: %d of them have a place\n", placed, refused,
              missed);
}

TEST(WorkloadDemandOracle, PlacesWhateverHasAPlace) { place_all(Zones::None); }

TEST(WorkloadDemandOracle, PlacesWhateverHasAPlaceInNumaZones) { place_all(Zones::Some); }

}  // namespace
}  // namespace trellis::workload_demand_test
