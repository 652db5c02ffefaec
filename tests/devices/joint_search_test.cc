#include "devices/joint_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "devices/alike_devices.h"
#include "devices/search.h"
#include "tests/support/random.h"

namespace trellis::devices::joint_search_test {
namespace {

Slice slice_of_node() {
  Slice slice;
  slice.name = "slice";
  slice.driver = "gpu.example.com";
  slice.pool = "node";
  slice.slices_of_pool = 1;
  slice.reach = {Reach::Form::OneNode, "node", {}};
  return slice;
}

// One node whose devices differ in everything that may matter.
Slice random_slice(Random& random) {
  Slice slice = slice_of_node();
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

JointEnd end_of(int64_t claims, const Claim& claim, const NodeDevices& node,
                const Inventory& inventory, Holdings& holdings) {
  std::vector<PlacedClaim> placed(static_cast<size_t>(claims), PlacedClaim{&claim, {&node}});
  return JointSearch(inventory, holdings).allocate(placed).end;
}

// Takes devices for one claim after the other, every choice being tried.
int64_t most_claims(const Claim& claim, const NodeDevices& node, const Inventory& inventory,
                    Holdings& holdings) {
  int64_t count = 0;
  while (end_of(count + 1, claim, node, inventory, holdings) == JointEnd::Found) ++count;
  return count;
}

// Where devices are alike, the free ones are as many claims as the search finds devices for.
TEST(JointSearch, FindsDevicesForAsManyClaimsAsAlikeDevicesAreFree) {
  Random random(20261127);
  NodeView view{"node", {}};
  std::vector<Class> classes = {
      {.name = "gpu", .selectors = {R"(device.driver == "gpu.example.com")"}}};
  int64_t counted = 0;
  for (int i = 0; i < 800; ++i) {
    Inventory inventory({random_slice(random)}, classes, {});
    NodeDevices node(inventory, view);
    Claim claim = random_claim(random);
    Holdings holdings;
    if (random.below(2) == 0) {
      const Claim* first = &claim;
      Search search(inventory, node, std::span(&first, 1), holdings);
      if (search.next()) holdings.add(search.allocations()[0]);
    }
    AlikeDevices devices = alike_devices(claim, view, inventory);
    if (!devices.alike) continue;
    int64_t free = std::ranges::count_if(devices.devices, [&](DeviceIndex device) {
      return holdings.find(inventory.devices()[device].id) == nullptr;
    });
    int64_t most = most_claims(claim, node, inventory, holdings);
    EXPECT_EQ(free / devices.devices_of_claim, most) << "round " << i;
    counted += most;
  }
  EXPECT_GT(counted, 200);
}

// Without kinds of devices, every choice of 16 of 24 devices would be tried.
TEST(JointSearch, DevicesThatAreAlikeAreNotTriedInEveryOrder) {
  Slice slice = slice_of_node();
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
  NodeView view{"node", {}};
  NodeDevices node(inventory, view);
  Holdings holdings;
  EXPECT_EQ(end_of(12, claim, node, inventory, holdings), JointEnd::Found);
  EXPECT_EQ(end_of(13, claim, node, inventory, holdings), JointEnd::None);
}

TEST(JointSearch, ReportsTheErrorOfAClaim) {
  Random random(1);
  Inventory inventory({random_slice(random)}, {}, {});
  Claim claim = random_claim(random);
  NodeView view{"node", {}};
  NodeDevices node(inventory, view);
  Holdings holdings;
  JointAnswer answer =
      JointSearch(inventory, holdings).allocate(std::vector<PlacedClaim>{{&claim, {&node}}});
  EXPECT_EQ(answer.end, JointEnd::None);
  EXPECT_EQ(answer.error,
            "claim default/claim, request r: could not retrieve device class gpu: not found");
}

}  // namespace
}  // namespace trellis::devices::joint_search_test
