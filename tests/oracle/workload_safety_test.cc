// Random worlds of workloads over several cycles: whatever is decided, no node bears more than it
// has, no quota is passed, a workload has places for all its pods or for none, inside the domain
// that it requires, and what was worked on can be made again from the records. What is explained of
// a workload agrees with what the cycle did with it.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "framework/quota_arithmetic.h"
#include "server/writeback/between_cycles.h"
#include "session/explain/workload_explanation.h"
#include "tests/support/long_run.h"
#include "tests/support/random.h"
#include "tests/support/world.h"

namespace trellis::workload_safety_test {
namespace {

constexpr int kCycles = 4;

class WorkloadWorld {
 public:
  enum class Look : uint8_t { AtDecisions, AtExplanations };

  std::map<WorkloadDecision::Kind, int64_t> seen;
  int64_t explained_places = 0;
  int64_t explained_misses = 0;

  explicit WorkloadWorld(uint64_t seed) : random_(seed) {
    world_.topology("hall", {"block", "rack", "kubernetes.io/hostname"});
    add_nodes();
    for (const char* name : {"fast", "slow"}) add_flavor(name);
    for (const char* name : {"qa", "qb"}) add_queue(name);
    for (uint32_t i = 0; i < 6; ++i) add_workload();
  }

  void run(Look look) {
    for (int cycle = 0; cycle < kCycles; ++cycle) {
      const CycleRecord& record = world_.cycle(cycle * kSecondUs);
      for (const WorkloadDecision& decision : record.workload_decisions) ++seen[decision.kind];
      if (look == Look::AtExplanations) check_explanations(record);
      pass_time(world_.cluster, record);
      if (look == Look::AtDecisions) check();
      if (::testing::Test::HasFailure()) return;
      for (uint32_t i = random_.below(3); i > 0; --i) add_workload();
      if (random_.chance(30)) finish_one();
      if (random_.chance(30)) turn_node();
    }
  }

 private:
  void add_nodes() {
    uint32_t nodes = 3 + random_.below(8);
    for (uint32_t i = 0; i < nodes; ++i) {
      std::string name = "n" + std::to_string(i);
      std::string block = "b" + std::to_string(random_.below(2));
      std::string rack = "r" + std::to_string(random_.below(2));
      world_.node(name, {.cpu = static_cast<double>(1 + random_.below(6)),
                         .labels = {{"block", block},
                                    {"rack", rack},
                                    {"kubernetes.io/hostname", name},
                                    {"pool", random_.chance(70) ? "both" : "slow"}}});
    }
  }

  // Both are for nodes of pool "both", so flavors share nodes.
  void add_flavor(const std::string& name) {
    Flavor flavor;
    flavor.name = name;
    world_.str(name);
    bool shared = name == "fast" || random_.chance(50);
    flavor.node_labels = {{world_.str("pool"), world_.str(shared ? "both" : "slow")}};
    flavor.topology = world_.str("hall");
    Objects objects;
    objects.flavors = {flavor};
    world_.cluster.add(std::move(objects));
  }

  void add_queue(const std::string& name) {
    ClusterQueue queue;
    queue.name = name;
    world_.str(name);
    queue.cohort = random_.chance(60) ? world_.str("cohort") : StrId();
    queue.name_spaces.nothing = false;
    ResourceGroup group;
    group.resources = {kCpu};
    for (const char* flavor : {"fast", "slow"}) {
      ResourceQuota quota{kCpu, static_cast<int64_t>(random_.below(12)) * kMilli, {}, {}};
      if (queue.cohort.valid() && random_.chance(30)) quota.borrowing_limit = 2 * kMilli;
      group.flavors.push_back({world_.str(flavor), {quota}});
    }
    queue.groups = {group};
    queue.preemption.within_queue =
        random_.chance(60) ? PreemptWithin::LowerPriority : PreemptWithin::Never;
    queue.preemption.within_cohort =
        queue.cohort.valid() && random_.chance(60) ? ReclaimWithin::Any : ReclaimWithin::Never;
    if (random_.chance(20)) queue.queueing = QueueingStrategy::StrictFifo;
    LocalQueue local{world_.str("default"), name, world_.str(name), StopPolicy::None};
    Objects objects;
    objects.cluster_queues = {queue};
    objects.local_queues = {local};
    world_.cluster.add(std::move(objects));
  }

  void add_workload() {
    Workload workload;
    workload.name_space = world_.str("default");
    workload.name = "w" + std::to_string(next_++);
    workload.queue = world_.str(random_.chance(50) ? "qa" : "qb");
    workload.priority = static_cast<int32_t>(random_.below(3));
    workload.created = next_;
    PodSet set;
    set.name = world_.str("main");
    set.spec.requests.set(kCpu, (1 + random_.below(3)) * kMilli);
    set.spec.requests.set(kPods, 1);
    set.count = static_cast<int32_t>(1 + random_.below(6));
    if (random_.chance(20)) set.min_count = 1;
    switch (random_.below(4)) {
      case 0:
        set.topology.required = world_.str("rack");
        break;
      case 1:
        set.topology.preferred = world_.str("rack");
        break;
      case 2:
        set.topology.required = world_.str("block");
        set.topology.segments = {{2, world_.str("kubernetes.io/hostname"), {}}};
        break;
      default:
        set.topology.unconstrained = true;
    }
    workload.pod_sets = {set};
    world_.cluster.upsert(std::move(workload));
  }

  void finish_one() {
    const WorkloadRecords& records = world_.cluster.workloads();
    WorkloadId id(random_.below(static_cast<uint32_t>(records.workloads().size())));
    if (records[id].admission) world_.cluster.edit(id).finished = true;
  }

  void turn_node() {
    Node node =
        world_.cluster
            .nodes()[NodeId(random_.below(static_cast<uint32_t>(world_.cluster.nodes().size())))];
    node.ready = !node.ready;
    world_.cluster.upsert(std::move(node));
  }

  void check() {
    const WorkloadRecords& records = world_.cluster.workloads();
    std::map<std::string, int64_t> on_node;
    std::map<std::pair<StrId, StrId>, int64_t> used;  // by queue and flavor
    for (uint32_t i = 0; i < records.workloads().size(); ++i) {
      const Workload& workload = records[WorkloadId(i)];
      if (!workload.admission || workload.finished) continue;
      const PodSetAdmission& set = workload.admission->pod_sets.front();
      int64_t cpu = workload.pod_sets.front().spec.requests.get(kCpu);
      used[{workload.admission->cluster_queue, set.flavors.front().second}] += cpu * set.count;
      check_assignment(workload, set, cpu, on_node);
    }
    for (const auto& [name, cpu] : on_node) {
      EXPECT_LE(cpu, world_.cluster.nodes()[world_.node_id(name)].allocatable.get(kCpu)) << name;
    }
    check_quotas(used);
  }

  void check_explanations(const CycleRecord& record) {
    const WorkloadRecords& records = world_.cluster.workloads();
    // A workload that is evicted frees quota for those whose turn is over.
    bool only_admitted =
        std::all_of(record.workload_decisions.begin(), record.workload_decisions.end(),
                    [](const auto& made) { return made.kind == WorkloadDecision::Kind::Admit; });
    for (uint32_t i = 0; i < records.workloads().size(); ++i) {
      WorkloadId id(i);
      const WorkloadOutcome& outcome = record.workloads[id];
      if (records[id].admission || records[id].finished) continue;
      bool has_place = explains_a_place(id);
      if (outcome.status == WorkloadStatus::Admitted) {
        bool whole =
            outcome.admission->pod_sets.front().count == records[id].pod_sets.front().count;
        EXPECT_TRUE(has_place || !whole) << records[id].name;
        ++explained_places;
      } else if (outcome.status == WorkloadStatus::Pending && only_admitted &&
                 outcome.reasons->front().code != ReasonCode::BehindHead) {
        EXPECT_FALSE(has_place) << records[id].name;
        ++explained_misses;
      }
    }
  }

  // Quota and room in one flavor. Domains that are said to fit are what the search finds.
  bool explains_a_place(WorkloadId id) {
    WorkloadExplanation explanation = explain_workload(world_.scheduler().reopen_without(id), id);
    EXPECT_EQ(explanation.parties.size(), 1U);
    bool has_place = false;
    for (const FlavorExplanation& flavor : explanation.parties.front().flavors) {
      if (!flavor.room) continue;
      has_place = has_place || (flavor.mode == FlavorMode::Fit && flavor.room->fits);
      EXPECT_EQ(flavor.room->fits, !flavor.room->demand.fits_nowhere(0)) << flavor.name;
    }
    return has_place;
  }

  void check_assignment(const Workload& workload, const PodSetAdmission& set, int64_t cpu,
                        std::map<std::string, int64_t>& on_node) {
    ASSERT_TRUE(set.topology) << workload.name;
    const StringTable& strings = world_.cluster.vocabulary().strings;
    int32_t pods = 0;
    std::map<std::string, int> domains;  // of the required level
    for (size_t i = 0; i < set.topology->size(); ++i) {
      std::string name(strings.view(set.topology->values[i]));
      const Node& node = world_.cluster.nodes()[world_.node_id(name)];
      pods += set.topology->counts[i];
      on_node[name] += cpu * set.topology->counts[i];
      std::string block(strings.view(find_label(node.labels, world_.str("block"))));
      std::string rack(strings.view(find_label(node.labels, world_.str("rack"))));
      StrId required = workload.pod_sets.front().topology.required;
      if (!required.valid()) continue;
      ++domains[required == world_.str("rack") ? block + "/" + rack : block];
    }
    EXPECT_EQ(pods, set.count) << workload.name;
    EXPECT_LE(domains.size(), 1U) << workload.name;
    const PodSet& asked = workload.pod_sets.front();
    EXPECT_LE(set.count, asked.count);
    EXPECT_GE(set.count, asked.min_count.value_or(asked.count));
  }

  // Alone a queue keeps to its nominal quota, in a cohort all of them together keep to theirs.
  void check_quotas(const std::map<std::pair<StrId, StrId>, int64_t>& used) {
    std::map<StrId, int64_t> cohort_used;
    std::map<StrId, int64_t> cohort_nominal;
    for (const ClusterQueue& queue : world_.cluster.workloads().cluster_queues().all()) {
      for (const FlavorQuota& flavor : queue.groups.front().flavors) {
        auto found = used.find({world_.str(queue.name), flavor.flavor});
        int64_t usage = found == used.end() ? 0 : found->second;
        const ResourceQuota& quota = flavor.resources.front();
        int64_t limit = quota.nominal + quota.borrowing_limit.value_or(INT32_MAX * kMilli);
        EXPECT_LE(usage, queue.cohort.valid() ? limit : quota.nominal) << queue.name;
        if (!queue.cohort.valid()) continue;
        cohort_used[flavor.flavor] += usage;
        cohort_nominal[flavor.flavor] += quota.nominal;
      }
    }
    for (const auto& [flavor, usage] : cohort_used) {
      EXPECT_LE(usage, cohort_nominal[flavor]);
    }
  }

  World world_;
  Random random_;
  int next_ = 0;
};

TEST(WorkloadSafety, NothingIsOverdrawnAndNothingIsHalf) {
  uint64_t worlds = long_run(400, 20'000);
  std::map<WorkloadDecision::Kind, int64_t> seen;
  for (uint64_t seed = 0; seed < worlds; ++seed) {
    SCOPED_TRACE(seed);
    WorkloadWorld world(seed);
    world.run(WorkloadWorld::Look::AtDecisions);
    if (HasFailure()) return;
    for (const auto& [kind, count] : world.seen) seen[kind] += count;
  }
  // Every kind of decision but a move was there to be checked.
  for (auto kind : {WorkloadDecision::Kind::Admit, WorkloadDecision::Kind::Promise,
                    WorkloadDecision::Kind::Reassign, WorkloadDecision::Kind::Evict,
                    WorkloadDecision::Kind::Lapse}) {
    EXPECT_GT(seen[kind], 0);
  }
}

TEST(WorkloadSafety, ExplanationsAgreeWithTheCycle) {
  uint64_t worlds = long_run(200, 10'000);
  int64_t places = 0;
  int64_t misses = 0;
  for (uint64_t seed = 0; seed < worlds; ++seed) {
    SCOPED_TRACE(seed);
    WorkloadWorld world(seed);
    world.run(WorkloadWorld::Look::AtExplanations);
    if (HasFailure()) return;
    places += world.explained_places;
    misses += world.explained_misses;
  }
  EXPECT_GT(places, 100);
  EXPECT_GT(misses, 100);
}

}  // namespace
}  // namespace trellis::workload_safety_test
