#include "server/objects/spec_pool.h"

#include <gtest/gtest.h>

#include <string>

namespace trellis::spec_pool_test {
namespace {

PodContainers containers(StrId name) {
  PodContainers made;
  made.names.push_back(name);
  return made;
}

TEST(SpecPool, SharesTheNamesOfNodes) {
  SpecPool pool;
  SharedText first = pool.share("node-1");
  EXPECT_EQ(pool.share(std::string("node-") + "1").view().data(), first.view().data());
  EXPECT_NE(pool.share("node-2").view().data(), first.view().data());
  EXPECT_TRUE(pool.share("").empty());
}

TEST(SpecPool, DropsNamesThatNothingElseHas) {
  SpecPool pool;
  SharedText kept = pool.share("kept");
  for (int i = 0; i < 10'000; ++i) pool.share("node-" + std::to_string(i));
  EXPECT_TRUE(kept.is_shared());
  EXPECT_EQ(pool.share("kept").view().data(), kept.view().data());
  EXPECT_LT(pool.names(), 3'000);
}

TEST(SpecPool, SharesTheNamesOfContainers) {
  SpecPool pool;
  SharedValue<PodContainers> first = pool.share(containers(StrId(1U)));
  EXPECT_EQ(pool.share(containers(StrId(1U))).get(), first.get());
  PodContainers zoned = containers(StrId(1U));
  zoned.zones.push_back({0});
  EXPECT_EQ(*pool.share(zoned), zoned);
  for (uint32_t i = 2; i < 5'000; ++i) pool.share(containers(StrId(i)));
  EXPECT_EQ(*pool.share(containers(StrId(1U))), *first);
}

}  // namespace
}  // namespace trellis::spec_pool_test
