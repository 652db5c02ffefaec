#include "session/workload_ledger.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "session/cluster.h"
#include "session/id_set.h"
#include "session/snapshot.h"

namespace trellis {
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

TEST_F(WorkloadLedgerTest, LabelsOfANamespaceDecideWhoIsInLine) {
  WorkloadId id = add("train");
  const WorkloadLedger& ledger = refreshed();
  EXPECT_FALSE(ledger.standings()[id].line.valid());
  ASSERT_TRUE(ledger.standings()[id].reasons);
  EXPECT_EQ(ledger.standings()[id].reasons->front().code, ReasonCode::NamespaceMismatch);

  give_team("a");
  refreshed();
  EXPECT_TRUE(ledger.standings()[id].line.valid());
  EXPECT_FALSE(ledger.standings()[id].reasons);
  EXPECT_EQ(ledger.lines().waiting(ClusterQueueId(0)), 1U);

  give_team("b");
  refreshed();
  EXPECT_FALSE(ledger.standings()[id].line.valid());
  EXPECT_EQ(ledger.lines().waiting(ClusterQueueId(0)), 0U);
}

TEST_F(WorkloadLedgerTest, OutcomesStayAsTheyWere) {
  give_team("a");
  std::vector<WorkloadId> ids;
  for (int i = 0; i < 300; ++i) ids.push_back(add("w" + std::to_string(i)));
  const WorkloadLedger& ledger = refreshed();
  LineReasons said(ledger.lines().size());
  WorkloadLineId line = ledger.lines().line_of(ids[0]);
  said[line] = std::make_shared<const std::vector<Reason>>(
      std::vector<Reason>{{.code = ReasonCode::WaitingForQuota}});
  WorkloadOutcomes before(ledger.standings(), said);
  before.own(ids[7]).status = WorkloadStatus::Admitted;

  cluster_.edit(ids[299]).finished = true;
  refreshed();
  WorkloadOutcomes after(ledger.standings(), said);

  EXPECT_EQ(before.size(), 300U);
  EXPECT_EQ(before[ids[299]].status, WorkloadStatus::Pending);
  EXPECT_EQ(after[ids[299]].status, WorkloadStatus::Finished);
  EXPECT_FALSE(after[ids[299]].reasons);
  EXPECT_EQ(before[ids[7]].status, WorkloadStatus::Admitted);
  EXPECT_FALSE(before[ids[7]].reasons);
  EXPECT_EQ(after[ids[7]].status, WorkloadStatus::Pending);
  EXPECT_EQ(after[ids[7]].reasons, said[line]);
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
}  // namespace trellis
