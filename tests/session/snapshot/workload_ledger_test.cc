#include "session/snapshot/workload_ledger.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "session/cluster/cluster.h"
#include "session/cluster/id_set.h"
#include "session/snapshot/snapshot.h"

namespace trellis::workload_ledger_test {
namespace {

// A ClusterQueue for namespaces with the label team=a, and workloads of namespace `default`.
class WorkloadLedgerTest : public testing::Test {
 protected:
  WorkloadLedgerTest() {
    Objects objects;
    objects.flavors.push_back({"main", {}, {}, {}, {}});
    str("main");
    ClusterQueue queue;
    queue.name = "queue";
    queue.name_spaces = {false, {{str("team"), SelectorOp::In, {str("a")}}}};
    ResourceGroup group;
    group.resources = {kCpu};
    group.flavors = {{str("main"), {{kCpu, 10 * kMilli, {}, {}}}}};
    queue.groups = {group};
    objects.cluster_queues = {queue};
    objects.local_queues = {{str("default"), "local", str("queue"), StopPolicy::None}};
    cluster_.add(std::move(objects));
  }

  StrId str(const std::string& text) { return cluster_.vocabulary().strings.intern(text); }

  WorkloadId add(const std::string& name) {
    Workload workload;
    workload.name_space = str("default");
    workload.name = name;
    workload.queue = str("local");
    workload.pod_sets.resize(1);
    workload.pod_sets.front().spec.requests.set(kCpu, kMilli);
    return cluster_.upsert(std::move(workload));
  }

  void give_team(const std::string& team) {
    NameSpace name_space;
    name_space.name = str("default");
    name_space.labels = {{str("team"), str(team)}};
    Objects objects;
    objects.name_spaces.push_back(std::move(name_space));
    cluster_.add(std::move(objects));
  }

  const WorkloadLedger& refreshed() {
    snapshot_.refresh(cluster_);
    return snapshot_.workloads();
  }

  Cluster cluster_;
  Snapshot snapshot_{QueueTree::Shape::Flat};
};

TEST_F(WorkloadLedgerTest, LabelsOfANamespaceDecideWhatWaits) {
  WorkloadId id = add("train");
  const WorkloadLedger& ledger = refreshed();
  EXPECT_FALSE(ledger.states()[id].waits_in.valid());
  ASSERT_TRUE(ledger.states()[id].reasons);
  EXPECT_EQ(ledger.states()[id].reasons->front().code, ReasonCode::NamespaceMismatch);

  give_team("a");
  refreshed();
  EXPECT_TRUE(ledger.states()[id].waits_in.valid());
  EXPECT_FALSE(ledger.states()[id].reasons);
  EXPECT_EQ(ledger.classes().waiting(ClusterQueueId(0)), 1U);

  give_team("b");
  refreshed();
  EXPECT_FALSE(ledger.states()[id].waits_in.valid());
  EXPECT_EQ(ledger.classes().waiting(ClusterQueueId(0)), 0U);
}

TEST_F(WorkloadLedgerTest, OutcomesStayAsTheyWere) {
  give_team("a");
  std::vector<WorkloadId> ids;
  for (int i = 0; i < 300; ++i) ids.push_back(add("w" + std::to_string(i)));
  const WorkloadLedger& ledger = refreshed();
  ClassReasons said(ledger.classes().size());
  WorkloadClassId of = ledger.classes().class_of(ids[0]);
  said[of] = std::make_shared<const std::vector<Reason>>(
      std::vector<Reason>{{.code = ReasonCode::WaitingForQuota}});
  WorkloadOutcomes before(ledger.states(), said);
  before.own(ids[7]).status = WorkloadStatus::Admitted;

  cluster_.edit(ids[299]).finished = true;
  refreshed();
  WorkloadOutcomes after(ledger.states(), said);

  EXPECT_EQ(before.size(), 300U);
  EXPECT_EQ(before[ids[299]].status, WorkloadStatus::Pending);
  EXPECT_EQ(after[ids[299]].status, WorkloadStatus::Finished);
  EXPECT_FALSE(after[ids[299]].reasons);
  EXPECT_EQ(before[ids[7]].status, WorkloadStatus::Admitted);
  EXPECT_FALSE(before[ids[7]].reasons);
  EXPECT_EQ(after[ids[7]].status, WorkloadStatus::Pending);
  EXPECT_EQ(after[ids[7]].reasons, said[of]);
}

TEST_F(WorkloadLedgerTest, HoldersFollowTheRecords) {
  give_team("a");
  WorkloadId first = add("first");
  WorkloadId second = add("second");
  PodSetAdmission set;
  set.count = 1;
  set.flavors = {{kCpu, str("main")}};
  set.usage.set(kCpu, kMilli);
  cluster_.edit(first).admission = Admission{str("queue"), {set}, 0};
  cluster_.edit(second).requeue_at = 5;
  const WorkloadLedger& ledger = refreshed();
  EXPECT_EQ(std::vector(ledger.holders().begin(), ledger.holders().end()), std::vector{first});
  EXPECT_EQ(std::vector(ledger.delayed().begin(), ledger.delayed().end()), std::vector{second});

  cluster_.edit(first).finished = true;
  cluster_.edit(second).requeue_at = kNoTime;
  refreshed();
  EXPECT_TRUE(ledger.holders().empty());
  EXPECT_TRUE(ledger.delayed().empty());
}

// That it failed is seen although all slots are rebuilt for the node that came.
TEST_F(WorkloadLedgerTest, ANodeFailsWhileAnotherComes) {
  StrId hostname = str("kubernetes.io/hostname");
  Topology hall;
  hall.name = "hall";
  hall.levels = {{hostname, StrId()}};
  cluster_.upsert(std::move(hall));
  Objects objects;
  objects.flavors.push_back({"main", {}, {}, {}, str("hall")});
  cluster_.add(std::move(objects));
  auto node = [&](const std::string& name, bool ready) {
    Node made;
    made.name = name;
    made.labels = {{hostname, str(name)}};
    made.allocatable.set(kCpu, 4 * kMilli);
    made.allocatable.set(kPods, 10);
    made.ready = ready;
    cluster_.upsert(std::move(made));
  };
  node("n1", true);
  WorkloadId id = add("train");
  PodSetAdmission set;
  set.count = 1;
  set.flavors = {{kCpu, str("main")}};
  set.usage.set(kCpu, kMilli);
  set.topology = TopologyAssignment{{hostname}, {str("n1")}, {1}};
  cluster_.edit(id).admission = Admission{str("queue"), {set}, 0};
  const AssignedSlots& slots = refreshed().slots();
  EXPECT_TRUE(slots.lost(id).empty());
  node("n1", false);
  node("n2", true);
  refreshed();
  EXPECT_EQ(slots.lost(id).size(), 1U);
  node("n1", true);
  refreshed();
  EXPECT_TRUE(slots.lost(id).empty());
}

TEST_F(WorkloadLedgerTest, AChangedWorkloadIsNamedOnce) {
  WorkloadId second = add("second");
  WorkloadId first = add("first");
  for (int i = 0; i < 3; ++i) cluster_.edit(i == 1 ? first : second).priority = i;
  EXPECT_EQ(cluster_.take_changes().workloads.workloads, (std::vector{second, first}));
}

// Terms that come later mean the pods of workloads and DaemonSets too, and so do namespaces.
TEST_F(WorkloadLedgerTest, PodsThatAreNotThereYetAreMeantByLaterTerms) {
  Workload workload;
  workload.name_space = str("default");
  workload.name = "train";
  workload.pod_sets.resize(2);
  workload.pod_sets[0].labels = {{str("app"), str("x")}};
  // Its own second PodSet speaks of the first.
  PodTerm own;
  own.pods.labels = {{str("app"), SelectorOp::In, {str("x")}}};
  own.key = str("rack");
  workload.pod_sets[1].spec.pod_anti_affinity = {own};
  WorkloadId id = cluster_.upsert(std::move(workload));
  DaemonSet agent;
  agent.name_space = str("default");
  agent.name = "agent";
  agent.labels = {{str("app"), str("agent")}};
  cluster_.upsert(std::move(agent));
  DaemonSetId daemon = cluster_.workloads().daemon_sets().find("default/agent");
  auto meant = [&](PodClassId pod_class) {
    return cluster_.pod_classes()[pod_class].matched.size();
  };
  auto workers = [&] { return meant(cluster_.workloads().classes(id)[0]); };
  auto daemons = [&] { return meant(cluster_.workloads().daemon_class(daemon)); };
  cluster_.take_changes();
  EXPECT_EQ(workers(), 1U);
  EXPECT_EQ(daemons(), 0U);

  PodTerm team = own;
  team.pods.labels = {};
  team.pods.by_name_space_labels = true;
  team.pods.name_space_labels = {{str("team"), SelectorOp::In, {str("a")}}};
  Pod pod;
  pod.name_space = str("other");
  pod.name = "p";
  pod.gang = str("other/p");
  PodSpec spec;
  spec.pod_anti_affinity = {team};
  cluster_.upsert(std::move(pod), std::move(spec));
  EXPECT_TRUE(cluster_.take_changes().workloads.workloads.empty());
  EXPECT_EQ(workers(), 1U);

  give_team("a");
  ClusterChanges changes = cluster_.take_changes();
  EXPECT_EQ(changes.workloads.workloads, std::vector{id});
  EXPECT_TRUE(changes.workloads.daemon_sets);
  EXPECT_EQ(workers(), 2U);
  EXPECT_EQ(daemons(), 1U);
}

TEST(IdSet, KeepsThoseThatAreIn) {
  IdSet<WorkloadId> set;
  for (uint32_t i = 0; i < 5; ++i) set.insert(WorkloadId(i));
  set.insert(WorkloadId(3));
  set.erase(WorkloadId(0));
  set.erase(WorkloadId(4));
  set.erase(WorkloadId(9));
  std::vector<WorkloadId> left(set.ids().begin(), set.ids().end());
  std::sort(left.begin(), left.end());
  EXPECT_EQ(left, (std::vector{WorkloadId(1), WorkloadId(2), WorkloadId(3)}));
  EXPECT_TRUE(set.contains(WorkloadId(3)));
  EXPECT_FALSE(set.contains(WorkloadId(4)));
}

}  // namespace
}  // namespace trellis::workload_ledger_test
