#include "plugins/proportion/fair_share.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "framework/queue.h"
#include "framework/queue_tree.h"
#include "plugins/proportion/queue_shares.h"
#include "tests/plugins/proportion/division_model.h"
#include "tests/support/long_run.h"
#include "tests/support/random.h"

namespace trellis::fair_share_test {
namespace {

using ::testing::ElementsAre;

constexpr int64_t kGpus = 1000;

TEST(FairShare, QuotasAreGivenInFullEvenWhenTheyAddUpToMore) {
  std::vector<ShareClaim> claims = {{.deserved = 6 * kGpus, .requestable = 8 * kGpus},
                                    {.deserved = 6 * kGpus, .requestable = 5 * kGpus}};
  EXPECT_THAT(divide({8 * kGpus, kGpus}, claims), ElementsAre(6 * kGpus, 5 * kGpus));
}

TEST(FairShare, AnUnlimitedQuotaIsAllThereIs) {
  std::vector<ShareClaim> claims = {
      {.deserved = QueueShare::kUnlimited, .requestable = 100 * kGpus},
      {.deserved = QueueShare::kUnlimited, .requestable = 3 * kGpus}};
  EXPECT_THAT(divide({8 * kGpus, kGpus}, claims), ElementsAre(8 * kGpus, 3 * kGpus));
}

TEST(FairShare, TheRestGoesByWeightUntilRequestsAreMet) {
  std::vector<ShareClaim> claims = {{.requestable = 100 * kGpus, .weight = 1},
                                    {.requestable = 100 * kGpus, .weight = 2},
                                    {.requestable = 2 * kGpus, .weight = 3}};
  EXPECT_THAT(divide({14 * kGpus, kGpus}, claims), ElementsAre(4 * kGpus, 8 * kGpus, 2 * kGpus));
}

TEST(FairShare, WeightsAndUsagesOfAnySizeAreDivided) {
  std::vector<ShareClaim> claims = {{.requestable = kMaxSum, .weight = 1e308},
                                    {.requestable = kMaxSum, .weight = 1e308}};
  EXPECT_THAT(divide({8 * kGpus, kGpus}, claims), ElementsAre(4 * kGpus, 4 * kGpus));
  claims = {{.requestable = 100 * kGpus, .weight = 1e308},
            {.requestable = 100 * kGpus, .weight = 1e-308}};
  EXPECT_THAT(divide({8 * kGpus, kGpus}, claims), ElementsAre(8 * kGpus, 0));
  claims = {{.requestable = 100 * kGpus, .weight = 1, .usage = 1e308},
            {.requestable = 100 * kGpus, .weight = 1, .usage = 1e308}};
  EXPECT_THAT(divide({8 * kGpus, kGpus, 1e308}, claims), ElementsAre(4 * kGpus, 4 * kGpus));
}

TEST(FairShare, QuotasThatAddUpToMoreThanCanBeCountedLeaveNothing) {
  std::vector<ShareClaim> claims(9, {.deserved = QueueShare::kUnlimited, .requestable = kMaxSum});
  claims.push_back({.requestable = kGpus});
  std::vector<int64_t> shares = divide({kMaxSum, kGpus}, claims);
  EXPECT_EQ(shares.front(), kMaxSum);
  EXPECT_EQ(shares.back(), 0);
}

TEST(FairShare, WholeUnitsFirstThenTheLargestFractionThenAgeThenName) {
  std::vector<ShareClaim> claims = {
      {.requestable = 9 * kGpus, .weight = 1, .created = 2, .name = "c"},
      {.requestable = 9 * kGpus, .weight = 1, .created = 2, .name = "b"},
      {.requestable = 9 * kGpus, .weight = 1, .created = 3, .name = "a"}};
  EXPECT_THAT(divide({7 * kGpus, kGpus}, claims), ElementsAre(2 * kGpus, 3 * kGpus, 2 * kGpus));
  // 8 by 3:1:1:1 is 4, 1 1/3, 1 1/3, 1 1/3.
  claims = {{.requestable = 9 * kGpus, .weight = 3, .created = 1, .name = "a"},
            {.requestable = 9 * kGpus, .weight = 1, .created = 2, .name = "d"},
            {.requestable = 9 * kGpus, .weight = 1, .created = 2, .name = "b"},
            {.requestable = 9 * kGpus, .weight = 1, .created = 2, .name = "c"}};
  EXPECT_THAT(divide({8 * kGpus, kGpus}, claims), ElementsAre(4 * kGpus, kGpus, 2 * kGpus, kGpus));
}

TEST(FairShare, HigherPriorityGoesFirst) {
  std::vector<ShareClaim> claims = {{.requestable = 6 * kGpus, .priority = 100},
                                    {.requestable = 5 * kGpus, .priority = 200}};
  EXPECT_THAT(divide({8 * kGpus, kGpus}, claims), ElementsAre(3 * kGpus, 5 * kGpus));
}

TEST(FairShare, PastUsageMovesTheWeights) {
  std::vector<ShareClaim> claims = {{.requestable = 100 * kGpus, .usage = 30},
                                    {.requestable = 100 * kGpus, .usage = 10}};
  // 1/2 + (1/2 - 3/4) = 1/4.
  EXPECT_THAT(divide({8 * kGpus, kGpus, 1.0}, claims), ElementsAre(2 * kGpus, 6 * kGpus));
  EXPECT_THAT(divide({8 * kGpus, kGpus, 0.0}, claims), ElementsAre(4 * kGpus, 4 * kGpus));
  EXPECT_THAT(divide({8 * kGpus, kGpus, 9.0}, claims), ElementsAre(0, 8 * kGpus));
}

TEST(FairShare, NoWeightGetsNothingOfTheRest) {
  std::vector<ShareClaim> claims = {{.requestable = 8 * kGpus, .weight = 0},
                                    {.requestable = 2 * kGpus, .weight = -1},
                                    {.requestable = 2 * kGpus, .weight = 1}};
  EXPECT_THAT(divide({8 * kGpus, kGpus}, claims), ElementsAre(0, 0, 2 * kGpus));
}

// A tree of up to 12 queues of up to four levels.
oracle::ModelTree random_tree(uint64_t seed) {
  Random random(seed);
  oracle::ModelTree tree;
  tree.capacity = {{"gpu", random.between(0, 64) * kGpus + (random.chance(20) ? 500 : 0)},
                   {"cpu", random.between(0, 64'000)},
                   {"memory", random.between(0, int64_t{1} << 40)}};
  tree.pull_percent = random.pick(std::vector<int64_t>{0, 50, 100, 300});
  bool usage = random.chance(50);
  std::vector<std::string> names;
  std::vector<int> depths;
  int64_t queues = random.between(1, 12);
  for (int64_t i = 0; i < queues; ++i) {
    std::string name(1, static_cast<char>('a' + random.below(26)));
    name += std::to_string(i);
    oracle::ModelQueue queue;
    int depth = 0;
    if (!names.empty() && random.chance(60)) {
      size_t above = random.below(static_cast<uint32_t>(names.size()));
      if (depths[above] < 3) {
        queue.parent = names[above];
        depth = depths[above] + 1;
      }
    }
    queue.priority = random.chance(70) ? 100 : static_cast<int>(random.between(1, 3));
    queue.created = random.between(0, 3);
    queue.usage = usage ? random.between(0, 20) : 0;
    for (const auto& [resource, amount] : tree.capacity) {
      int64_t unit = resource == "gpu" ? (random.chance(30) ? 100 : kGpus) : 1;
      int64_t most = amount / unit + 2;
      oracle::ModelShare share;
      share.quota = random.chance(20)   ? -1
                    : random.chance(30) ? 0
                                        : random.between(0, most - 1) * unit;
      share.limit = random.chance(60) ? -1 : random.between(0, most) * unit;
      share.weight = random.between(0, 5);
      share.request = random.between(0, most) * unit;
      queue.resources[resource] = share;
    }
    tree.queues[name] = queue;
    names.push_back(name);
    depths.push_back(depth);
  }
  for (const std::string& name : names) {
    std::string above = tree.queues[name].parent;
    if (above.empty()) continue;
    for (auto& [resource, share] : tree.queues[above].resources) share.request = 0;
    tree.queues[above].usage = 0;
  }
  return tree;
}

// The tree in production's own records.
struct Built {
  Vocabulary vocabulary;
  Config config;
  IndexedVector<QueueId, Queue> queues;
  IndexedVector<QueueId, QueueUse> use;
  QueueTree tree;
  QueueAmounts capacity;
  View view;

  explicit Built(const oracle::ModelTree& model, Random& random) {
    std::vector<std::string> names;
    for (const auto& [name, queue] : model.queues) names.push_back(name);
    random.shuffle(names);
    for (const std::string& name : names) {
      const oracle::ModelQueue& of = model.queues.at(name);
      Queue queue;
      queue.name = name;
      if (!of.parent.empty()) queue.parent = vocabulary.strings.intern(of.parent);
      queue.priority = of.priority;
      queue.created = of.created;
      auto share = [&](const char* resource) {
        const oracle::ModelShare& written = of.resources.at(resource);
        return QueueShare{written.quota, written.limit, static_cast<double>(written.weight)};
      };
      queue.gpu = share("gpu");
      queue.cpu = share("cpu");
      queue.memory = share("memory");
      queues.push_back(std::move(queue));
      if (of.usage > 0) config.queues.past_usage[name] = static_cast<double>(of.usage);
    }
    config.queues.k_value = static_cast<double>(model.pull_percent) / 100;
    tree = QueueTree(queues, QueueTree::Shape::Full, vocabulary.strings);
    use.assign(tree.size(), {});
    for (uint32_t i = 0; i < queues.size(); ++i) {
      const auto& resources = model.queues.at(queues[QueueId(i)].name).resources;
      QueueAmounts asked = {{resources.at("gpu").request, resources.at("cpu").request,
                             resources.at("memory").request}};
      // Part of it may be allocated already.
      for (QueueId at(i); at.valid(); at = tree.parent(at)) {
        (i % 2 == 0 ? use[at].waiting : use[at].allocated).add(asked);
      }
    }
    capacity = {{model.capacity.at("gpu"), model.capacity.at("cpu"), model.capacity.at("memory")}};
    view.config = &config;
    view.vocabulary = &vocabulary;
    view.queues = &queues;
    view.queue_tree = &tree;
    view.queue_use = &use;
    view.queue_capacity = &capacity;
  }
};

TEST(FairShare, AgreesWithASlowDivisionOnRandomTrees) {
  constexpr int64_t kRoundingBytes = 4096;
  uint64_t trees = long_run(4'000, 150'000);
  for (uint64_t seed = 1; seed <= trees; ++seed) {
    oracle::ModelTree model = random_tree(seed);
    Random random(seed);
    Built built(model, random);
    QueueShares shares;
    shares.compute(built.view);
    auto expected = model.divide();
    for (uint32_t i = 0; i < built.queues.size(); ++i) {
      const std::string& name = built.queues[QueueId(i)].name;
      const QueueAmounts& fair = shares[QueueId(i)].fair;
      ASSERT_EQ(fair[QueueResource::Gpu], expected[name]["gpu"])
          << "seed " << seed << ", queue " << name << '\n'
          << model.text();
      ASSERT_EQ(fair[QueueResource::Cpu], expected[name]["cpu"])
          << "seed " << seed << ", queue " << name << '\n'
          << model.text();
      ASSERT_NEAR(static_cast<double>(fair[QueueResource::Memory]),
                  static_cast<double>(expected[name]["memory"]), kRoundingBytes)
          << "seed " << seed << ", queue " << name << '\n'
          << model.text();
    }
  }
}

}  // namespace
}  // namespace trellis::fair_share_test
