#include "framework/quota_tree.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "framework/quota_arithmetic.h"
#include "framework/vocabulary.h"
#include "tests/framework/quota_model.h"
#include "tests/support/long_run.h"
#include "tests/support/random.h"

namespace trellis::quota_tree_test {
namespace {

// A node's quota of flavor `flavor`, resource cpu.
ResourceGroup one_quota(StrId flavor, ResourceQuota quota) {
  quota.resource = kCpu;
  return {{kCpu}, {{flavor, {quota}}}};
}

struct Quotas {
  Vocabulary names;
  IndexedVector<ClusterQueueId, ClusterQueue> queues;
  IndexedVector<CohortId, Cohort> cohorts;
  QuotaTree tree;
  std::vector<int64_t> usage;

  StrId flavor() { return names.strings.intern("main"); }
  StrId id(const std::string& name) { return name.empty() ? StrId() : names.strings.intern(name); }
  ClusterQueueId queue(const std::string& name, const std::string& cohort, ResourceQuota quota) {
    ClusterQueue queue;
    queue.name = name;
    queue.cohort = id(cohort);
    queue.groups = {one_quota(flavor(), quota)};
    return queues.push_back(queue);
  }
  void cohort(const std::string& name, const std::string& parent, ResourceQuota quota) {
    Cohort cohort;
    cohort.name = name;
    cohort.parent = id(parent);
    cohort.groups = {one_quota(flavor(), quota)};
    cohorts.push_back(cohort);
  }
  void build() {
    tree = QuotaTree(queues, cohorts, names.strings);
    usage.assign(tree.node_count() * tree.cell_count(), 0);
  }
  QuotaCellId cell() { return tree.cell(flavor(), kCpu); }
  void use(ClusterQueueId queue, int64_t amount) {
    add_usage(tree, usage, tree.node(queue), cell(), amount,
              [](int64_t& place, int64_t value) { place = value; });
  }
  int64_t left(ClusterQueueId queue) { return available(tree, usage, tree.node(queue), cell()); }
};

TEST(QuotaTree, QueuesLendToEachOtherThroughACohortThatIsOnlyNamed) {
  Quotas world;
  ClusterQueueId a = world.queue("a", "team", {.nominal = 10});
  ClusterQueueId b = world.queue("b", "team", {.nominal = 6});
  world.build();
  EXPECT_EQ(world.tree.node_count(), 3u);
  EXPECT_FALSE(world.tree.cohort(QuotaNodeId(0)).valid());
  EXPECT_EQ(world.left(a), 16);
  world.use(b, 4);
  EXPECT_EQ(world.left(a), 12);
  EXPECT_EQ(world.left(b), 12);
  world.use(b, -4);
  EXPECT_EQ(world.left(a), 16);
}

TEST(QuotaTree, LendingLimitKeepsTheRestAtHome) {
  Quotas world;
  ClusterQueueId a = world.queue("a", "team", {.nominal = 10});
  ClusterQueueId b = world.queue("b", "team", {.nominal = 6, .lending_limit = 2});
  world.build();
  QuotaNodeId team(0);
  EXPECT_EQ(world.tree.local_quota(world.tree.node(b), world.cell()), 4);
  EXPECT_EQ(world.tree.subtree_quota(team, world.cell()), 12);
  EXPECT_EQ(world.left(a), 12);
  world.use(b, 4);
  EXPECT_EQ(world.usage[world.tree.index(team, world.cell())], 0);
  EXPECT_EQ(world.left(a), 12);
  world.use(b, 1);
  EXPECT_EQ(world.left(a), 11);
}

TEST(QuotaTree, BorrowingLimitBoundsWhatOthersLend) {
  Quotas world;
  ClusterQueueId a = world.queue("a", "team", {.nominal = 10, .borrowing_limit = 3});
  world.queue("b", "team", {.nominal = 6});
  world.build();
  EXPECT_EQ(world.left(a), 13);
  EXPECT_EQ(world.tree.potential(world.tree.node(a), world.cell()), 13);
  world.use(a, 12);
  EXPECT_EQ(world.left(a), 1);
}

TEST(QuotaTree, AQueueAboveItsQuotaHasNothingLeft) {
  Quotas world;
  ClusterQueueId a = world.queue("a", "", {.nominal = 10});
  world.build();
  world.use(a, 12);
  EXPECT_EQ(world.left(a), 0);
}

TEST(QuotaTree, CoveringSubtreeIsTheLowestThatHasRoom) {
  Quotas world;
  ClusterQueueId a = world.queue("a", "near", {.nominal = 2});
  world.queue("b", "near", {.nominal = 2});
  world.queue("c", "far", {.nominal = 2});
  world.cohort("near", "far", {});
  world.build();
  auto covering = [&](int64_t amount) {
    return covering_subtree(world.tree, world.usage, world.tree.node(a), {world.cell(), amount});
  };
  EXPECT_EQ(covering(2), (CoveringSubtree{0, true}));
  EXPECT_EQ(covering(4), (CoveringSubtree{1, true}));
  EXPECT_EQ(covering(6), (CoveringSubtree{2, false}));
  EXPECT_EQ(covering(60), (CoveringSubtree{2, false}));
}

TEST(QuotaTree, CohortsInACycleAndAllBelowThemAreOut) {
  Quotas world;
  world.cohort("x", "y", {});
  world.cohort("y", "x", {});
  world.cohort("z", "y", {});
  ClusterQueueId a = world.queue("a", "z", {.nominal = 2});
  ClusterQueueId b = world.queue("b", "", {.nominal = 2});
  world.build();
  EXPECT_FALSE(world.tree.node(a).valid());
  EXPECT_TRUE(world.tree.node(b).valid());
  EXPECT_EQ(world.tree.node_count(), 1u);
}

TEST(QuotaTree, BorrowingWithoutWeightIsAnInfiniteShare) {
  Quotas world;
  ClusterQueueId a = world.queue("a", "team", {.nominal = 1});
  ClusterQueueId b = world.queue("b", "team", {.nominal = 9});
  world.queues[a].weight = 0;
  world.build();
  auto share = [&](ClusterQueueId queue) {
    return quota_share(world.tree, world.usage, world.tree.node(queue));
  };
  world.use(a, 1);
  EXPECT_EQ(share(a).weighted(), 0);
  world.use(a, 2);
  EXPECT_EQ(share(a).weighted(), std::numeric_limits<double>::infinity());
  EXPECT_EQ(share(a).ratio, 200);
  EXPECT_TRUE(compare(share(b), share(a)) < 0);
}

// One random cohort tree, as the tree reads it and as the model does.
class RandomQuotas {
 public:
  explicit RandomQuotas(uint64_t seed) : random_(seed) {
    for (const char* flavor : {"on-demand", "spot"}) flavors_.push_back(flavor);
    random_.shuffle(flavors_);  // so that ids say nothing of names
    for (const std::string& flavor : flavors_) names_.strings.intern(flavor);
    add_cohorts();
    add_queues();
    tree_ = QuotaTree(queues_, cohorts_, names_.strings);
    usage_.assign(tree_.node_count() * tree_.cell_count(), 0);
  }

  void change_usage() {
    if (held_.empty() || random_.chance(60)) {
      ClusterQueueId queue = ClusterQueueId(random_.below(static_cast<uint32_t>(queues_.size())));
      if (queues_[queue].name.empty() || !tree_.node(queue).valid()) return;
      if (tree_.cell_count() == 0) return;
      QuotaCellId cell(random_.below(static_cast<uint32_t>(tree_.cell_count())));
      held_.push_back({queue, {cell, random_.between(0, 8)}});
      add(held_.back(), 1);
    } else {
      std::swap(held_[random_.below(static_cast<uint32_t>(held_.size()))], held_.back());
      add(held_.back(), -1);
      held_.pop_back();
    }
  }

  void check() {
    for (uint32_t i = 0; i < queues_.size(); ++i) {
      const ClusterQueue& queue = queues_[ClusterQueueId(i)];
      if (queue.name.empty()) continue;
      std::string name = "queue " + queue.name;
      QuotaNodeId node = tree_.node(ClusterQueueId(i));
      ASSERT_EQ(node.valid(), model_.in_tree(name)) << name;
      for (; node.valid(); node = tree_.parent(node)) {
        ASSERT_FALSE(name.empty());
        check_node(node, name);
        name = model_.nodes.at(name).parent;
      }
      ASSERT_TRUE(name.empty() || !model_.in_tree(name));
    }
  }

 private:
  struct Held {
    ClusterQueueId queue;
    QuotaAmount amount;
  };

  std::string cell_name(QuotaCellId cell) {
    return names_.resources.name(tree_.resource(cell)) + "/" +
           std::string(names_.strings.view(tree_.flavor(cell)));
  }

  void add(const Held& held, int64_t times) {
    add_usage(tree_, usage_, tree_.node(held.queue), held.amount.cell, times * held.amount.amount,
              [](int64_t& place, int64_t value) { place = value; });
    model_.nodes.at("queue " + queues_[held.queue].name).held[cell_name(held.amount.cell)] +=
        times * held.amount.amount;
  }

  std::optional<int64_t> maybe_limit() {
    if (random_.chance(60)) return std::nullopt;
    return random_.between(0, 10);
  }

  std::vector<ResourceGroup> random_groups(QuotaModel::Node& node, bool queue) {
    std::vector<ResourceGroup> groups;
    for (ResourceId resource : {kMemory, kCpu}) {
      if (random_.chance(20)) continue;
      ResourceGroup group{{resource}, {}};
      for (const std::string& flavor : flavors_) {
        if (random_.chance(30)) continue;
        ResourceQuota quota{resource, random_.between(0, 12), {}, {}};
        if (!node.parent.empty() || !queue) quota.borrowing_limit = maybe_limit();
        if (!node.parent.empty() || !queue) quota.lending_limit = maybe_limit();
        group.flavors.push_back({names_.strings.intern(flavor), {quota}});
        node.quotas[names_.resources.name(resource) + "/" + flavor] = {
            quota.nominal, quota.borrowing_limit, quota.lending_limit};
      }
      groups.push_back(group);
    }
    return groups;
  }

  double random_weight() { return random_.chance(15) ? 0.0 : 0.5 * (1 + random_.below(4)); }

  void add_cohorts() {
    cohort_names_ = {"c0", "c1", "c2", "c3", "c4"};
    random_.shuffle(cohort_names_);
    for (const std::string& name : cohort_names_) {
      QuotaModel::Node& node = model_.nodes["cohort " + name];
      if (random_.chance(25)) continue;  // only named, if at all
      Cohort cohort;
      cohort.name = name;
      cohort.weight = node.weight = random_weight();
      // Mostly upwards by number, so that cycles are the exception.
      std::string parent = random_.pick(cohort_names_);
      if (random_.chance(75) && (parent < name || random_.chance(10))) {
        cohort.parent = names_.strings.intern(parent);
        node.parent = "cohort " + parent;
      }
      cohort.groups = random_groups(node, false);
      if (random_.chance(10)) cohorts_.push_back(Cohort());  // a vacant place
      cohorts_.push_back(cohort);
    }
  }

  void add_queues() {
    std::vector<std::string> names = {"q0", "q1", "q2", "q3", "q4"};
    random_.shuffle(names);
    for (const std::string& name : names) {
      QuotaModel::Node& node = model_.nodes["queue " + name];
      node.is_queue = true;
      ClusterQueue queue;
      queue.name = name;
      queue.weight = node.weight = random_weight();
      if (random_.chance(85)) {
        std::string cohort = random_.pick(cohort_names_);
        queue.cohort = names_.strings.intern(cohort);
        node.parent = "cohort " + cohort;
      }
      queue.groups = random_groups(node, true);
      if (random_.chance(10)) queues_.push_back(ClusterQueue());
      queues_.push_back(queue);
    }
  }

  void check_node(QuotaNodeId node, const std::string& name) {
    ASSERT_EQ(tree_.height(node), model_.height(name)) << name;
    ASSERT_EQ(quota_share(tree_, usage_, node).weighted(), model_.share(name)) << name;
    for (uint32_t c = 0; c < tree_.cell_count(); ++c) {
      QuotaCellId cell(c);
      std::string key = cell_name(cell);
      SCOPED_TRACE(name + " " + key);
      ASSERT_EQ(tree_.subtree_quota(node, cell), model_.subtree_quota(name, key));
      ASSERT_EQ(tree_.local_quota(node, cell), model_.local_quota(name, key));
      ASSERT_EQ(tree_.potential(node, cell), model_.potential(name, key));
      ASSERT_EQ(usage_[tree_.index(node, cell)], model_.usage(name, key));
      ASSERT_EQ(available(tree_, usage_, node, cell), model_.available(name, key));
      if (!tree_.queue(node).valid()) continue;
      int64_t amount = random_.between(0, 20);
      CoveringSubtree covering = covering_subtree(tree_, usage_, node, {cell, amount});
      QuotaModel::Covering wanted = model_.covering(name, key, amount);
      if (!model_.nodes.at(name).parent.empty()) {
        ASSERT_EQ(covering.height, wanted.height);
        ASSERT_EQ(covering.below_root, wanted.below_root);
      }
    }
  }

  Random random_;
  Vocabulary names_;
  std::vector<std::string> flavors_;
  std::vector<std::string> cohort_names_;
  IndexedVector<ClusterQueueId, ClusterQueue> queues_;
  IndexedVector<CohortId, Cohort> cohorts_;
  QuotaModel model_;
  QuotaTree tree_;
  std::vector<int64_t> usage_;
  std::vector<Held> held_;
};

TEST(QuotaTree, NaiveModelAgrees) {
  uint64_t trees = long_run(500, 120'000);
  for (uint64_t seed = 0; seed < trees; ++seed) {
    RandomQuotas quotas(seed);
    for (int step = 0; step < 4; ++step) {
      for (int change = 0; change < 4; ++change) quotas.change_usage();
      quotas.check();
      ASSERT_FALSE(testing::Test::HasFatalFailure()) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace trellis::quota_tree_test
