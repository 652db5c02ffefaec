// What is free on a node, the mix of pods, and what the room is worth to the mix.

#include "plugins/fragmentation/room_value.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "plugins/fragmentation/node_room.h"
#include "plugins/fragmentation/pod_mix.h"

namespace trellis::room_value_test {
namespace {

constexpr int64_t kGiB = int64_t{1} << 30;

NodeRoom room(int64_t cpus, int32_t whole, std::initializer_list<int16_t> parts = {}) {
  NodeRoom room;
  room.cpu_milli = cpus * kMilli;
  room.memory_bytes = 512 * kGiB;
  room.whole = whole;
  room.parts = parts;
  return room;
}

PodShape shape(int64_t cpus, int32_t devices, int32_t portion = kMilli) {
  return {cpus * kMilli, 16 * kGiB, devices, portion};
}

TEST(NodeRoom, CountsPodsByDevicesAndAmounts) {
  NodeRoom some = room(16, 2, {300, 700});
  EXPECT_EQ(some.gpu_milli(), 3000);
  EXPECT_EQ(some.fits(shape(4, 1)), 2);
  EXPECT_EQ(some.fits(shape(12, 1)), 1);
  EXPECT_EQ(some.fits(shape(1, 4)), 0);
  EXPECT_EQ(some.fits(shape(1, 1, 300)), 3 + 3 + 1 + 2);
  EXPECT_EQ(some.fits(shape(1, 0)), 0);
  PodShape other_model = shape(1, 1);
  other_model.models = 2;
  EXPECT_EQ(some.fits(other_model), 0);
  some.model = 1;
  EXPECT_EQ(some.fits(other_model), 2);
}

TEST(NodeRoom, AShareTakesTheFullestDeviceThatHoldsIt) {
  NodeRoom some = room(16, 2, {300, 700});
  EXPECT_EQ(some.without(shape(4, 1, 300)).parts, room(0, 0, {700}).parts);
  EXPECT_EQ(some.without(shape(4, 1, 500)).parts, room(0, 0, {200, 300}).parts);
  NodeRoom opened = some.without(shape(4, 1, 800));
  EXPECT_EQ(opened.parts, room(0, 0, {200, 300, 700}).parts);
  EXPECT_EQ(opened.whole, 1);
  NodeRoom two = some.without(shape(4, 2, 600));
  EXPECT_EQ(two.parts, room(0, 0, {100, 300, 400}).parts);
  EXPECT_EQ(two.whole, 1);
  EXPECT_EQ(some.without(shape(4, 2)).whole, 0);
  EXPECT_EQ(some.without(shape(4, 2)).cpu_milli, 12 * kMilli);
}

TEST(PodMix, SimilarPodsAreOneShapeInAnyOrder) {
  std::vector<PodShape> pods = {shape(1, 1), shape(4, 1), shape(5, 1), shape(2, 0), shape(4, 8)};
  PodMix mix;
  for (const PodShape& pod : pods) mix.arrive(pod);
  PodMix reversed;
  std::reverse(pods.begin(), pods.end());
  for (const PodShape& pod : pods) reversed.arrive(pod);
  std::vector<TypicalPod> typical = mix.typical();
  ASSERT_EQ(typical.size(), 4U);
  EXPECT_EQ(typical[0].shape.cpu_milli, 4 * kMilli);
  EXPECT_EQ(typical[0].shape.devices, 1);
  EXPECT_DOUBLE_EQ(typical[0].part, 0.4);
  std::vector<TypicalPod> other = reversed.typical();
  for (size_t i = 0; i < typical.size(); ++i) EXPECT_EQ(typical[i].shape, other[i].shape);
}

TEST(PodMix, OldArrivalsFade) {
  PodMix mix;
  auto arrive = [&](int pods, const PodShape& pod) {
    for (int i = 0; i < pods; ++i) {
      mix.arrive(pod);
      mix.fade();
    }
  };
  arrive(8000, shape(4, 1));
  arrive(40'000, shape(4, 8));
  EXPECT_EQ(mix.arrived(), 48'000);
  std::vector<TypicalPod> typical = mix.typical();
  EXPECT_EQ(typical[0].shape.devices, 8);
  EXPECT_GT(typical[0].part, 0.95);
}

TEST(PodMix, ArrivalsOfOneTimeFadeAlike) {
  PodMix mix;
  for (int i = 0; i < 40'000; ++i) mix.arrive(shape(4, i < 20'000 ? 1 : 8));
  mix.fade();
  std::vector<TypicalPod> typical = mix.typical();
  ASSERT_EQ(typical.size(), 2U);
  EXPECT_DOUBLE_EQ(typical[0].part, 0.5);
}

// The pods that were there when the mix was saved arrive again, and are not counted twice.
TEST(PodMix, ContinuesWithWhatWasSaved) {
  PodMix mix;
  for (int i = 0; i < 3; ++i) mix.arrive(shape(4, 1));
  mix.arrive(shape(4, 8));
  std::vector<PodShape> present = {shape(4, 1), shape(3, 1), shape(64, 0)};
  std::vector<ArrivedPods> counts = mix.counts(present);
  PodMix again;
  again.recall(counts, mix.arrived());
  for (const PodShape& pod : present) again.arrive(pod);
  again.end_recall();
  EXPECT_EQ(again.counts({}), mix.counts({}));
  EXPECT_EQ(again.arrived(), 4);
  again.arrive(shape(4, 1));
  EXPECT_EQ(again.arrived(), 5);
}

// Ten pods in all: `small` request a GPU, the others eight.
std::vector<TypicalPod> mix_of(int small) {
  return {{shape(4, 1), small / 10.0}, {shape(32, 8), (10 - small) / 10.0}};
}

RoomValue value_of(const std::vector<TypicalPod>& mix, const RoomCounts& rooms) {
  RoomValue value(mix, {{room(64, 8), 4}});
  value.weigh(rooms);
  return value;
}

TEST(RoomValue, NothingFreeIsWorthNothing) {
  RoomValue value = value_of(mix_of(5), {{room(64, 8), 4}});
  EXPECT_EQ(value.of(room(64, 0)), 0);
  EXPECT_EQ(RoomValue().of(room(64, 0)), 0);
}

TEST(RoomValue, GpusWithoutCpusAreWorthLittle) {
  RoomValue value = value_of(mix_of(10), {{room(64, 8), 4}});
  EXPECT_GT(value.of(room(32, 4)), 2 * value.of(room(1, 4)));
}

// The last node that takes eight GPUs is kept for such pods: a pod of one goes elsewhere.
TEST(RoomValue, WhatIsScarceIsPrecious) {
  RoomCounts rooms = {{room(64, 8), 1}, {room(64, 5), 30}};
  RoomValue value = value_of(mix_of(8), rooms);
  auto loss = [&](const NodeRoom& from) {
    return value.of(from) - value.of(from.without(shape(4, 1)));
  };
  EXPECT_GT(loss(room(64, 8)), 3 * loss(room(64, 5)));
}

TEST(RoomValue, IsWhatItsTypicalPodsAndWeightsMakeIt) {
  RoomValue value = value_of({{shape(4, 1, 300), 0.5}, {shape(8, 2), 0.25}, {shape(4, 1), 0.25}},
                             {{room(64, 8), 1}, {room(64, 5), 30}});
  std::span<const TypicalPod> typical = value.typical();
  RoomValue again(std::vector<TypicalPod>(typical.begin(), typical.end()));
  for (const NodeRoom& some : {room(64, 8), room(17, 3, {100, 300, 700}), room(3, 5)}) {
    EXPECT_EQ(again.of(some), value.of(some));
  }
}

// The smallest parts of the most GPUs that a node counts are still a number of 32 bits.
TEST(RoomValue, MoreThanAMillionGpusCountAsAMillion) {
  EXPECT_EQ(counted_gpus(8 * kMilli), 8);
  EXPECT_EQ(counted_gpus(-kMilli), 0);
  EXPECT_EQ(counted_gpus(INT64_MAX), kMostCountedGpus);
  NodeRoom most = room(1 << 30, counted_gpus(INT64_MAX));
  NodeRoom half = room(1 << 30, counted_gpus(INT64_MAX) / 2);
  most.memory_bytes = half.memory_bytes = INT64_MAX;
  RoomValue value = value_of({{shape(0, 1, 1), 1}}, {{most, 1}, {half, 1}});
  EXPECT_GT(value.of(half), 0);
  EXPECT_GT(value.of(most), value.of(half));
}

TEST(RoomValue, WholeNodesCountBeforeAnythingIsKnown) {
  RoomValue value;
  auto loss = [&](const NodeRoom& from) {
    return value.of(from) - value.of(from.without(shape(4, 1)));
  };
  EXPECT_GT(loss(room(64, 8)), loss(room(64, 5)));
  EXPECT_GT(loss(room(64, 1)), 0);
}

}  // namespace
}  // namespace trellis::room_value_test
