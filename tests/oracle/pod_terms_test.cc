// Terms between pods: the plugins against the naive model, and gangs against every order of
// placements.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "session/placement/gang_search.h"
#include "tests/oracle/pod_terms_model.h"
#include "tests/oracle/pod_terms_world.h"
#include "tests/support/long_run.h"
#include "tests/support/world.h"

namespace trellis::oracle::pod_terms_test {
namespace {

bool is_of_terms(ReasonCode code) {
  return code >= ReasonCode::PodAffinityMismatch && code <= ReasonCode::TopologySpreadSkew;
}

// A model and a cluster that are kept the same.
class Pair {
 public:
  Pair(uint64_t seed, const TermLimits& limits)
      : random_(seed), limits_(limits), model(random_terms_world(random_, limits)) {
    put_world(world.cluster, model);
  }

  Random random_;
  TermLimits limits_;
  ModelWorld model;
  World world;

  PodId id(const ModelPod& pod) const { return world.cluster.find_pod(pod.name_space, pod.name); }
  NodeId id(const ModelNode& node) const { return world.cluster.find_node(node.name); }

  Session& open() { return world.scheduler().open(0); }

  ReasonCode verdict(Session& session, PodClassId pod_class, FitMode mode, NodeId node) {
    for (const auto& counter : session.hooks().node_counters) {
      if (!counter.point->applies(pod_class)) continue;
      ReasonCode code = counter.point->refusal(pod_class, mode, node);
      int32_t count = 5;
      counter.point->count_fit(pod_class, mode, {&node, 1}, {&count, 1});
      EXPECT_EQ(code != ReasonCode::None, count == 0);
      if (is_of_terms(code)) return code;
    }
    for (const auto& links : session.hooks().pod_links) {
      ReasonCode code = links.point->link_verdict(pod_class, mode, node);
      if (code == ReasonCode::None) continue;
      EXPECT_TRUE(links.point->links(pod_class)) << "an unlinked class is refused";
      return code;
    }
    return ReasonCode::None;
  }

  // All nodes for one pod, verdicts and scores.
  void compare(Session& session, const ModelPod& pod) {
    PodClassId pod_class = session.snapshot().key(id(pod)).pod_class;
    for (FitMode mode : {FitMode::Now, FitMode::Future}) {
      std::vector<std::string> open;
      std::vector<NodeId> nodes;
      for (const ModelNode& node : model.nodes) {
        std::set<ReasonCode> expected = model.refusals(pod, node, mode);
        ReasonCode code = verdict(session, pod_class, mode, id(node));
        bool agree = expected.empty() ? code == ReasonCode::None : expected.contains(code);
        ASSERT_TRUE(agree) << pod.name << " on " << node.name << " mode " << static_cast<int>(mode)
                           << ": " << to_string(code) << ", expected "
                           << (expected.empty() ? "None" : to_string(*expected.begin())) << "\n"
                           << text_of(model);
        if (!expected.empty()) continue;
        open.push_back(node.name);
        nodes.push_back(id(node));
      }
      compare_scores(session, pod, pod_class, mode, open, nodes);
    }
  }

  void compare_scores(Session& session, const ModelPod& pod, PodClassId pod_class, FitMode mode,
                      const std::vector<std::string>& open, const std::vector<NodeId>& nodes) {
    for (const auto& scorer : session.hooks().link_scorers) {
      std::vector<double> scores(nodes.size(), 0.0);
      scorer.point->score_links(pod_class, mode, nodes, 1.0, scores);
      auto expected = scorer.plugin == "podaffinity" ? model.affinity_scores(pod, open, mode)
                                                     : model.spread_scores(pod, open);
      for (size_t i = 0; i < open.size(); ++i) {
        auto score = static_cast<double>(expected[open[i]]);
        ASSERT_EQ(scores[i], score) << scorer.plugin << ": " << pod.name << " on " << open[i]
                                    << " mode " << static_cast<int>(mode) << "\n"
                                    << text_of(model);
        if (score > 0 && scorer.plugin == "podaffinity") {
          ASSERT_TRUE(scorer.point->scores_links(pod_class));
        }
      }
    }
  }

  // One random step of the statement, in the model too.
  void step(Session& session) {
    ModelPod& pod = model.pods[random_.below(static_cast<uint32_t>(model.pods.size()))];
    if (pod.node.empty()) {
      const ModelNode& node = random_.pick(model.nodes);
      FitMode mode = random_.chance(70) ? FitMode::Now : FitMode::Future;
      session.statement().place_on(id(pod), id(node), mode, {});
      pod.node = node.name;
      pod.presence = mode == FitMode::Now ? Presence::Stays : Presence::Promised;
    } else if (pod.presence == Presence::Stays &&
               session.snapshot().pod(id(pod)).status == PodStatus::Running) {
      session.statement().evict(id(pod), world.cluster.pods()[id(pod)].gang);
      pod.presence = Presence::Leaves;
    }
  }
};

// Pairs of a pod and a cluster that were compared.
uint64_t compare_world(uint64_t seed) {
  TermLimits limits;
  Pair pair(seed, limits);
  uint64_t pairs = 0;
  auto compare_all = [&](Session& session) {
    for (const ModelPod& pod : pair.model.pods) {
      if (::testing::Test::HasFatalFailure()) return;
      if (!pod.node.empty()) continue;
      pair.compare(session, pod);
      ++pairs;
    }
  };
  for (int round = 0; round < 3 && !::testing::Test::HasFatalFailure(); ++round) {
    Session& session = pair.open();
    compare_all(session);
    ModelWorld at_open = pair.model;
    for (int branch = 0; branch < 2; ++branch) {
      for (int i = 0; i < 3; ++i) pair.step(session);
      compare_all(session);
      ModelWorld before = pair.model;
      Statement::Checkpoint checkpoint = session.statement().checkpoint();
      for (int i = 0; i < 3; ++i) pair.step(session);
      compare_all(session);
      session.statement().rollback(checkpoint);
      pair.model = before;
      compare_all(session);
    }
    session.statement().rollback();
    pair.model = at_open;
    compare_all(session);
    // The cluster moves on.
    Random& random = pair.random_;
    ModelPod fresh = random_pod(random, "late" + std::to_string(round), limits);
    if (random.chance(50)) fresh.node = random.pick(pair.model.nodes).name;
    put_pod(pair.world.cluster, fresh, "g");
    pair.model.pods.push_back(fresh);
    ModelPod& changed =
        pair.model.pods[random.below(static_cast<uint32_t>(pair.model.pods.size()))];
    if (!changed.node.empty()) {
      changed.presence = random.chance(50) ? Presence::Leaves : Presence::Stays;
      if (random.chance(30)) changed.node = random.pick(pair.model.nodes).name;
    }
    if (random.chance(30)) changed.labels["app"] = "b";
    put_pod(pair.world.cluster, changed, "g");
    if (random.chance(40)) {
      ModelNode& node =
          pair.model.nodes[random.below(static_cast<uint32_t>(pair.model.nodes.size()))];
      node = random_node(random, node.name, limits);
      put_node(pair.world.cluster, node);
    }
    if (random.chance(30)) {
      Words labels = {{"team", random.chance(50) ? "1" : "2"}};
      pair.model.name_spaces["y"] = labels;
      put_name_space(pair.world.cluster, "y", labels);
    }
  }
  return pairs;
}

TEST(PodTerms, VerdictsAndScoresAreTheModels) {
  uint64_t wanted = long_run(4'000, 200'000);
  uint64_t pairs = 0;
  for (uint64_t seed = 1; pairs < wanted && !HasFatalFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    pairs += compare_world(seed);
  }
  RecordProperty("pairs", static_cast<int>(pairs));
}

// One pod goes where it scores most of all nodes that can take it, the first by name of equals.
TEST(PodTerms, OnePodGoesToTheBestNode) {
  uint64_t worlds = whole_run(600, 20'000);
  int chosen = 0;
  for (uint64_t seed = 1; seed <= worlds && !HasFatalFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    TermLimits limits;
    limits.cpu = 4;
    limits.pending = 3;
    limits.per_cent = 50;
    Pair pair(seed * 104'729, limits);
    for (ModelPod& pod : pair.model.pods) {
      pod.presence = Presence::Stays;
      put_pod(pair.world.cluster, pod, "g");
    }
    Session& session = pair.open();
    for (ModelPod& pod : pair.model.pods) {
      if (!pod.node.empty()) continue;
      PodClassId pod_class = session.snapshot().key(pair.id(pod)).pod_class;
      std::vector<NodeId> open;
      for (const ModelNode& node : pair.model.nodes) {  // in order of name
        if (!pair.model.has_room(pod, node)) continue;
        if (pair.model.refusals(pod, node, FitMode::Now).empty()) open.push_back(pair.id(node));
      }
      std::vector<double> scores(open.size());
      session.fits().score(pod_class, FitMode::Now, open, scores);
      for (const auto& scorer : session.hooks().link_scorers) {
        scorer.point->score_links(pod_class, FitMode::Now, open, scorer.weight, scores);
      }
      GangSearch search(session);
      bool placed = search.place_one(pair.world.cluster.find_gang("x", "g"), pair.id(pod), {}) ==
                    SearchResult::Placed;
      ASSERT_EQ(placed, !open.empty());
      if (!placed) continue;
      auto best = std::max_element(scores.begin(), scores.end()) - scores.begin();
      NodeId node = session.snapshot().pod(pair.id(pod)).node;
      ASSERT_EQ(node, open[static_cast<size_t>(best)]) << pod.name << "\n" << text_of(pair.model);
      pod.node = pair.world.cluster.nodes()[node].name;
      ++chosen;
      session.fits().check_invariants();
    }
  }
  EXPECT_GT(chosen, 500);
}

// Whether some order of placements, each valid when it is made, places all pods of the gang.
bool some_order_places(ModelWorld& world, std::set<std::string>& seen) {
  bool waiting = false;
  std::string state;
  for (const ModelPod& pod : world.pods) state += pod.node + ";";
  if (!seen.insert(state).second) return false;
  for (size_t i = 0; i < world.pods.size(); ++i) {
    if (!world.pods[i].node.empty()) continue;
    waiting = true;
    for (const ModelNode& node : world.nodes) {
      const ModelPod& pod = world.pods[i];
      if (!world.has_room(pod, node)) continue;
      if (!world.refusals(pod, node, FitMode::Now).empty()) continue;
      world.pods[i].node = node.name;
      bool placed = some_order_places(world, seen);
      world.pods[i].node.clear();
      if (placed) return true;
    }
  }
  return !waiting;
}

// Every decision in order was valid when it was made.
void check_decisions(Pair& pair, Session& session) {
  ModelWorld model = pair.model;
  for (const Decision& decision : session.statement().decisions()) {
    const Pod& record = pair.world.cluster.pods()[decision.pod].pod;
    auto pod = std::find_if(model.pods.begin(), model.pods.end(),
                            [&](const ModelPod& other) { return other.name == record.name; });
    const ModelNode& node = model.node(pair.world.cluster.nodes()[decision.node].name);
    ASSERT_TRUE(model.has_room(*pod, node)) << pod->name << " on " << node.name;
    ASSERT_TRUE(model.refusals(*pod, node, FitMode::Now).empty())
        << pod->name << " on " << node.name << "\n"
        << text_of(model);
    pod->node = node.name;
  }
}

TEST(PodTerms, GangsArePlacedWheneverSomeOrderPlacesThem) {
  uint64_t worlds = long_run(1'500, 40'000);
  int placed = 0, refused = 0;
  for (uint64_t seed = 1; seed <= worlds && !HasFatalFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random shape(seed);
    TermLimits limits;
    limits.nodes = 5;
    limits.placed = 2;
    limits.pending = shape.below(4) + 1;
    limits.classes = shape.below(2) + 1;
    limits.cpu = 3;
    Pair pair(seed * 7919, limits);
    for (ModelPod& pod : pair.model.pods) pod.presence = Presence::Stays;
    for (const ModelPod& pod : pair.model.pods) put_pod(pair.world.cluster, pod, "g");
    Gang gang;
    gang.name_space = pair.world.str("x");
    gang.name = "g";
    GangId id = pair.world.cluster.upsert(gang);
    Session& session = pair.open();
    std::set<std::string> seen;
    bool possible = some_order_places(pair.model, seen);
    std::vector<PodId> pods = session.waiting_pods(id);
    GangSearch search(session);
    SearchResult result = search.place(id, {{-1, static_cast<int64_t>(pods.size())}});
    ASSERT_NE(result, SearchResult::BudgetExhausted) << text_of(pair.model);
    ASSERT_EQ(result == SearchResult::Placed, possible) << text_of(pair.model);
    ASSERT_EQ(session.statement().decision_count(), possible ? pods.size() : 0);
    check_decisions(pair, session);
    session.fits().check_invariants();
    session.statement().rollback();
    session.fits().check_invariants();
    ++(possible ? placed : refused);
  }
  EXPECT_GT(placed, 100);
  EXPECT_GT(refused, 50);
}

}  // namespace
}  // namespace trellis::oracle::pod_terms_test
