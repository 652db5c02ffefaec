#include "framework/resources.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/support/random.h"

namespace trellis::resources_test {
namespace {

TEST(ResourceTable, WellKnownNamesHaveFixedIds) {
  ResourceTable table;
  EXPECT_EQ(table.find("cpu"), kCpu);
  EXPECT_EQ(table.find("memory"), kMemory);
  EXPECT_EQ(table.find("pods"), kPods);
  EXPECT_EQ(table.find("nvidia.com/gpu"), kGpu);
  EXPECT_EQ(table.find("amd.com/gpu"), kAmdGpu);
  EXPECT_FALSE(table.find("example.com/nic").valid());
  ResourceId nic = table.intern("example.com/nic");
  EXPECT_EQ(table.intern("example.com/nic"), nic);
  EXPECT_EQ(table.name(nic), "example.com/nic");
  EXPECT_EQ(table.size(), 6u);
}

TEST(ResourceTable, Units) {
  ResourceTable table;
  EXPECT_EQ(table.unit(kCpu), Unit::MilliCpu);
  EXPECT_EQ(table.unit(kMemory), Unit::Bytes);
  EXPECT_EQ(table.unit(kPods), Unit::Count);
  EXPECT_EQ(table.unit(kGpu), Unit::MilliGpu);
  EXPECT_EQ(table.unit(kAmdGpu), Unit::MilliGpu);
  EXPECT_EQ(table.unit(table.intern("ephemeral-storage")), Unit::Bytes);
  EXPECT_EQ(table.unit(table.intern("hugepages-2Mi")), Unit::Bytes);
  EXPECT_EQ(table.unit(table.intern("example.com/nic")), Unit::Count);
}

TEST(ResourceList, StaysSortedAndWithoutZeros) {
  Random random(3);
  for (int round = 0; round < 200; ++round) {
    ResourceList list;
    std::vector<int64_t> plain(6, 0);
    for (int step = 0; step < 20; ++step) {
      uint32_t id = random.below(6);
      int64_t amount = random.between(-3, 3);
      if (random.chance(50)) {
        list.set(ResourceId(id), amount);
        plain[id] = amount;
      } else {
        list.add(ResourceId(id), amount);
        plain[id] += amount;
      }
      const ResourceAmount* before = nullptr;
      for (const ResourceAmount& item : list.items()) {
        EXPECT_NE(item.amount, 0);
        EXPECT_TRUE(before == nullptr || before->resource < item.resource);
        before = &item;
      }
      for (uint32_t i = 0; i < plain.size(); ++i) EXPECT_EQ(list.get(ResourceId(i)), plain[i]);
    }
  }
}

TEST(ResourceList, SumsSaturate) {
  ResourceList list;
  list.set(kMemory, kMaxAmount);
  list.add(kMemory, kMaxAmount);
  EXPECT_EQ(list.get(kMemory), 2 * kMaxAmount);
  list.set(kMemory, kMaxSum - 1);
  ResourceList other = list;
  list.add(other);
  EXPECT_EQ(list.get(kMemory), kMaxSum);
  list.set(kMemory, -kMaxSum + 1);
  list.add(kMemory, -kMaxAmount);
  EXPECT_EQ(list.get(kMemory), -kMaxSum);
}

TEST(Amounts, ASumThatSaturatedStaysSo) {
  int64_t sum = 0;
  for (int i = 0; i < 5000; ++i) sum = add_to_sum(sum, kMaxAmount);
  EXPECT_EQ(sum, kMaxSum);
  EXPECT_EQ(add_to_sum(sum, -kMaxAmount), kMaxSum);
  EXPECT_EQ(add_to_sum(-kMaxSum, 1), -kMaxSum);
  EXPECT_EQ(add_to_sum(kMaxSum - 1, -kMaxSum), -1);
}

TEST(Amounts, ProductsSaturate) {
  EXPECT_EQ(saturating_product(kMaxAmount, 6144), kMaxSum);
  EXPECT_EQ(saturating_product(kMaxAmount, -6144), -kMaxSum);
  EXPECT_EQ(saturating_product(-kMaxSum, INT32_MAX), -kMaxSum);
  EXPECT_EQ(saturating_product(kMaxAmount, 2), 2 * kMaxAmount);
  EXPECT_EQ(saturating_product(kMaxSum, 0), 0);
}

TEST(Amounts, AnOverFullNodeNeverSeemsToHaveRoom) {
  int64_t left = 1000;
  for (int i = 0; i < 3; ++i) left = take_amount(left, kMaxAmount);
  EXPECT_EQ(left, -kMaxAmount);
  EXPECT_EQ(take_amount(left, -kMaxAmount), -kMaxAmount);
  EXPECT_EQ(take_amount(4, -3), 7);
}

TEST(ResourceList, RaiseTo) {
  ResourceList a;
  a.set(kCpu, 5);
  a.set(kMemory, 1);
  ResourceList b;
  b.set(kMemory, 3);
  b.set(kGpu, 2);
  a.raise_to(b);
  EXPECT_EQ(a.get(kCpu), 5);
  EXPECT_EQ(a.get(kMemory), 3);
  EXPECT_EQ(a.get(kGpu), 2);
}

}  // namespace
}  // namespace trellis::resources_test
