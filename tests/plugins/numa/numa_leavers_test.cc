// Zones of pods that have left since the agent's last report, or were evicted.
#include <gtest/gtest.h>

#include "tests/plugins/numa/numa_book.h"

namespace trellis::numa_leavers_test {
namespace {

using Book = test::NumaBook;

TEST(NumaLeavers, ZonesOfAPodThatHasLeftAreFreeInFutureUntilTheNextReport) {
  Book book;
  NodeId node = book.node({0, 0}, "single-numa-node", 4);
  PodClassId four = book.pod_class(4);
  PodId first = book.pod(four, node, {0});
  PodId second = book.pod(four, node, {1});
  book.open();
  book.place(first, node);
  book.place(second, node);
  book.left(node, first, 0);
  book.open();
  book.remove(first, node);
  EXPECT_EQ(book.fit(four, node), 0);
  EXPECT_EQ(book.fit(four, node, FitMode::Future), 1);
  PodId promised = book.pod(four);
  book.place(promised, node, Presence::Promised);
  EXPECT_EQ(book.fit(four, node, FitMode::Future), 0);
  book.remove(promised, node, Presence::Promised);
  book.nodes[node].left.clear();
  book.report(node, {4, 0});
  book.open();
  EXPECT_EQ(book.fit(four, node), 1);
  EXPECT_EQ(book.fit(four, node, FitMode::Future), 1);
}

// The kubelet would put it into the lowest zone that is free, which is promised.
TEST(NumaLeavers, BesideAPromiseThatWaitsForAReportNoPodIsBound) {
  Book book;
  NodeId node = book.node({0, 4}, "single-numa-node", 4);
  PodClassId four = book.pod_class(4);
  PodId leaves = book.pod(four, node, {0});
  book.open();
  book.place(leaves, node);
  book.left(node, leaves, 0);
  book.open();
  book.remove(leaves, node);
  EXPECT_EQ(book.fit(four, node), 1);
  PodId promised = book.pod(four);
  book.place(promised, node, Presence::Promised);
  EXPECT_EQ(book.fit(four, node), 0);
  EXPECT_EQ(book.plugin.refusal(four, FitMode::Now, node), ReasonCode::NumaZonesStale);
  EXPECT_EQ(book.fit(four, node, FitMode::Future), 1);
  book.remove(promised, node, Presence::Promised);
  EXPECT_EQ(book.fit(four, node), 1);
}

// A pod has taken the zone of one that has left, so the next report shows the same amounts.
TEST(NumaLeavers, AReportThatStaysTheSameIncludesWhatCameOnceItIsConfirmed) {
  Book book;
  NodeId node = book.node({4}, "single-numa-node", 8);
  PodClassId four = book.pod_class(4);
  PodId leaves = book.pod(four, node, {0});
  book.open();
  book.place(leaves, node);
  book.left(node, leaves, 0);
  book.open();
  book.remove(leaves, node);
  PodId comes = book.pod(four);
  book.place(comes, node);
  book.pods[comes].node = node;
  book.pods[comes].pod.status = PodStatus::Bound;
  book.open();
  EXPECT_EQ(book.fit(four, node), 0);
  book.confirm(node);
  book.open();
  EXPECT_EQ(book.fit(four, node), 1);
}

// The agent has seen already that the pod left, although the pod is in the
// cluster still.
TEST(NumaLeavers, WhatStayingPodsHoldIsNeverFreed) {
  Book book;
  NodeId node = book.node({4}, "single-numa-node", 8);
  PodClassId four = book.pod_class(4);
  PodId leaves = book.pod(four, node, {0});
  PodId stays = book.pod(four, node, {0});
  book.open();
  book.place(leaves, node);
  book.place(stays, node);
  EXPECT_EQ(book.fit(four, node), 1);
  book.evict(leaves, node);
  EXPECT_EQ(book.fit(four, node, FitMode::Future), 1);
  book.spare(leaves, node);
  book.left(node, leaves, 0);
  book.open();
  book.remove(leaves, node);
  EXPECT_EQ(book.fit(four, node, FitMode::Future), 1);
}

TEST(NumaLeavers, AnEvictedPodMayStayInItsOwnZoneOnly) {
  Book book;
  NodeId node = book.node({1, 2}, "single-numa-node", 3);
  PodClassId two = book.pod_class(2);
  PodClassId three = book.pod_class(3);
  PodId runs = book.pod(two, node, {0});
  PodId other = book.pod(book.pod_class(1), node, {1});
  PodId comes = book.pod(three);
  book.open();
  book.place(runs, node);
  book.place(other, node);
  book.evict(runs, node);
  EXPECT_TRUE(book.plugin.may_stay(runs, node));
  book.place(comes, node, Presence::Promised);
  EXPECT_EQ(book.fit(two, node, FitMode::Future), 1);  // in the other zone
  EXPECT_FALSE(book.plugin.may_stay(runs, node));
  book.remove(comes, node, Presence::Promised);
  book.place(runs, node, Presence::Promised);
  EXPECT_EQ(book.fit(three, node, FitMode::Future), 0);
  EXPECT_EQ(book.fit(two, node, FitMode::Future), 1);
}

}  // namespace
}  // namespace trellis::numa_leavers_test
