// What Kubernetes' allocator answers for one pod and one node: tests/conformance/dra.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "devices/search.h"
#include "server/devices/allocation_output.h"
#include "tests/server/devices/device_world.h"
#include "tests/support/gzip_lines.h"

namespace trellis::devices_conformance_test {
namespace {

using Json = nlohmann::json;

// More answers are not counted.
constexpr size_t kMostAnswers = 3000;

// Amounts as numbers, requirements in order, shares without their random ids.
Json comparable(Json allocation) {
  for (Json& result : allocation["devices"]["results"]) {
    if (result.contains("shareID")) result["shareID"] = "shared";
    if (!result.contains("consumedCapacity")) continue;
    for (Json& amount : result["consumedCapacity"]) {
      amount = devices::Quantity::parse(amount.get<std::string>())->text();
    }
  }
  auto& results = allocation["devices"]["results"];
  std::sort(results.begin(), results.end());
  if (allocation.contains("nodeSelector")) {
    for (Json& term : allocation["nodeSelector"]["nodeSelectorTerms"]) {
      for (Json& requirements : term) std::sort(requirements.begin(), requirements.end());
    }
  }
  return allocation;
}

class Case {
 public:
  explicit Case(const std::string& text)
      : input_(Json::parse(text)), world_(read_device_world(text)), holdings_(world_.holdings()) {
    inventory_.emplace(world_.slices, world_.classes, world_.rules);
  }

  void check() {
    Json expected = input_.at("expect");
    if (expected.contains("under") && expected["under"].contains("default-1.37")) {
      expected = expected["under"]["default-1.37"];
    }
    std::vector<const devices::Claim*> claims = claims_of_pod();
    const devices::NodeView* node = &world_.nodes.at(0);
    for (const devices::NodeView& other : world_.nodes) {
      if (other.name == input_.at("request").at("node")) node = &other;
    }
    devices::NodeDevices seen(*inventory_, *node);
    devices::Search search(*inventory_, seen, claims, holdings_);
    bool found = search.next();
    EXPECT_EQ(found, expected.at("allocated").get<bool>()) << search.error();
    EXPECT_EQ(!search.error().empty(), expected.contains("error")) << search.error() << "\n"
                                                                   << expected.value("error", "");
    EXPECT_EQ(search.end() == devices::SearchEnd::ErrorOnThisNode,
              expected.value("errorOnThisNodeOnly", false));
    if (!found || !expected.at("allocated").get<bool>()) return;
    std::vector<devices::Allocation> answer = search.allocations();
    for (size_t i = 0; i < claims.size(); ++i) {
      std::string name = claims[i]->name_space + "/" + claims[i]->name;
      Json json = Json::parse(allocation_json(answer[i], name));
      EXPECT_EQ(comparable(json), comparable(expected.at("claims").at(name))) << name;
    }
    if (expected.contains("solutions") && has_comparable_answers())
      check_answers(search, claims, expected["solutions"]);
  }

 private:
  // The list of all answers is that of the features of the case.
  bool has_comparable_answers() const {
    for (const Json& feature : input_.at("features")) {
      if (feature == "DRAListTypeAttributes" || feature == "DRADeviceCompatibilityGroups") {
        return false;
      }
    }
    const Json& tags = input_.at("tags");
    return std::find(tags.begin(), tags.end(), "odd:invalid-object") == tags.end();
  }

  std::vector<const devices::Claim*> claims_of_pod() const {
    std::vector<const devices::Claim*> claims;
    for (const Json& name : input_.at("request").at("claims")) {
      const devices::Claim* claim = world_.find_claim(name);
      if (claim != nullptr) claims.push_back(claim);
    }
    EXPECT_EQ(claims.size(), input_.at("request").at("claims").size());
    return claims;
  }

  static Json devices_of(const std::vector<devices::Allocation>& answer,
                         const std::vector<const devices::Claim*>& claims) {
    Json devices;
    for (size_t i = 0; i < claims.size(); ++i) {
      std::vector<std::string> names;
      for (const devices::Result& result : answer[i].results) {
        names.push_back(result.request + "=" + result.id.driver + "/" + result.id.pool + "/" +
                        result.id.device);
      }
      std::sort(names.begin(), names.end());
      devices[claims[i]->name_space + "/" + claims[i]->name] = names;
    }
    return devices;
  }

  // All answers, in order.
  static void check_answers(devices::Search& search,
                            const std::vector<const devices::Claim*>& claims,
                            const Json& solutions) {
    const Json& list = solutions.at("list");
    size_t count = 0;
    do {
      if (count < list.size()) {
        EXPECT_EQ(devices_of(search.allocations(), claims), list[count]) << "answer " << count;
      }
      ++count;
    } while (count < kMostAnswers && search.next());
    if (count < kMostAnswers && solutions.contains("count")) {
      EXPECT_EQ(count, solutions["count"].get<size_t>());
    }
  }

  Json input_;
  DeviceWorld world_;
  devices::Holdings holdings_;
  std::optional<devices::Inventory> inventory_;
};

size_t check_all(const std::string& name) {
  std::vector<std::string> lines =
      read_gzip_lines(TRELLIS_SOURCE_DIR "/tests/conformance/dra/" + name);
  for (const std::string& text : lines) {
    Json input = Json::parse(text);
    SCOPED_TRACE(input.at("name").get<std::string>());
    Case(text).check();
  }
  return lines.size();
}

TEST(DevicesConformance, Allocator) { EXPECT_EQ(check_all("allocator.jsonl.gz"), 380); }

TEST(DevicesConformance, Samples) { EXPECT_EQ(check_all("samples.jsonl.gz"), 16); }

}  // namespace
}  // namespace trellis::devices_conformance_test
