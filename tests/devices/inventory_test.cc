#include "devices/inventory.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace trellis::devices::inventory_test {
namespace {

// Nodes of eight devices each: two models, every device with an id of its own.
std::vector<Slice> slices_of(int nodes) {
  std::vector<Slice> slices;
  for (int node = 0; node < nodes; ++node) {
    Slice slice;
    slice.name = "slice-" + std::to_string(node);
    slice.driver = "gpu.example.com";
    slice.pool = "node-" + std::to_string(node);
    slice.slices_of_pool = 1;
    slice.reach = {Reach::Form::OneNode, slice.pool, {}};
    for (int i = 0; i < 8; ++i) {
      Device device;
      device.name = "gpu-" + std::to_string(i);
      device.attributes = {{"model", cel::Value::string(node % 2 == 0 ? "H100" : "H200")},
                           {"uuid", cel::Value::string(slice.name + "/" + device.name)},
                           {"gpu.example.com/numa", cel::Value::integer(i / 4)}};
      device.capacity = {{"memory", Quantity::of_units(80), std::nullopt}};
      slice.devices.push_back(std::move(device));
    }
    slices.push_back(std::move(slice));
  }
  return slices;
}

int64_t accepted(const Inventory& inventory, const std::string& expression) {
  SelectorIndex selector = inventory.selector(expression);
  EXPECT_TRUE(inventory.expression(selector).valid());
  int64_t count = 0;
  for (DeviceIndex i = 0; i < inventory.devices().size(); ++i) {
    count += inventory.accepts(selector, i).accepts ? 1 : 0;
  }
  return count;
}

struct Evaluations {
  std::string expression;
  int64_t accepted;
  int64_t evaluations;
};

TEST(Inventory, EvaluatesOnceForDevicesThatASelectorCannotDistinguish) {
  const std::string d = R"(device.attributes["gpu.example.com"])";
  const std::vector<Evaluations> cases = {
      {R"(device.driver == "gpu.example.com")", 800, 1},
      {d + R"(.model == "H100")", 400, 2},
      {d + R"(["model"] == "H100" && )" + d + ".numa == 1", 200, 4},
      {R"(device.attributes[device.driver].numa == 0)", 400, 2},
      {R"("speed" in )" + d + " || has(" + d + ".model)", 800, 2},
      {d + R"(.?speed.orValue(3) == 3 && )" + d + R"([?"numa"].hasValue())", 800, 2},
      {R"(device.capacity["gpu.example.com"].memory.compareTo(quantity("80")) == 0)", 800, 1},
      {"!device.allowMultipleAllocations", 800, 1},
      {"true", 800, 1},
      // It may read anything.
      {"device.attributes.all(d, d != '')", 800, 800},
      {"cel.bind(a, " + d + ", a.model == 'H100')", 400, 800},
      {"[device].exists(x, x.driver != '')", 800, 800},
  };
  for (const Evaluations& wanted : cases) {
    Inventory inventory(slices_of(100), {}, {});
    EXPECT_EQ(accepted(inventory, wanted.expression), wanted.accepted) << wanted.expression;
    EXPECT_EQ(inventory.evaluations(), wanted.evaluations) << wanted.expression;
    EXPECT_EQ(accepted(inventory, wanted.expression), wanted.accepted);
    EXPECT_EQ(inventory.evaluations(), wanted.evaluations) << "asked again";
  }
}

TEST(Inventory, AnErrorIsTheAnswerOfItsDevices) {
  std::vector<Slice> slices = slices_of(2);
  slices[0].devices[0].attributes.erase(slices[0].devices[0].attributes.begin());
  slices[0].devices[1].defect = "attribute model: unsupported attribute value";
  Inventory inventory(std::move(slices), {}, {});
  SelectorIndex selector =
      inventory.selector(R"(device.attributes["gpu.example.com"].model == "H100")");
  EXPECT_TRUE(inventory.accepts(selector, 0).error.starts_with("no such key: model. consider"));
  EXPECT_EQ(inventory.accepts(selector, 1).error, "attribute model: unsupported attribute value");
  EXPECT_TRUE(inventory.accepts(selector, 2).accepts);
  EXPECT_FALSE(inventory.accepts(selector, 8).accepts);
}

TEST(Inventory, RulesTaintTheDevicesThatTheyName) {
  TaintRule all{.name = "b", .selects = true, .taint = {"k", "all", "NoSchedule"}};
  TaintRule none{.name = "c", .selects = false, .taint = {"k", "none", "NoSchedule"}};
  TaintRule one{.name = "a", .selects = true, .device = "gpu-3", .taint = {"k", "one", "None"}};
  Inventory inventory(slices_of(1), {}, {all, none, one});
  EXPECT_EQ(inventory.devices()[0].device->taints.size(), 1);
  ASSERT_EQ(inventory.devices()[3].device->taints.size(), 2);
  EXPECT_EQ(inventory.devices()[3].device->taints[0].value, "one");
}

}  // namespace
}  // namespace trellis::devices::inventory_test
