#include "devices/pod_counter.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "devices/search.h"
#include "tests/support/random.h"

namespace trellis::devices::pod_counter_test {
namespace {

constexpr int64_t kMost = 6;

// One node whose devices differ in everything that may matter.
Slice random_slice(Random& random) {
  Slice slice;
  slice.name = "slice";
  slice.driver = "gpu.example.com";
  slice.pool = "node";
  slice.slices_of_pool = 1;
  slice.reach = {Reach::Form::OneNode, "node", {}};
  bool shared = random.below(4) == 0;
  auto devices = 1 + random.below(5);
  for (uint64_t i = 0; i < devices; ++i) {
    Device device;
    device.name = "gpu-" + std::to_string(i);
    device.attributes = {{"numa", cel::Value::integer(static_cast<int64_t>(random.below(2)))}};
    device.capacity = {{"memory", Quantity::of_units(40), std::nullopt}};
    device.shared = shared && random.below(2) == 0;
    if (random.below(4) == 0) device.taints = {{"k", "", "NoSchedule"}};
    slice.devices.push_back(std::move(device));
  }
  return slice;
}

Claim random_claim(Random& random) {
  Claim claim;
  claim.name_space = "default";
  claim.name = "claim";
  Alternative alternative;
  alternative.device_class = "gpu";
  alternative.count = 1 + static_cast<int64_t>(random.below(2));
  if (random.below(2) == 0) {
    alternative.selectors = {"device.attributes[device.driver].numa == 0"};
  }
  if (random.below(3) == 0) alternative.capacity = {{"memory", Quantity::of_units(20)}};
  if (random.below(3) == 0) alternative.tolerations = {{"k", "Exists", "", "", std::nullopt}};
  claim.requests = {{"r", {alternative}}};
  if (random.below(4) == 0) claim.constraints = {{{}, "gpu.example.com/numa", ""}};
  return claim;
}

// Takes devices for one pod after the other, every choice being tried.
int64_t most_pods(const Inventory& inventory, const NodeView& node, const Claim& claim,
                  Holdings& holdings) {
  JointSearch search(inventory, holdings);
  for (int64_t pods = 1; pods <= kMost; ++pods) {
    std::vector<PlacedClaim> placed(static_cast<size_t>(pods), PlacedClaim{&claim, {&node}});
    if (search.allocate(placed).end != JointEnd::Found) return pods - 1;
  }
  return kMost;
}

TEST(PodCounter, CountsWhatTheJointSearchPlaces) {
  Random random(20261127);
  NodeView node{"node", {}};
  std::vector<Class> classes = {
      {.name = "gpu", .selectors = {R"(device.driver == "gpu.example.com")"}}};
  int64_t counted = 0;
  for (int i = 0; i < 400; ++i) {
    Inventory inventory({random_slice(random)}, classes, {});
    Claim claim = random_claim(random);
    Holdings holdings;
    if (random.below(2) == 0) {
      const Claim* first = &claim;
      Search search(inventory, node, std::span(&first, 1), holdings);
      if (search.next()) holdings.add(search.allocations()[0]);
    }
    PodCounter counter(inventory, {&claim});
    PodCount count = counter.count(node, holdings, kMost);
    EXPECT_TRUE(count.exact);
    EXPECT_EQ(count.pods, most_pods(inventory, node, claim, holdings)) << "round " << i;
    counted += count.pods;
  }
  EXPECT_GT(counted, 200);
}

// Without kinds of devices, every choice of 16 of 24 devices would be tried.
TEST(PodCounter, DevicesThatAreAlikeAreNotTriedInEveryOrder) {
  Slice slice;
  slice.name = "slice";
  slice.driver = "gpu.example.com";
  slice.pool = "node";
  slice.slices_of_pool = 1;
  slice.reach = {Reach::Form::OneNode, "node", {}};
  for (int64_t i = 0; i < 24; ++i) {
    Device device;
    device.name = "gpu-" + std::to_string(i);
    device.attributes = {{"root", cel::Value::integer(i / 4)}, {"index", cel::Value::integer(i)}};
    slice.devices.push_back(std::move(device));
  }
  Inventory inventory({std::move(slice)}, {{.name = "gpu", .selectors = {"true"}}}, {});
  Claim claim;
  claim.name = "pair";
  claim.requests = {{"a", {{.device_class = "gpu"}}}, {"b", {{.device_class = "gpu"}}}};
  claim.constraints = {{{}, "gpu.example.com/root", ""}};
  Holdings holdings;
  PodCount count = PodCounter(inventory, {&claim}).count({"node", {}}, holdings, 50);
  EXPECT_TRUE(count.exact);
  EXPECT_EQ(count.pods, 12);
}

TEST(PodCounter, ClaimsWithoutDevicesFitAnyNumberOfTimes) {
  Random random(1);
  Inventory inventory({random_slice(random)}, {}, {});
  Claim claim;
  claim.name = "empty";
  Holdings holdings;
  EXPECT_EQ(PodCounter(inventory, {&claim}).count({"node", {}}, holdings, 50).pods, 50);
}

TEST(PodCounter, AnErrorOfTheClaimIsTold) {
  Random random(1);
  Inventory inventory({random_slice(random)}, {}, {});
  Claim claim = random_claim(random);
  Holdings holdings;
  PodCount count = PodCounter(inventory, {&claim}).count({"node", {}}, holdings, 50);
  EXPECT_EQ(count.pods, 0);
  EXPECT_EQ(count.error,
            "claim default/claim, request r: could not retrieve device class gpu: not found");
}

}  // namespace
}  // namespace trellis::devices::pod_counter_test
