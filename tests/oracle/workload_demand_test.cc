// Small workloads against every arrangement of their pods: what has a place finds one, also where
// pods have terms about each other, limits per node, a leader, or PodSets that compete.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "session/placement/workload_search.h"
#include "tests/actions/workloads/workload_hall.h"
#include "tests/support/long_run.h"
#include "tests/support/random.h"

namespace trellis::workload_demand_test {
namespace {

constexpr int kRackLevel = 0;

// A row of the truth: equal pods, bound to one rack with the other rows of their unit or not.
struct TrueRow {
  FlavoredPodSet set;
  int bound_unit = -1;  // -1: to no rack
};

class SmallCase {
 public:
  explicit SmallCase(uint64_t seed) : random_(seed), hall_({.quota = 1000}) {
    uint32_t nodes = 2 + random_.below(4);
    for (uint32_t i = 0; i < nodes; ++i) {
      hall_.node("n" + std::to_string(i), 1 + random_.below(4),
                 "r" + std::to_string(random_.below(3)));
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

  bool has_terms() const { return has_terms_; }

  // What the search says, and what is true.
  std::pair<bool, bool> run() {
    session_ = &hall_.open();
    const Workload& workload = session_->cluster().workloads()[id_];
    std::vector<FlavoredPodSet> sets;
    for (size_t i = 0; i < workload.pod_sets.size(); ++i) {
      FlavoredPodSet set;
      set.pod_set = static_cast<uint32_t>(i);
      set.flavor = FlavorId(0);
      set.topology = session_->cluster().find_topology("hall");
      set.pod_class = session_->snapshot().workloads().flavored(id_, i, set.flavor);
      set.count = workload.pod_sets[i].count;
      sets.push_back(set);
    }
    WorkloadSearch search(*session_);
    WorkloadPlace place;
    bool found = search.place(workload, sets, FitMode::Now, place);
    if (found) check(workload, sets, place);
    session_->statement().rollback();
    return {found, exists(true_rows(workload, sets))};
  }

 private:
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
      has_terms_ = true;
    }
    if (index == 1 && random_.chance(25)) {
      bool together = random_.chance(50);
      (together ? set.spec.pod_affinity : set.spec.pod_anti_affinity)
          .push_back(term("role", "a", "rack"));
      has_terms_ = true;
    }
    if (random_.chance(15)) {
      set.spec.placement.service = str(index == 0 ? "service-a" : "service-b");
      set.spec.placement.max_pods_per_node = 1;
    }
  }

  std::vector<TrueRow> true_rows(const Workload& workload,
                                 const std::vector<FlavoredPodSet>& sets) const {
    std::vector<TrueRow> rows;
    for (const FlavoredPodSet& set : sets) {
      const TopologyRequest& request = workload.pod_sets[set.pod_set].topology;
      int unit = request.group.valid() ? 0 : static_cast<int>(set.pod_set);
      rows.push_back({set, request.required.valid() ? unit : -1});
    }
    return rows;
  }

  DomainId rack_of(NodeId node, const FlavoredPodSet& set) const {
    const TopologyTree& tree = session_->snapshot().trees()[set.topology];
    return tree.ancestor(tree.domain_of(node), kRackLevel);
  }

  // Tries every order of rows and every node for each pod.
  bool exists(const std::vector<TrueRow>& rows) {
    struct Step {
      size_t choice = 0;  // row and node
      Statement::Checkpoint before;
      size_t row = 0;
      NodeId node;
    };
    size_t nodes = session_->cluster().nodes().size();
    int64_t all = 0;
    for (const TrueRow& row : rows) all += row.set.count;
    std::vector<Step> steps(1);
    steps.front().before = session_->statement().checkpoint();
    while (!steps.empty()) {
      if (static_cast<int64_t>(steps.size()) == all + 1) return true;
      Step& step = steps.back();
      session_->statement().rollback(step.before);
      if (step.choice == rows.size() * nodes) {
        steps.pop_back();
        continue;
      }
      step.row = step.choice / nodes;
      step.node = NodeId(step.choice % nodes);
      ++step.choice;
      int64_t placed = std::count_if(steps.begin(), steps.end() - 1,
                                     [&](const Step& other) { return other.row == step.row; });
      bool same_rack = std::all_of(steps.begin(), steps.end() - 1, [&](const Step& other) {
        int unit = rows[other.row].bound_unit;
        if (unit < 0 || unit != rows[step.row].bound_unit) return true;
        const FlavoredPodSet& set = rows[step.row].set;
        return rack_of(other.node, set) == rack_of(step.node, set);
      });
      PodClassId pod_class = rows[step.row].set.pod_class;
      bool fits = placed < rows[step.row].set.count && same_rack &&
                  session_->fits().node_fit(step.node, pod_class, FitMode::Now) > 0 &&
                  session_->fits().link_verdict(pod_class, FitMode::Now, step.node).passes();
      if (!fits) continue;
      session_->statement().take_slots(pod_class, step.node, 1, FitMode::Now);
      steps.emplace_back();
      steps.back().before = session_->statement().checkpoint();
    }
    return false;
  }

  // All pods have a place, and required racks are kept.
  void check(const Workload& workload, const std::vector<FlavoredPodSet>& sets,
             const WorkloadPlace& place) {
    std::vector<TrueRow> rows = true_rows(workload, sets);
    ASSERT_EQ(place.pod_sets.size(), sets.size());
    std::vector<std::pair<int, DomainId>> racks;
    for (size_t i = 0; i < sets.size(); ++i) {
      int32_t pods = 0;
      for (const SlotFill& fill : place.pod_sets[i].slots) {
        pods += fill.count;
        if (rows[i].bound_unit >= 0) {
          racks.emplace_back(rows[i].bound_unit, rack_of(fill.node, sets[i]));
        }
      }
      EXPECT_EQ(pods, sets[i].count);
    }
    for (const auto& [unit, rack] : racks) {
      for (const auto& [other, other_rack] : racks) {
        EXPECT_TRUE(unit != other || rack == other_rack);
      }
    }
  }

  Random random_;
  test::WorkloadHall hall_;
  WorkloadId id_;
  Session* session_ = nullptr;
  bool has_terms_ = false;
};

TEST(WorkloadDemandOracle, PlacesWhateverHasAPlace) {
  int placed = 0;
  int refused = 0;
  int missed_terms = 0;
  auto cases = static_cast<int>(long_run(1500, 20000));
  for (int seed = 1; seed <= cases; ++seed) {
    SmallCase one(static_cast<uint64_t>(seed));
    auto [found, exists] = one.run();
    ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << seed;
    EXPECT_TRUE(exists || !found) << "seed " << seed;
    (found ? placed : refused) += 1;
    if (found || !exists) continue;
    // With terms, not every arrangement of several units is tried.
    EXPECT_TRUE(one.has_terms()) << "seed " << seed;
    ++missed_terms;
  }
  EXPECT_GT(placed, cases / 4);
  EXPECT_GT(refused, cases / 10);
  EXPECT_LE(missed_terms, cases / 100);
  RecordProperty("missed", missed_terms);
}

}  // namespace
}  // namespace trellis::workload_demand_test
