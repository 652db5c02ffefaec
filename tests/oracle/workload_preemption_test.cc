// Small clusters with running workloads of low priority, against every set of victims: a workload
// of high priority makes room whenever some set makes room, also where only terms between pods,
// limits per node, or NUMA zones keep it out, where its pods have placement preferences, and where
// it has several PodSets; and with as few victims as possible. While a report shows pods that have
// left, none leaves for their zones; then the workload has the place that was made for it, also
// where another one comes before it in its queue.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "server/writeback/between_cycles.h"
#include "session/cycle/session_workloads.h"
#include "tests/actions/workloads/workload_hall.h"
#include "tests/oracle/random_preference.h"
#include "tests/oracle/workload_truth.h"
#include "tests/support/long_run.h"
#include "tests/support/random.h"
#include "tests/support/zones.h"

namespace trellis::workload_preemption_test {
namespace {

// What the workloads have.
struct Traits {
  bool zones = false;
  bool preferences = false;
  bool pod_sets = false;  // several
};

struct Outcome {
  int fewest = -1;      // victims of the smallest set that makes room; -1: none does
  int evicted = 0;      // for the workload of high priority
  bool served = false;  // admitted, or it waits for its victims
};

class CrowdedCase {
 public:
  CrowdedCase(uint64_t seed, const Traits& traits)
      : random_(seed),
        traits_(traits),
        hall_({.quota = 1000, .within_queue = PreemptWithin::LowerPriority}) {
    uint32_t nodes = 2 + random_.below(3);
    for (uint32_t i = 0; i < nodes; ++i) {
      std::string name = "n" + std::to_string(i);
      auto cores = static_cast<int64_t>(2 + random_.below(3));
      hall_.node(name, static_cast<double>(cores), "r" + std::to_string(random_.below(2)));
      if (traits_.zones) split(hall_.world().node_id(name), cores);
    }
    uint32_t low = 1 + random_.below(4);
    for (uint32_t i = 0; i < low; ++i) add_low();
    pass_time(hall_.world().cluster, hall_.world().cycle(0));
    for (WorkloadId id : low_) run_pods(id);
    for (const auto& [node, whole] : zones_) report(node);
    if (traits_.zones && random_.chance(30)) end(random_.pick(low_));
    add_high();
  }

  // Two cycles later, the agents still have not reported that the victims left.
  int evicted_later() {
    int evicted = 0;
    for (TimeUs now = 2 * kSecondUs; now < 4 * kSecondUs; now += kSecondUs) {
      pass();
      for (const WorkloadDecision& decision : hall_.world().cycle(now).workload_decisions) {
        if (decision.by.workload == high_) ++evicted;
      }
    }
    return evicted;
  }

  // A workload that was queued before comes, and asks for the same. Then all that was evicted is
  // gone and reported.
  bool has_its_place_at_last() {
    pass();
    Workload rival = hall_.world().cluster.workloads()[high_];
    rival.name = "rival";
    rival.queued = 0;
    rival.promised.reset();
    hall_.add(std::move(rival));
    hall_.world().cycle(4 * kSecondUs);
    pass();
    report_what_is_there();
    const CycleRecord& record = hall_.world().cycle(5 * kSecondUs);
    return record.workloads[high_].status == WorkloadStatus::Admitted;
  }

  Outcome run() {
    Outcome outcome;
    Session& session = hall_.open(kSecondUs);
    outcome.fewest = fewest_victims(session);
    const CycleRecord& record = hall_.world().cycle(kSecondUs);
    for (const WorkloadDecision& decision : record.workload_decisions) {
      if (decision.by.workload == high_) ++outcome.evicted;
      outcome.served = outcome.served || (decision.workload == high_ &&
                                          decision.kind != WorkloadDecision::Kind::Evict);
    }
    return outcome;
  }

 private:
  StrId str(std::string_view text) { return hall_.world().str(text); }

  // After the last cycle. What was evicted does not come back.
  void pass() {
    const CycleRecord& record = hall_.world().record();
    pass_time(hall_.world().cluster, record);
    for (const WorkloadDecision& decision : record.workload_decisions) {
      if (evicts(decision)) hall_.world().cluster.edit(decision.workload).active = false;
    }
  }

  // The node has two zones, and nothing is taken of them yet.
  void split(NodeId node, int64_t cores) {
    auto first = static_cast<int64_t>(random_.below(static_cast<uint32_t>(cores) + 1));
    zones_[node] = free_[node] = {first, cores - first};
    report(node);
  }

  void report(NodeId node) {
    test::report_zones(hall_.world(), node, zones_.at(node), free_.at(node));
  }

  void need_zones(PodSet& set) {
    if (traits_.zones) set.spec.demand = test::zone_demand(set.spec.requests.get(kCpu) / kMilli);
  }

  // Takes the lowest zone that holds the pod, as the kubelet does. False: none does.
  bool take_zone(NodeId node, Pod& pod, int64_t cores) {
    if (!traits_.zones) return true;
    std::vector<int64_t>& free = free_.at(node);
    auto zone = std::ranges::find_if(free, [&](int64_t left) { return left >= cores; });
    if (zone == free.end()) return false;
    *zone -= cores;
    pod.containers = test::in_zone(hall_.world(), zone - free.begin());
    in_zones_.push_back({pod.name, node, static_cast<size_t>(zone - free.begin()), cores});
    return true;
  }

  void report_what_is_there() {
    free_ = zones_;
    const Cluster& cluster = hall_.world().cluster;
    for (const InZone& one : in_zones_) {
      PodId id = cluster.find_pod("default", one.pod);
      bool runs = id.valid() && cluster.pods()[id].pod.status == PodStatus::Running;
      if (runs) free_.at(one.node)[one.zone] -= one.cores;
    }
    for (const auto& [node, whole] : zones_) report(node);
  }

  // The workload's pods leave, and the agents have not reported it.
  void end(WorkloadId id) {
    Cluster& cluster = hall_.world().cluster;
    std::vector<PodId> pods = cluster.workloads().pods_of(id);
    for (PodId pod : pods) hall_.world().remove_pod(std::string(cluster.pods()[pod].pod.name));
    Workload& workload = cluster.edit(id);
    workload.admission.reset();
    workload.finished = true;
  }

  void add_low() {
    Workload workload = hall_.workload(
        {{.count = static_cast<int32_t>(1 + random_.below(2)), .cores = 1 + random_.below(2)}},
        static_cast<int32_t>(random_.below(3)));
    PodSet& set = workload.pod_sets.front();
    set.topology = {};
    set.topology.required = str(random_.chance(50) ? "rack" : "kubernetes.io/hostname");
    set.labels = {{str("role"), str(random_.chance(50) ? "noisy" : "calm")}};
    need_zones(set);
    if (random_.chance(20)) one_per_node(set);
    low_.push_back(hall_.add(std::move(workload)));
  }

  void one_per_node(PodSet& set) {
    set.spec.placement.service = str("service");
    set.spec.placement.max_pods_per_node = 1;
  }

  // Its pods have come, each into a slot.
  void run_pods(WorkloadId id) {
    const Workload& workload = hall_.world().cluster.workloads()[id];
    if (!workload.admission) return;
    const TopologyAssignment& assigned = *workload.admission->pod_sets.front().topology;
    int next = 0;
    for (size_t i = 0; i < assigned.size(); ++i) {
      for (int32_t left = assigned.counts[i]; left > 0; --left) {
        Pod pod;
        pod.name_space = workload.name_space;
        pod.name = workload.name + "-" + std::to_string(next++);
        pod.gang = str(pod.name);
        pod.workload = str("default/" + workload.name);
        pod.pod_set = workload.pod_sets.front().name;
        pod.labels = workload.pod_sets.front().labels;
        pod.node = std::string(hall_.world().cluster.vocabulary().strings.view(assigned.values[i]));
        pod.status = PodStatus::Running;
        int64_t cores = workload.pod_sets.front().spec.requests.get(kCpu) / kMilli;
        if (!take_zone(hall_.world().node_id(pod.node), pod, cores)) continue;
        hall_.world().cluster.upsert(std::move(pod), PodSpec(workload.pod_sets.front().spec));
      }
    }
  }

  void add_high() {
    bool several = traits_.pod_sets;
    std::vector<test::PodSetArgs> sets;
    for (uint32_t i = 0; i < (several ? 2U : 1U); ++i) {
      sets.push_back({.count = static_cast<int32_t>(1 + random_.below(several ? 2 : 3)),
                      .cores = 1 + random_.below(3)});
    }
    Workload workload = hall_.workload(sets, 10, kSecondUs);
    for (PodSet& set : workload.pod_sets) ask(set);
    if (several && random_.chance(30)) group(workload);
    high_ = hall_.add(std::move(workload));
  }

  // Workers and their leader, in one rack.
  void group(Workload& workload) {
    for (PodSet& set : workload.pod_sets) {
      set.topology = {};
      set.topology.required = str("rack");
      set.topology.group = str("group");
    }
    workload.pod_sets.back().count = 1;
  }

  void ask(PodSet& set) {
    need_zones(set);
    set.topology = {};
    switch (random_.below(3)) {
      case 0:
        set.topology.required = str("rack");
        break;
      case 1:
        set.topology.required = str("kubernetes.io/hostname");
        break;
      default:
        set.topology.unconstrained = true;
    }
    if (!traits_.pod_sets && random_.chance(40)) {
      PodTerm term;
      term.pods.labels = {{str("role"), SelectorOp::In, {str("noisy")}}};
      term.key = str(random_.chance(50) ? "rack" : "kubernetes.io/hostname");
      set.spec.pod_anti_affinity = {term};
    }
    if (random_.chance(20)) one_per_node(set);
    if (traits_.preferences) prefer(set);
  }

  void prefer(PodSet& set) {
    set.spec.placement.service = str("service");
    set.spec.placement.list = {test::random_preference(random_, str("rack"))};
  }

  int fewest_victims(Session& session) {
    std::vector<TrueRow> rows = true_rows(session, high_, FlavorId(0));
    std::vector<WorkloadId> victims;
    for (WorkloadId id : low_) {
      if (session.cluster().workloads()[id].admission) victims.push_back(id);
    }
    int fewest = -1;
    Statement::Checkpoint start = session.statement().checkpoint();
    for (uint32_t set = 0; set < (1U << victims.size()); ++set) {
      if (fewest >= 0 && std::popcount(set) >= fewest) continue;
      for (size_t i = 0; i < victims.size(); ++i) {
        if ((set >> i & 1U) != 0) depart(session, victims[i], {{}, high_});
      }
      if (has_arrangement(session, rows, FitMode::Future)) fewest = std::popcount(set);
      session.statement().rollback(start);
    }
    return fewest;
  }

  // A pod of low priority where it began to run.
  struct InZone {
    std::string pod;
    NodeId node;
    size_t zone;
    int64_t cores;
  };

  Random random_;
  Traits traits_;
  test::WorkloadHall hall_;
  std::vector<InZone> in_zones_;
  std::map<NodeId, std::vector<int64_t>> zones_;  // cores
  std::map<NodeId, std::vector<int64_t>> free_;   // of them
  std::vector<WorkloadId> low_;
  WorkloadId high_;
};

void find_victims(const Traits& traits) {
  auto cases = static_cast<int>(long_run(2000, 20000));
  int with_victims = 0;
  int refused = 0;
  int missed = 0;
  int more = 0;
  for (int seed = 1; seed <= cases; ++seed) {
    CrowdedCase crowded(static_cast<uint64_t>(seed), traits);
    Outcome outcome = crowded.run();
    EXPECT_TRUE(outcome.fewest >= 0 || !outcome.served) << "seed " << seed;
    EXPECT_TRUE(outcome.fewest > 0 || outcome.evicted == 0) << "seed " << seed;
    if (outcome.served) {
      EXPECT_EQ(crowded.evicted_later(), 0) << "seed " << seed;
      EXPECT_TRUE(crowded.has_its_place_at_last()) << "seed " << seed;
    }
    if (outcome.fewest < 0) ++refused;
    if (outcome.fewest < 1) continue;
    ++with_victims;
    if (!outcome.served) ++missed;
    if (outcome.served && outcome.evicted > outcome.fewest) ++more;
  }
  std::printf("%d of %d workloads need victims: %d find none, %d find more than the fewest\n",
              with_victims, cases, missed, more);
  EXPECT_GT(with_victims, cases / 5);
  EXPECT_GT(refused, cases / 20);
  EXPECT_EQ(missed, 0);
  EXPECT_LE(more, with_victims / 100);
}

TEST(WorkloadPreemptionOracle, FindsVictimsWheneverSomeMakeRoom) { find_victims({}); }

TEST(WorkloadPreemptionOracle, FindsVictimsForNumaZones) { find_victims({.zones = true}); }

TEST(WorkloadPreemptionOracle, FindsVictimsForPodsWithPreferences) {
  find_victims({.preferences = true});
}

TEST(WorkloadPreemptionOracle, FindsVictimsForSeveralPodSets) { find_victims({.pod_sets = true}); }

}  // namespace
}  // namespace trellis::workload_preemption_test
