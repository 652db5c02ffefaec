#include "session/fits/fit_cache.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "session/fits/fit_kernels.h"
#include "tests/support/hall.h"
#include "tests/support/random.h"
#include "tests/support/world.h"

namespace trellis::fit_cache_test {
namespace {

TEST(FitCache, CountsStayRightUnderMoreClassesThanItKeeps) {
  World world;
  make_hall(world.cluster, 30'000);
  world.gang("g", {.min_member = 1});
  for (int i = 0; i < 300; ++i) {
    world.pod("p" + std::to_string(i), "g", {.cpu = 1.0 + i, .gpu = 1 + i % 4});
  }
  Session& session = world.scheduler().open(0);
  Random random(3);
  TopologyId hall = world.cluster.find_topology("hall");
  for (int step = 0; step < 600; ++step) {
    std::string name = "p" + std::to_string(random.below(300));
    PodClassId pod_class = world.class_of(name);
    NodeId node(random.below(30'000));
    FitMode mode = random.chance(50) ? FitMode::Now : FitMode::Future;
    int32_t fit = session.fits().fit_now(pod_class, mode, node);
    ASSERT_EQ(session.fits().node_fit(node, pod_class, mode), fit);
    ASSERT_EQ(session.fits().domain_counts(hall, pod_class,
                                           mode)[session.snapshot().trees()[hall].domain_of(node)],
              fit);
    bool waits = session.snapshot().pod(world.pod_id(name)).status == PodStatus::Pending;
    if (waits && fit > 0 && random.chance(50)) {
      ASSERT_TRUE(session.statement().place(world.pod_id(name), node, mode));
    }
  }
  session.statement().rollback();
  session.fits().check_invariants();
}

TEST(FitCache, APodThatAsksForNothingButAPlace) {
  World world;
  world.node("n", {.cpu = 0, .memory_gib = 0, .pods = 3});
  world.gang("g", {.count = 4, .pod = {.cpu = 0, .memory_gib = 0}});
  Session& session = world.scheduler().open(0);
  EXPECT_EQ(session.fits().total(world.class_of("g-0"), FitMode::Now), 3);
}

TEST(FitCache, OneNodeNeverTakesMoreThanItsLimit) {
  World world;
  world.node("n", {.cpu = 1e9, .memory_gib = 1000, .pods = int64_t{1} << 40});
  world.gang("g", {.count = 1, .pod = {.cpu = 0.001, .memory_gib = 0}});
  Session& session = world.scheduler().open(0);
  EXPECT_EQ(session.fits().total(world.class_of("g-0"), FitMode::Now), kMostPodsPerNode);
  EXPECT_EQ(session.fits().fit_now(world.class_of("g-0"), FitMode::Now, world.node_id("n")),
            kMostPodsPerNode);
}

}  // namespace
}  // namespace trellis::fit_cache_test
