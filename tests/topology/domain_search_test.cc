#include "topology/domain_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

#include "tests/support/random.h"
#include "tests/support/world.h"

namespace trellis::domain_search_test {
namespace {

// A random ragged tree with a count on each node.
class Scene {
 public:
  explicit Scene(uint64_t seed) : random(seed) {
    std::vector<std::string> labels = {"a", "b", "c"};
    labels.resize(1 + random.below(3));
    uint32_t nodes = 1 + random.below(16);
    bool ragged = random.chance(40);
    for (uint32_t i = 0; i < nodes; ++i) {
      LabelMap values;
      for (const std::string& label : labels) {
        if (ragged && random.chance(20)) continue;
        values[label] = label + std::to_string(random.below(3));
      }
      world.node("n" + std::to_string(i), {.labels = values});
    }
    Topology topology = make_topology(world.cluster.vocabulary(), "t", labels);
    tree = TopologyTree(topology, world.cluster.nodes_by_name(), world.cluster.nodes(),
                        world.cluster.vocabulary().strings);
    fit.resize(nodes, 0);
    for (int32_t& count : fit)
      count = random.chance(20) ? 0 : static_cast<int32_t>(random.below(6));
    counts = DomainCounts(tree, fit);
    row = {&counts, 1 + random.below(14)};
    strategy = random.chance(50) ? Strategy::Binpack : Strategy::Spread;
    if (random.chance(40)) {
      for (uint32_t i = 0; i <= random.below(3); ++i) {
        anchors.push_back(tree.domain_of(NodeId(random.below(nodes))));
      }
    }
    closeness = Closeness(tree, anchors);
    if (random.chance(50)) parts_level = static_cast<int>(random.below(3));
    parts_level = std::min(parts_level, tree.level_count() - 1);
  }

  DomainQuery query() const { return {&tree, {&row, 1}, strategy, &closeness, 0, parts_level}; }

  Random random;
  World world;
  TopologyTree tree;
  IndexedVector<NodeId, int32_t> fit;
  DomainCounts counts;
  RowDemand row;
  Strategy strategy = Strategy::Binpack;
  std::vector<DomainId> anchors;
  Closeness closeness;
  int parts_level = -1;
};

int64_t own_count(const Scene& scene, DomainId domain) {
  int64_t sum = 0;
  for (NodeId node : scene.tree.own_nodes(domain)) sum += scene.fit[node];
  return sum;
}

// Edges that the paths from the root to both have in common.
int64_t shared_edges(const TopologyTree& tree, DomainId a, DomainId b) {
  int64_t shared = 0;
  std::vector<StrId> x = tree.path(a);
  std::vector<StrId> y = tree.path(b);
  while (shared < static_cast<int64_t>(std::min(x.size(), y.size())) &&
         x[static_cast<size_t>(shared)] == y[static_cast<size_t>(shared)]) {
    ++shared;
  }
  return shared;
}

int64_t fewest_children(const Scene& scene, DomainId domain) {
  IdRange children = scene.tree.children(domain);
  if (children.size() == 0) return 1;
  std::vector<int64_t> counts = {own_count(scene, domain)};
  for (uint32_t id = children.first; id < children.last; ++id) {
    counts.push_back(scene.counts[DomainId(id)]);
  }
  std::sort(counts.rbegin(), counts.rend());
  int64_t used = 0;
  for (int64_t left = scene.row.pods; left > 0; left -= counts[static_cast<size_t>(used++)]) {
  }
  return used;
}

struct Part {
  DomainId domain;
  bool own_nodes_only = false;
  int64_t count = 0;
};

std::vector<Part> parts_of(const Scene& scene, DomainId domain, int level) {
  std::vector<Part> parts;
  for (uint32_t id = 0; id < scene.tree.domain_count(); ++id) {
    DomainId at(id);
    int at_level = scene.tree.level_of(at);
    if (at_level > level || scene.tree.ancestor(at, scene.tree.level_of(domain)) != domain) {
      continue;
    }
    bool own = at_level < level;
    int64_t count = own ? own_count(scene, at) : scene.counts[at];
    if (count > 0) parts.push_back({at, own, count});
  }
  // Largest first, then in order of path.
  std::stable_sort(parts.begin(), parts.end(),
                   [](const Part& a, const Part& b) { return a.count > b.count; });
  return parts;
}

int64_t fewest_parts(const Scene& scene, DomainId domain) {
  int64_t left = scene.row.pods;
  int64_t used = 0;
  for (const Part& part : parts_of(scene, domain, scene.parts_level)) {
    if (left <= 0) break;
    left -= part.count;
    ++used;
  }
  return used;
}

// All candidates of a level, by the order that the header promises.
std::vector<DomainId> ranked(const Scene& scene, int level, DomainId scope) {
  using Key = std::tuple<int64_t, int64_t, std::vector<int64_t>, int64_t, DomainId>;
  std::vector<Key> keys;
  IdRange range = scene.tree.level(level);
  for (uint32_t id = range.first; id < range.last; ++id) {
    DomainId domain(id);
    if (scene.tree.ancestor(domain, scene.tree.level_of(scope)) != scope) continue;
    if (scene.counts[domain] < scene.row.pods) continue;
    // What is left in the domain, then in those around it, from the lowest up.
    std::vector<int64_t> left;
    for (DomainId at = domain; at.valid(); at = scene.tree.parent(at)) {
      int64_t count = scene.counts[at] - scene.row.pods;
      left.push_back(scene.strategy == Strategy::Binpack ? count : -count);
    }
    int64_t close = 0;
    for (DomainId anchor : scene.anchors) close += shared_edges(scene.tree, anchor, domain);
    int64_t parts = level < scene.parts_level ? fewest_parts(scene, domain) : 0;
    keys.emplace_back(parts, -close, left, fewest_children(scene, domain), domain);
  }
  std::sort(keys.begin(), keys.end());
  std::vector<DomainId> domains;
  for (const Key& key : keys) domains.push_back(std::get<DomainId>(key));
  return domains;
}

TEST(DomainSearch, EnumeratesEachLevelInOrder) {
  for (uint64_t seed = 1; seed <= 3000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Scene scene(seed);
    DomainId scope(scene.random.below(static_cast<uint32_t>(scene.tree.domain_count())));
    if (scene.random.chance(50)) scope = scene.tree.root();
    for (int level = scene.tree.level_of(scope); level < scene.tree.level_count(); ++level) {
      std::vector<DomainId> found;
      CandidateDomains candidates;
      candidates.begin(level, scope);
      while (auto next = candidates.next(scene.query())) {
        found.push_back(next->domain);
        ASSERT_LE(found.size(), scene.tree.domain_count());
      }
      ASSERT_EQ(found, ranked(scene, level, scope)) << "level " << level;
    }
  }
}

// The same words as the header's, tried out one by one. `left` pods go to `fewest` parts.
std::vector<Part> divide_slowly(const Scene& scene, std::vector<Part> parts) {
  int64_t left = scene.row.pods;
  size_t fewest = 0;
  for (int64_t sum = 0; sum < left; ++fewest) sum += parts[fewest].count;
  std::vector<Part> chosen;
  auto distance = [&](const Part& part) {
    if (!chosen.empty()) return scene.tree.distance(chosen.front().domain, part.domain);
    int64_t close = 0;
    for (DomainId anchor : scene.anchors) close += shared_edges(scene.tree, anchor, part.domain);
    return static_cast<int>(-close);
  };
  while (chosen.size() < fewest) {
    bool last = chosen.size() + 1 == fewest;
    size_t best = parts.size();
    for (size_t i = 0; i < parts.size(); ++i) {
      if (chosen.empty() && !last && i > 0) break;  // the one that takes most is the first
      int64_t sum = parts[i].count;
      size_t more = fewest - chosen.size() - 1;
      for (size_t j = 0; j < parts.size() && more > 0; ++j) {
        if (j != i) sum += parts[j].count, --more;
      }
      if (sum < left) continue;
      auto key = [&](size_t index) {
        const Part& part = parts[index];
        bool tight = last && scene.strategy == Strategy::Binpack;
        return std::tuple(distance(part), tight ? part.count : -part.count, part.domain);
      };
      if (best == parts.size() || key(i) < key(best)) best = i;
    }
    left -= std::min(left, parts[best].count);
    chosen.push_back(parts[best]);
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(best));
  }
  return chosen;
}

TEST(DomainSearch, DividesIntoFewestPartsByDistance) {
  int divided = 0;
  for (uint64_t seed = 1; seed <= 5000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Scene scene(seed);
    DomainId domain(scene.random.below(static_cast<uint32_t>(scene.tree.domain_count())));
    if (scene.counts[domain] < scene.row.pods) continue;
    for (int level = scene.tree.level_of(domain) + 1; level < scene.tree.level_count(); ++level) {
      DomainParts parts = divide(scene.query(), domain, level);
      std::vector<Part> wanted = divide_slowly(scene, parts_of(scene, domain, level));
      ASSERT_EQ(parts.size(), wanted.size());
      int64_t pods = 0;
      for (size_t i = 0; i < parts.size(); ++i) {
        ASSERT_EQ(parts[i].domain, wanted[i].domain) << "part " << i;
        ASSERT_EQ(parts[i].own_nodes_only, wanted[i].own_nodes_only) << "part " << i;
        ASSERT_EQ(parts[i].count, wanted[i].count) << "part " << i;
        ASSERT_GT(parts[i].pods, 0);
        ASSERT_LE(parts[i].pods, parts[i].count);
        bool last = i + 1 == parts.size();
        ASSERT_TRUE(last || parts[i].pods == parts[i].count) << "part " << i;
        pods += parts[i].pods;
      }
      ASSERT_EQ(pods, scene.row.pods);
      divided += parts.size() > 2 ? 1 : 0;
    }
  }
  EXPECT_GT(divided, 50);
}

TEST(DomainSearch, OrderedPartsStartWithTheLargest) {
  for (uint64_t seed = 1; seed <= 1000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Scene scene(seed);
    DomainId root = scene.tree.root();
    int level = scene.tree.level_count() - 1;
    DomainParts parts = ordered_parts(scene.query(), root, level);
    std::vector<Part> all = parts_of(scene, root, level);
    ASSERT_EQ(parts.size(), all.size());
    if (parts.empty()) continue;
    EXPECT_EQ(parts.front().domain, all.front().domain);
    for (size_t i = 1; i < parts.size(); ++i) {
      int before = i == 1 ? 0 : scene.tree.distance(parts[0].domain, parts[i - 1].domain);
      EXPECT_LE(before, scene.tree.distance(parts[0].domain, parts[i].domain));
      EXPECT_EQ(parts[i].pods, parts[i].count);
    }
  }
}

class Racks : public ::testing::Test {
 protected:
  // Racks by "block/rack", each one node with that count.
  void build(const std::map<std::string, int32_t>& racks) {
    for (const auto& [path, count] : racks) {
      size_t slash = path.find('/');
      world.node(path,
                 {.labels = {{"block", path.substr(0, slash)}, {"rack", path.substr(slash + 1)}}});
      fit.push_back(count);
    }
    Topology topology = make_topology(world.cluster.vocabulary(), "t", {"block", "rack"});
    tree = TopologyTree(topology, world.cluster.nodes_by_name(), world.cluster.nodes(),
                        world.cluster.vocabulary().strings);
    counts = DomainCounts(tree, fit);
  }
  std::string name(DomainId domain) {
    std::string text;
    for (StrId value : tree.path(domain)) {
      if (!text.empty()) text += "/";
      text += world.cluster.vocabulary().strings.view(value);
    }
    return text;
  }
  std::string best(int64_t pods, int level, Strategy strategy = Strategy::Binpack) {
    RowDemand row{&counts, pods};
    CandidateDomains candidates;
    candidates.begin(level, tree.root());
    auto found = candidates.next({&tree, {&row, 1}, strategy, nullptr});
    return found ? name(found->domain) : "";
  }
  std::string enumerated(int64_t pods, int level) {
    RowDemand row{&counts, pods};
    DomainQuery query{&tree, {&row, 1}, Strategy::Binpack, nullptr};
    std::string text;
    CandidateDomains candidates;
    candidates.begin(level, tree.root());
    while (auto found = candidates.next(query)) {
      if (!text.empty()) text += " ";
      text += name(found->domain);
    }
    return text;
  }
  // "b1/r1:4 b1/r2:1"
  std::string divided(int64_t pods, Strategy strategy = Strategy::Binpack) {
    RowDemand row{&counts, pods};
    std::string text;
    for (const DomainPart& part : divide({&tree, {&row, 1}, strategy, nullptr}, tree.root(), 1)) {
      if (!text.empty()) text += " ";
      text += name(part.domain) + ":" + std::to_string(part.pods);
    }
    return text;
  }

  World world;
  TopologyTree tree;
  IndexedVector<NodeId, int32_t> fit;
  DomainCounts counts;
};

TEST_F(Racks, TightestFirstOrRoomiestFirst) {
  build({{"b1/r1", 8}, {"b1/r2", 5}, {"b2/r1", 4}, {"b2/r2", 5}});
  EXPECT_EQ(best(4, 1), "b2/r1");
  EXPECT_EQ(best(5, 1), "b2/r2");
  EXPECT_EQ(best(6, 1), "b1/r1");
  EXPECT_EQ(best(9, 1), "");
  EXPECT_EQ(best(4, 1, Strategy::Spread), "b1/r1");
  EXPECT_EQ(best(9, 0), "b2");
  EXPECT_EQ(best(9, 0, Strategy::Spread), "b1");
}

// The rack that is left as full as any is taken where its block is left fullest.
TEST_F(Racks, DomainsAroundBreakATie) {
  build({{"b1/r1", 4}, {"b1/r2", 8}, {"b2/r1", 2}, {"b2/r2", 4}, {"b3/r1", 4}, {"b3/r2", 4}});
  EXPECT_EQ(best(4, 1), "b2/r2");
  EXPECT_EQ(enumerated(4, 1), "b2/r2 b3/r1 b3/r2 b1/r1 b1/r2");
  EXPECT_EQ(best(4, 1, Strategy::Spread), "b1/r2");
  EXPECT_EQ(best(2, 1), "b2/r1");
  EXPECT_EQ(best(3, 1), "b2/r2");
}

TEST_F(Racks, FewerChildrenBreakATie) {
  build({{"b1/r1", 3}, {"b1/r2", 3}, {"b1/r3", 2}, {"b2/r1", 6}, {"b2/r2", 2}});
  EXPECT_EQ(best(6, 0), "b2");
}

// Nodes that hang on a block count as one child more, and may be what needs fewest.
TEST_F(Racks, OwnNodesAreAChild) {
  build({{"b1/r1", 4}, {"b1/r2", 4}, {"b2/r1", 1}, {"b3/r1", 4}});
  world.node("own", {.labels = {{"block", "b2"}}});
  fit.push_back(7);
  build({});
  EXPECT_EQ(enumerated(8, 0), "b1 b2");  // two children each
  EXPECT_EQ(best(7, 0), "b2");           // one child, where b1 needs two
  EXPECT_EQ(enumerated(7, 0), "b2 b1");
}

TEST_F(Racks, LargestThenNearThenTightest) {
  build({{"b1/r1", 4}, {"b1/r2", 3}, {"b1/r3", 1}, {"b2/r1", 4}, {"b2/r2", 2}});
  EXPECT_EQ(divided(4), "b1/r1:4");
  EXPECT_EQ(divided(1), "b1/r3:1");
  EXPECT_EQ(divided(1, Strategy::Spread), "b1/r1:1");
  EXPECT_EQ(divided(5), "b1/r1:4 b1/r3:1");
  EXPECT_EQ(divided(6), "b1/r1:4 b1/r2:2");
  EXPECT_EQ(divided(8), "b1/r1:4 b2/r1:4");
  EXPECT_EQ(divided(9), "b1/r1:4 b1/r2:3 b2/r2:2");
  EXPECT_EQ(divided(14), "b1/r1:4 b1/r2:3 b1/r3:1 b2/r1:4 b2/r2:2");
}

}  // namespace
}  // namespace trellis::domain_search_test
