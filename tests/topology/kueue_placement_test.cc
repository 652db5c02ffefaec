#include "topology/kueue_placement.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "framework/node.h"
#include "framework/string_table.h"
#include "framework/topology.h"
#include "tests/support/long_run.h"
#include "tests/support/random.h"
#include "tests/support/seed_guard.h"

namespace trellis::kueue_placement_test {
namespace {

// Nodes at paths like "b1/r1/n1" with what they take; a path that ends early takes nothing.
struct Plot {
  StringTable strings;
  Topology topology;
  TopologyTree tree;
  IndexedVector<NodeId, int32_t> fit;

  Plot(int levels, const std::vector<std::pair<std::string, int32_t>>& nodes) {
    std::vector<StrId> keys;
    for (int level = 0; level < levels; ++level) {
      keys.push_back(strings.intern("level-" + std::to_string(level)));
      topology.levels.push_back({keys.back(), StrId()});
    }
    IndexedVector<NodeId, Node> records;
    std::vector<NodeId> ids;
    for (const auto& [path, count] : nodes) {
      Node node;
      node.name = path;
      size_t from = 0;
      for (int level = 0; level < levels && from <= path.size(); ++level) {
        size_t to = std::min(path.find('/', from), path.size());
        node.labels.push_back({keys[level], strings.intern(path.substr(from, to - from))});
        from = to + 1;
      }
      bool complete = node.labels.size() == keys.size();
      fit.push_back(complete ? count : 0);
      ids.push_back(records.push_back(std::move(node)));
    }
    tree = TopologyTree(topology, ids, records, strings);
  }

  std::string path(DomainId domain) const {
    std::string text;
    for (StrId value : tree.path(domain)) {
      text += (text.empty() ? "" : "/") + std::string(strings.view(value));
    }
    return text;
  }
  DomainId domain(const std::string& wanted) const {
    for (uint32_t id = 0; id < tree.domain_count(); ++id) {
      if (path(DomainId(id)) == wanted) return DomainId(id);
    }
    return DomainId();
  }
};

using Placed = std::map<std::string, int64_t>;

Placed by_path(const Plot& plot, const KueueAnswer& answer) {
  Placed placed;
  for (const DomainPods& part : answer.workers) placed[plot.path(part.domain)] = part.pods;
  return placed;
}

TEST(KueuePlacement, PreferredClimbsAndSpreadsOnlyAtTheTop) {
  Plot plot(2, {{"a/1", 3}, {"a/2", 2}, {"b/1", 4}, {"b/2", 2}});
  DomainCounts counts(plot.tree, plot.fit);
  KueueLeaves leaves{counts, {}, {}, {}, DomainId()};
  KueuePlacer placer;
  auto ask = [&](KueueMode mode, int level, int64_t pods) {
    return by_path(plot, placer.place(plot.tree, {mode, level, pods, {}, {}}, leaves));
  };
  EXPECT_EQ(ask(KueueMode::Preferred, 1, 3), (Placed{{"a/1", 3}}));
  EXPECT_EQ(ask(KueueMode::Preferred, 1, 5), (Placed{{"a/1", 3}, {"a/2", 2}}));
  // Two of a and six of b are chosen, and then their nodes are one pool.
  EXPECT_EQ(ask(KueueMode::Preferred, 1, 8), (Placed{{"b/1", 4}, {"a/1", 3}, {"a/2", 1}}));
  EXPECT_EQ(ask(KueueMode::Unconstrained, 1, 5), (Placed{{"a/2", 2}, {"b/2", 2}, {"a/1", 1}}));
  EXPECT_EQ(ask(KueueMode::Required, 0, 7), Placed());
  const KueueAnswer& answer = placer.place(plot.tree, {KueueMode::Required, 0, 7, {}, {}}, leaves);
  EXPECT_FALSE(answer.placed);
  EXPECT_EQ(answer.fitted, (std::vector<KueueFitted>{{1, 6, 7}}));
}

TEST(KueuePlacement, OnlyBelowADomain) {
  Plot plot(3, {{"a/1/x", 2}, {"a/1/y", 4}, {"a/2/z", 9}, {"b/1/w", 9}});
  DomainCounts counts(plot.tree, plot.fit);
  KueueLeaves leaves{counts, {}, {}, {}, plot.domain("a/1")};
  KueuePlacer placer;
  for (int level = 0; level < 2; ++level) {
    for (KueueMode mode : {KueueMode::Required, KueueMode::Preferred}) {
      EXPECT_EQ(by_path(plot, placer.place(plot.tree, {mode, level, 5, {}, {}}, leaves)),
                (Placed{{"a/1/x", 1}, {"a/1/y", 4}}));
    }
  }
  const KueueAnswer& answer =
      placer.place(plot.tree, {KueueMode::Unconstrained, 2, 7, {}, {}}, leaves);
  EXPECT_EQ(answer.fitted, (std::vector<KueueFitted>{{2, 6, 7}}));
}

TEST(KueuePlacement, ThePodsOfALastPartSegmentAreDropped) {
  Plot plot(2, {{"a/1", 8}, {"b/1", 9}});
  DomainCounts counts(plot.tree, plot.fit);
  KueueLeaves leaves{counts, {}, {}, {}, DomainId()};
  KueuePlacer placer;
  SegmentLevel threes{0, 3};
  KueueRequest request{KueueMode::Unconstrained, 0, 7, {&threes, 1}, {}};
  EXPECT_EQ(by_path(plot, placer.place(plot.tree, request, leaves)), (Placed{{"a/1", 6}}));
  request.pods = 2;
  const KueueAnswer& answer = placer.place(plot.tree, request, leaves);
  EXPECT_TRUE(answer.placed);
  EXPECT_TRUE(answer.workers.empty());
}

TEST(KueuePlacement, ReturnsWhatFittedByLayer) {
  Plot plot(2, {{"a/1", 3}, {"a/2", 3}, {"b/1", 1}});
  DomainCounts counts(plot.tree, plot.fit);
  KueueLeaves leaves{counts, {}, {}, {}, DomainId()};
  KueuePlacer placer;
  std::vector<SegmentLevel> layers = {{0, 4}, {1, 2}};
  const KueueAnswer& answer =
      placer.place(plot.tree, {KueueMode::Required, 0, 8, layers, {}}, leaves);
  EXPECT_EQ(answer.fitted, (std::vector<KueueFitted>{{0, 1, 2}, {1, 2, 4}}));
}

TEST(KueuePlacement, TheLeaderStandsWhereItCostsNothing) {
  Plot plot(2, {{"a/1", 4}, {"a/2", 3}, {"a/3", 4}});
  DomainCounts counts(plot.tree, plot.fit);
  std::vector<uint8_t> leaders = {1, 1, 0};
  std::vector<int64_t> beside = {2, 3, 4};
  KueueLeaves leaves{counts, leaders, beside, {}, DomainId()};
  KueuePlacer placer;
  const KueueAnswer& answer = placer.place(plot.tree, {KueueMode::Required, 0, 11, {}, {}}, leaves);
  EXPECT_EQ(by_path(plot, answer), (Placed{{"a/1", 4}, {"a/2", 3}, {"a/3", 4}}));
  EXPECT_EQ(plot.path(answer.leader), "a/2");
}

// Preferred rather climbs than to leave the nodes that are liked most; Required has to stay.
TEST(KueuePlacement, LikedNodesComeBeforeTightOnes) {
  Plot plot(2, {{"a/1", 2}, {"a/2", 5}});
  DomainCounts counts(plot.tree, plot.fit);
  std::vector<int64_t> affinity = {10, 0};
  KueueLeaves leaves{counts, {}, {}, affinity, DomainId()};
  KueuePlacer placer;
  EXPECT_EQ(by_path(plot, placer.place(plot.tree, {KueueMode::Preferred, 1, 4, {}, {}}, leaves)),
            (Placed{{"a/1", 2}, {"a/2", 2}}));
  EXPECT_EQ(by_path(plot, placer.place(plot.tree, {KueueMode::Required, 1, 4, {}, {}}, leaves)),
            (Placed{{"a/2", 4}}));
}

TEST(KueuePlacement, BalancedStaysBelowTheFirstParentThatIsAsGood) {
  Plot plot(2, {{"a/1", 4}, {"a/2", 4}, {"a/3", 1}, {"b/1", 4}, {"b/2", 4}});
  DomainCounts counts(plot.tree, plot.fit);
  KueueLeaves leaves{counts, {}, {}, {}, DomainId()};
  KueuePlacer placer;
  KueueRequest request{KueueMode::Preferred, 1, 6, {}, {.balanced = true}};
  EXPECT_EQ(by_path(plot, placer.place(plot.tree, request, leaves)),
            (Placed{{"a/1", 3}, {"a/2", 3}}));
}

// Three levels, some nodes without the last label, room for 0 to 6 pods.
Plot random_plot(Random& random) {
  std::vector<std::pair<std::string, int32_t>> nodes;
  int32_t blocks = static_cast<int32_t>(random.between(1, 4));
  for (int64_t i = random.between(1, 40); i > 0; --i) {
    std::string path =
        "b" + std::to_string(random.below(blocks)) + "/r" + std::to_string(random.below(4));
    if (!random.chance(5)) path += "/n" + std::to_string(i);
    nodes.emplace_back(path, random.below(7));
  }
  return Plot(3, nodes);
}

struct Question {
  KueueRequest request;
  std::vector<SegmentLevel> segments;
};

Question random_question(Random& random) {
  Question question;
  KueueRequest& request = question.request;
  request.mode = static_cast<KueueMode>(random.below(3));
  request.level = static_cast<int>(random.below(3));
  request.pods = random.between(0, 30);
  request.gates = {random.chance(30), random.chance(70)};
  int level = request.level + static_cast<int>(random.below(3));
  for (int64_t size : {4, 2}) {
    if (!random.chance(40) || level > 2) break;
    question.segments.push_back({level, size});
    level += 1;
  }
  return question;
}

// What a leaf takes, with a leader that costs something on some.
struct Leaves {
  std::vector<uint8_t> leaders;
  std::vector<int64_t> beside;

  Leaves(const Plot& plot, const DomainCounts& counts, Random& random) {
    for (uint32_t leaf = 0; leaf < plot.tree.level(2).last; ++leaf) {
      int64_t pods = counts[DomainId(leaf)];
      leaders.push_back(random.chance(60) ? 1 : 0);
      beside.push_back(leaders.back() > 0 ? random.between(0, pods) : pods);
    }
  }
};

void expect_sound(const Question& question, const DomainCounts& counts, const KueueAnswer& answer) {
  if (!answer.placed) {
    EXPECT_FALSE(answer.fitted.empty());
    return;
  }
  int64_t size = question.segments.empty() ? 1 : question.segments.front().size;
  int64_t sum = 0;
  for (const DomainPods& part : answer.workers) {
    EXPECT_LE(part.pods, counts[part.domain]);
    sum += part.pods;
  }
  // Balanced placement does not count inner layers, and drops what they leave no place for.
  if (question.request.gates.balanced && question.segments.size() > 1) {
    EXPECT_LE(sum, question.request.pods);
  } else {
    EXPECT_EQ(sum, question.request.pods / size * size);
  }
}

// One placer and counts that are kept while decisions are taken, against fresh ones; and the counts
// themselves against columns that say the same.
void run_warm_and_cold(uint64_t seed) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  SeedGuard guard(seed);
  Random random(seed);
  Plot plot = random_plot(random);
  DomainCounts counts(plot.tree, plot.fit);
  KueuePlacer used;
  for (int round = 0; round < 8; ++round) {
    Question question = random_question(random);
    question.request.segments = question.segments;
    KueueLeaves leaves{counts, {}, {}, {}, DomainId()};
    Leaves more(plot, counts, random);
    bool with_leader = random.chance(30);
    if (with_leader) leaves.leaders = more.leaders, leaves.beside = more.beside;
    const KueueAnswer answer = used.place(plot.tree, question.request, leaves);
    if (!with_leader) expect_sound(question, counts, answer);

    DomainCounts fresh_counts(plot.tree, plot.fit);
    KueueLeaves fresh_leaves{fresh_counts, leaves.leaders, leaves.beside, {}, DomainId()};
    KueuePlacer fresh;
    EXPECT_EQ(answer, fresh.place(plot.tree, question.request, fresh_leaves));
    std::vector<int64_t> indifferent(plot.tree.level(2).last, 0);
    fresh_leaves.affinity = indifferent;
    EXPECT_EQ(answer, fresh.place(plot.tree, question.request, fresh_leaves));
    fresh_leaves.affinity = {};
    fresh_leaves.within = plot.tree.root();
    EXPECT_EQ(answer, fresh.place(plot.tree, question.request, fresh_leaves));

    for (const DomainPods& part : answer.workers) {
      NodeId node = plot.tree.nodes(part.domain).front();
      int32_t taken = static_cast<int32_t>(std::min<int64_t>(part.pods, plot.fit[node]));
      plot.fit[node] -= taken;
      counts.change(plot.tree, node, -taken);
    }
  }
}

TEST(KueuePlacement, WarmAnswersAreColdAnswers) {
  uint64_t runs = long_run(2'000, 200'000);
  for (uint64_t seed = 0; seed < runs && !testing::Test::HasFailure(); ++seed) {
    run_warm_and_cold(seed);
  }
}

constexpr int64_t kImpossible = INT64_MAX;

// The least room of a set of candidates that takes the need; kImpossible when it does not.
int64_t least_room(const std::vector<KueueCandidate>& set, const KueueSubsetNeed& need) {
  int64_t room = 0;
  int64_t empty = 0;
  for (const KueueCandidate& member : set) {
    room += member.pods;
    empty += member.segments == 0 ? 1 : 0;
  }
  if (need.leaders == 0) return empty == 0 && room >= need.pods ? room : kImpossible;
  int64_t least = kImpossible;
  for (const KueueCandidate& member : set) {
    int64_t others_empty = empty - (member.segments == 0 ? 1 : 0);
    int64_t beside = room - member.pods + member.pods_beside;
    if (member.leaders == 0 || others_empty > 0 || beside < need.pods) continue;
    least = std::min(least, beside);
  }
  return least;
}

// All sets, against the one that is found of the least size at which there is one.
void run_subset(uint64_t seed) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  std::vector<KueueCandidate> candidates(random.below(9));
  for (uint32_t i = 0; i < candidates.size(); ++i) {
    KueueCandidate& candidate = candidates[i];
    candidate.domain = DomainId(i);
    candidate.pods = candidate.segments = random.below(5);
    candidate.leaders = random.below(2);
    candidate.pods_beside = std::max<int64_t>(0, candidate.pods - random.below(2));
  }
  KueueSubsetNeed need{random.between(1, 12), random.below(2), 0};
  std::vector<int64_t> least(candidates.size() + 1, kImpossible);
  for (uint32_t mask = 0; mask < 1U << candidates.size(); ++mask) {
    std::vector<KueueCandidate> set;
    for (uint32_t i = 0; i < candidates.size(); ++i) {
      if ((mask >> i & 1) != 0) set.push_back(candidates[i]);
    }
    least[set.size()] = std::min(least[set.size()], least_room(set, need));
  }
  while (need.domains < candidates.size() && least[need.domains] == kImpossible) ++need.domains;
  KueueSubset subset;
  std::vector<KueueCandidate> chosen;
  bool found = subset.find(candidates, need, chosen);
  EXPECT_EQ(found, least[need.domains] != kImpossible);
  if (found) {
    EXPECT_EQ(chosen.size(), need.domains);
    EXPECT_EQ(least_room(chosen, need), least[need.domains]);
  }
}

TEST(KueueSubset, FindsTheSetWithLeastRoom) {
  uint64_t runs = long_run(2'000, 100'000);
  for (uint64_t seed = 0; seed < runs && !testing::Test::HasFailure(); ++seed) run_subset(seed);
}

}  // namespace
}  // namespace trellis::kueue_placement_test
