// Extended resources that devices serve: which claim a pod gets, and its devices.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "devices/extended.h"
#include "devices/search.h"
#include "server/devices/allocation_output.h"
#include "tests/server/devices/device_world.h"
#include "tests/support/gzip_lines.h"

namespace trellis::extended_conformance_test {
namespace {

using Json = nlohmann::json;

std::vector<devices::ContainerRequests> containers_of(const Json& spec, const char* member) {
  std::vector<devices::ContainerRequests> containers;
  for (const Json& container : spec.value(member, Json::array())) {
    devices::ContainerRequests requests{
        container.at("name"), container.value("restartPolicy", "") == "Always", {}};
    Json resources = container.value("resources", Json::object());
    Json amounts = resources.value("requests", Json::object());
    for (const auto& [name, amount] : amounts.items()) {
      auto parsed = devices::Quantity::parse(amount.get<std::string>());
      requests.amounts[name] = parsed->units().value_or(1);
    }
    containers.push_back(std::move(requests));
  }
  return containers;
}

Json request_json(const devices::Request& request) {
  const devices::Alternative& alternative = request.alternatives.at(0);
  return {{"name", request.name},
          {"exactly",
           {{"deviceClassName", alternative.device_class},
            {"allocationMode", "ExactCount"},
            {"count", alternative.count}}}};
}

struct Input {
  devices::ExtendedPod pod;
  std::map<std::string, int64_t> allocatable;
};

Input input_of(const Json& objects) {
  Input input;
  for (const Json& object : objects) {
    if (object.at("kind") == "Pod") {
      input.pod.name_space = object.at("metadata").at("namespace");
      input.pod.init_containers = containers_of(object.at("spec"), "initContainers");
      input.pod.containers = containers_of(object.at("spec"), "containers");
    }
    if (object.at("kind") != "Node") continue;
    for (const auto& [name, amount] : object.at("status").at("allocatable").items()) {
      auto parsed = devices::Quantity::parse(amount.get<std::string>());
      input.allocatable[name] = parsed->units().value_or(1);
    }
  }
  return input;
}

Json answer(const std::string& text) {
  Json input = Json::parse(text);
  DeviceWorld world = read_device_world(text);
  Input given = input_of(input.at("objects"));
  auto classes = devices::classes_by_resource(world.classes);
  Json result = {{"classes", devices::classes_of(given.pod, classes)}};
  devices::ExtendedClaim made = devices::extended_claim(given.pod, given.allocatable, classes);
  if (made.refused) {
    result["node"] = "refused";
    result["reason"] = "cannot fit resource";
    return result;
  }
  if (made.claim.requests.empty()) {
    result["node"] = "no-claim-needed";
    return result;
  }
  for (const devices::Request& request : made.claim.requests) {
    result["requests"].push_back(request_json(request));
  }
  for (const devices::RequestMapping& mapping : made.mappings) {
    result["mappings"].push_back({{"containerName", mapping.container},
                                  {"resourceName", mapping.resource},
                                  {"requestName", mapping.request}});
  }
  devices::Inventory inventory(world.slices, world.classes, world.rules);
  devices::Holdings holdings = world.holdings();
  const devices::Claim* claim = &made.claim;
  devices::NodeDevices seen(inventory, world.nodes.at(0));
  devices::Search search(inventory, seen, std::span(&claim, 1), holdings);
  if (search.next()) {
    result["node"] = "fits";
    result["allocation"] = Json::parse(allocation_json(search.allocations()[0], "pod"));
  } else {
    result["node"] = "refused";
    result["reason"] = "cannot allocate all claims";
  }
  return result;
}

TEST(DevicesConformance, ExtendedResources) {
  std::vector<std::string> lines =
      read_gzip_lines(TRELLIS_SOURCE_DIR "/tests/conformance/dra/extended.jsonl.gz");
  EXPECT_EQ(lines.size(), 48);
  for (const std::string& text : lines) {
    Json expected = Json::parse(text);
    EXPECT_EQ(answer(text), expected.at("expect")) << expected.at("name");
  }
}

}  // namespace
}  // namespace trellis::extended_conformance_test
