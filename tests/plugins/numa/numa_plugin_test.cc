#include "plugins/numa/numa_plugin.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/plugins/numa/numa_book.h"
#include "tests/support/random.h"

namespace trellis::numa_plugin_test {
namespace {

using Book = test::NumaBook;

TEST(NumaPlugin, CountsWhatZonesHoldOneByOne) {
  Book book;
  NodeId node = book.node({5, 3});
  PodClassId two = book.pod_class(2);
  PodClassId four = book.pod_class(4);
  book.open();
  EXPECT_EQ(book.fit(two, node), 3);
  EXPECT_EQ(book.fit(four, node), 1);
}

TEST(NumaPlugin, PlacedPodsAreChargedToTheirZones) {
  Book book;
  NodeId node = book.node({5, 3});
  PodClassId three = book.pod_class(3);
  PodId first = book.pod(three);
  PodId second = book.pod(three);
  book.open();
  book.place(first, node);
  EXPECT_EQ(book.fit(three, node), 1);
  book.place(second, node);
  EXPECT_EQ(book.fit(three, node), 0);
  EXPECT_EQ(book.hint(first, node), "{\"main\":[0]}");
  EXPECT_EQ(book.hint(second, node), "{\"main\":[1]}");
  EXPECT_EQ(book.plugin.refusal(three, FitMode::Now, node), ReasonCode::InsufficientNumaZone);
}

TEST(NumaPlugin, TheNextReportEndsTheCharge) {
  Book book;
  NodeId node = book.node({4, 0});
  PodClassId four = book.pod_class(4);
  PodId pod = book.pod(four);
  book.open();
  book.place(pod, node);
  book.pods[pod].node = node;
  book.pods[pod].pod.status = PodStatus::Bound;
  book.open();
  EXPECT_EQ(book.fit(four, node), 0);
  book.report(node, {4, 4});
  book.open();
  EXPECT_EQ(book.fit(four, node), 2);
}

TEST(NumaPlugin, ALeavingPodGivesBackTheZonesThatAreKnown) {
  Book book;
  NodeId node = book.node({0, 0}, "single-numa-node", 4);
  PodClassId four = book.pod_class(4);
  PodId known = book.pod(four, node, {1});
  PodId unknown = book.pod(four, node);
  book.open();
  book.place(known, node);
  book.place(unknown, node);
  EXPECT_EQ(book.fit(four, node, FitMode::Future), 0);
  book.evict(unknown, node);
  EXPECT_EQ(book.fit(four, node, FitMode::Future), 0);
  book.evict(known, node);
  EXPECT_EQ(book.fit(four, node, FitMode::Future), 1);
  EXPECT_EQ(book.fit(four, node, FitMode::Now), 0);
  book.spare(known, node);
  EXPECT_EQ(book.fit(four, node, FitMode::Future), 0);
}

// Zones go by their ids, whatever other zones a later report has.
TEST(NumaPlugin, AReportMayHaveOtherZones) {
  Book book;
  NodeId node = book.node({0, 0, 0}, "single-numa-node", 4);
  NodeId without_the_first = book.node({0, 0}, "single-numa-node", 4, 1);
  PodClassId four = book.pod_class(4);
  PodId second = book.pod(four, node, {1});
  PodId third = book.pod(four, node, {2});
  book.open();
  book.place(second, node);
  book.place(third, node);
  book.become(node, without_the_first);
  book.open();
  EXPECT_EQ(book.fit(four, node, FitMode::Future), 0);
  book.evict(third, node);
  EXPECT_EQ(book.fit(four, node, FitMode::Future), 1);
  book.evict(second, node);
  EXPECT_EQ(book.fit(four, node, FitMode::Future), 2);
}

TEST(NumaPlugin, APodBoundAfterTheReportIsCharged) {
  Book book;
  NodeId node = book.node({4, 4}, "single-numa-node", 4);
  PodClassId four = book.pod_class(4);
  PodId later = book.pod(four, node, {1}, report_hash(*book.nodes[node].numa));
  PodId before = book.pod(four, node, {0}, 7);
  book.open();
  book.place(later, node);
  book.place(before, node);
  EXPECT_EQ(book.fit(four, node), 1);
}

TEST(NumaPlugin, NoContainerForcesAZoneSoEveryOneIsCharged) {
  Book book;
  NodeId node = book.node({4, 4}, "best-effort");
  PodClassId three = book.pod_class(3);
  PodId pod = book.pod(three);
  book.open();
  double before = 0;
  book.plugin.score(three, {&node, 1}, 1, {&before, 1});
  book.place(pod, node);
  EXPECT_EQ(book.fit(three, node), 100);  // such a node refuses no pod
  EXPECT_EQ(book.hint(pod, node), "");
}

TEST(NumaPlugin, ARefutedReportStandsForNothing) {
  Book book;
  NodeId node = book.node({4, 4});
  PodClassId four = book.pod_class(4);
  book.nodes[node].zones = ZoneTrust::Refuted;
  book.open();
  EXPECT_EQ(book.fit(four, node), 0);
  EXPECT_EQ(book.plugin.refusal(four, FitMode::Now, node), ReasonCode::NumaZonesStale);
  book.report(node, {4, 3});
  book.open();
  EXPECT_EQ(book.fit(four, node), 1);
}

// With fingerprints only one that matches ends a charge, and a difference that our own pods do not
// explain makes the node useless.
TEST(NumaPlugin, WithAResyncPeriodFingerprintsDecide) {
  for (const char* period : {"0", "5"}) {
    bool decide = std::string(period) != "0";
    Book book;
    book.config.plugins["numa"].arguments["cacheResyncPeriodSeconds"] = period;
    NodeId node = book.node({4, 4});
    NodeId strange = book.node({4, 4});
    book.nodes[strange].zones = ZoneTrust::Outdated;
    PodClassId four = book.pod_class(4);
    PodId pod = book.pod(four);
    book.open();
    EXPECT_EQ(book.fit(four, strange), decide ? 0 : 2);
    book.place(pod, node);
    book.pods[pod].node = node;
    book.pods[pod].pod.status = PodStatus::Bound;
    book.nodes[node].zones = ZoneTrust::Outdated;
    book.report(node, {4, 3});
    book.open();
    EXPECT_EQ(book.fit(four, node), decide ? 0 : 1);
    book.nodes[node].zones = ZoneTrust::Confirmed;
    book.report(node, {0, 4});
    book.open();
    EXPECT_EQ(book.fit(four, node), 1);
  }
}

TEST(NumaPlugin, ReservedNodesMayBeDiscarded) {
  Book book;
  book.config.plugins["numa"].arguments["discardReservedNodes"] = "true";
  NodeId node = book.node({4, 4});
  PodClassId four = book.pod_class(4);
  PodId pod = book.pod(four);
  book.open();
  EXPECT_EQ(book.fit(four, node), 1);
  book.place(pod, node);
  EXPECT_EQ(book.fit(four, node), 0);
}

// What a node is said to take is what it takes one after the other, whatever its neighbours are
// like, and when its object becomes another.
TEST(NumaPlugin, CountsAreWhatComesOfPlacingPods) {
  Random random(9);
  const std::vector<std::string> policies = {"single-numa-node", "restricted"};
  for (int round = 0; round < 200; ++round) {
    Book book;
    auto amounts = [&] {
      std::vector<int64_t> free(static_cast<size_t>(random.between(1, 4)));
      for (int64_t& one : free) one = random.between(0, 8);
      return free;
    };
    std::vector<NodeId> nodes;
    for (int i = 0; i < 6; ++i) nodes.push_back(book.node(amounts(), random.pick(policies)));
    std::vector<PodClassId> classes = {book.pod_class(1), book.pod_class(3), book.pod_class(10)};
    for (int session = 0; session < 8; ++session) {
      book.open();
      for (NodeId one : nodes) {
        ASSERT_EQ(book.fit(classes[0], one), book.fresh_fit(classes[0], one)) << "round " << round;
      }
      NodeId node = random.pick(nodes);
      PodClassId asked = random.pick(classes);
      int32_t said = book.fit(asked, node);
      std::vector<PodId> placed;
      while (book.fit(asked, node) > 0) {
        placed.push_back(book.pod(asked));
        book.place(placed.back(), node);
      }
      ASSERT_EQ(said, static_cast<int32_t>(placed.size())) << "round " << round;
      for (; !placed.empty(); placed.pop_back()) book.remove(placed.back(), node);
      ASSERT_EQ(said, book.fit(asked, node)) << "round " << round;
      NodeId other = book.node(amounts(), random.pick(policies));
      book.become(node, other);
    }
  }
}

// Whatever is done and undone in reverse, the answers are those from before.
TEST(NumaPlugin, UndoneInReverseNothingRemains) {
  Random random(4);
  for (int round = 0; round < 300; ++round) {
    Book book;
    std::vector<NodeId> nodes;
    for (int i = 0; i < 3; ++i) {
      nodes.push_back(book.node({random.between(0, 8), random.between(0, 8)},
                                random.chance(50) ? "restricted" : "single-numa-node"));
    }
    std::vector<PodClassId> classes = {book.pod_class(1), book.pod_class(3), book.pod_class(10)};
    book.open();
    std::vector<PodId> running;
    for (int i = 0; i < 4; ++i) {
      NodeId node = random.pick(nodes);
      running.push_back(book.pod(random.pick(classes), node, {random.between(0, 1)}));
      book.place(running.back(), node);
    }
    auto answers = [&] {
      std::vector<int32_t> all;
      for (NodeId node : nodes) {
        for (PodClassId one : classes) {
          all.push_back(book.fit(one, node));
          all.push_back(book.fit(one, node, FitMode::Future));
        }
      }
      return all;
    };
    struct Step {
      PodId pod;
      NodeId node;
      bool evicted = false;
      Presence presence = Presence::Stays;
    };
    std::vector<Step> steps;
    std::vector<std::vector<int32_t>> before;
    for (int i = 0; i < 8; ++i) {
      before.push_back(answers());
      if (random.chance(40) && !running.empty()) {
        PodId pod = running.back();
        running.pop_back();
        steps.push_back({pod, book.pods[pod].node, true});
        book.evict(pod, book.pods[pod].node);
      } else {
        Presence presence = random.chance(50) ? Presence::Stays : Presence::Promised;
        PodId pod = book.pod(random.pick(classes));
        steps.push_back({pod, random.pick(nodes), false, presence});
        book.place(pod, steps.back().node, presence);
      }
    }
    while (!steps.empty()) {
      Step step = steps.back();
      steps.pop_back();
      if (step.evicted) {
        book.spare(step.pod, step.node);
      } else {
        book.remove(step.pod, step.node, step.presence);
      }
      ASSERT_EQ(answers(), before.back()) << "round " << round;
      before.pop_back();
    }
  }
}

TEST(NumaPlugin, PodsOfAGroupShareTheZoneOfTheFirst) {
  Book book;
  NodeId node = book.node({5, 8});
  PodClassId two = book.pod_class(2, book.vocabulary.strings.intern("default/gang"));
  PodClassId three = book.pod_class(3, book.vocabulary.strings.intern("default/gang"));
  PodClassId other = book.pod_class(3, book.vocabulary.strings.intern("default/other"));
  std::vector<PodId> pods = {book.pod(two), book.pod(three), book.pod(other)};
  book.open();
  EXPECT_EQ(book.fit(two, node), 2);
  book.place(pods[0], node);
  EXPECT_EQ(book.fit(two, node), 1);
  EXPECT_EQ(book.fit(three, node), 1);
  book.place(pods[1], node);
  EXPECT_EQ(book.fit(two, node), 0);
  EXPECT_EQ(book.plugin.refusal(two, FitMode::Now, node), ReasonCode::NumaZoneNotShared);
  EXPECT_EQ(book.fit(other, node), 2);
  book.place(pods[2], node);
  EXPECT_EQ(book.hint(pods[1], node), "{\"main\":[0]}");
  EXPECT_EQ(book.hint(pods[2], node), "{\"main\":[1]}");
  book.remove(pods[2], node);
  book.remove(pods[1], node);
  book.remove(pods[0], node);
  EXPECT_EQ(book.fit(two, node), 2);
  EXPECT_EQ(book.fit(three, node), 1);
}

TEST(NumaPlugin, AGroupStaysInTheZoneThatItsRunningPodsHave) {
  Book book;
  NodeId node = book.node({0, 6});
  StrId group = book.vocabulary.strings.intern("default/gang");
  PodClassId two = book.pod_class(2, group);
  PodId runs = book.pod(two, node, {1});
  book.open();
  book.place(runs, node);
  EXPECT_EQ(book.fit(two, node), 3);
  book.report(node, {2, 6});
  book.open();
  EXPECT_EQ(book.fit(two, node), 0);
  book.evict(runs, node);
  EXPECT_EQ(book.fit(two, node), 1);
}

TEST(NumaPlugin, AgentsThatFollowTheHintMayGiveAGroupAnyZone) {
  Book book;
  book.config.plugins["numa"].arguments = {{"alignment", "possible"}};
  NodeId node = book.node({5, 8});
  PodClassId two = book.pod_class(2, book.vocabulary.strings.intern("default/gang"));
  PodId pod = book.pod(two);
  book.open();
  EXPECT_EQ(book.fit(two, node), 4);
  book.place(pod, node);
  EXPECT_EQ(book.fit(two, node), 3);
  EXPECT_EQ(book.hint(pod, node), "{\"main\":[1]}");
}

TEST(NumaPlugin, NodesWithoutZonesTakeNoGroup) {
  Book book;
  NodeId loose = book.node({8, 8}, "none");
  NodeId best = book.node({8, 8}, "best-effort");
  NodeId bare = book.node({8});
  book.nodes[bare].numa.reset();
  PodClassId two = book.pod_class(2, book.vocabulary.strings.intern("default/gang"));
  book.open();
  EXPECT_EQ(book.fit(two, loose), 0);
  EXPECT_EQ(book.fit(two, bare), 0);
  EXPECT_EQ(book.fit(two, best), 4);
  EXPECT_EQ(book.plugin.refusal(two, FitMode::Now, loose), ReasonCode::NoNumaZones);
  EXPECT_EQ(book.plugin.refusal(two, FitMode::Now, bare), ReasonCode::NoNumaZones);
}

}  // namespace
}  // namespace trellis::numa_plugin_test
