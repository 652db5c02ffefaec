// Gangs whose pods have claims: whether they have a place, and on which nodes.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "devices/joint_search.h"
#include "tests/server/devices/device_world.h"
#include "tests/support/gzip_lines.h"

namespace trellis::gang_conformance_test {
namespace {

using Json = nlohmann::json;
using devices::JointEnd;

// Tries every assignment of pods to nodes; the devices are the joint search's.
class Gang {
 public:
  explicit Gang(const std::string& text)
      : world_(read_device_world(text)),
        inventory_(world_.slices, world_.classes, world_.rules),
        holdings_(world_.holdings()) {
    for (const devices::NodeView& node : world_.nodes) devices_.emplace_back(inventory_, node);
    for (const WorldPod& pod : world_.pods) {
      if (pod.node.empty()) pods_.push_back(&pod);
    }
  }

  size_t nodes() const { return world_.nodes.size(); }

  // Is there a place on these nodes?
  bool fits(const std::vector<size_t>& nodes) {
    std::vector<size_t> chosen;
    size_t next = 0;
    while (chosen.size() < pods_.size()) {
      if (next == nodes.size()) {
        if (chosen.empty()) return false;
        next = chosen.back() + 1;
        chosen.pop_back();
        continue;
      }
      chosen.push_back(next);
      next = works(chosen, nodes) ? 0 : (chosen.pop_back(), next + 1);
    }
    return true;
  }

  Json names_of(const std::vector<size_t>& nodes) const {
    Json names = Json::array();
    for (size_t node : nodes) names.push_back(world_.nodes[node].name);
    return names;
  }

 private:
  bool works(const std::vector<size_t>& chosen, const std::vector<size_t>& nodes) {
    std::vector<devices::PlacedClaim> claims;
    for (size_t i = 0; i < chosen.size(); ++i) {
      const devices::NodeDevices* node = &devices_[nodes[chosen[i]]];
      for (const std::string& name : pods_[i]->claims) {
        const devices::Claim* claim = world_.find_claim(name);
        if (claim == nullptr) return false;
        if (claim->allocation) {
          if (claim->allocation->nodes && !matches(*claim->allocation->nodes, node->node()))
            return false;
          continue;
        }
        auto known = std::find_if(claims.begin(), claims.end(),
                                  [&](const auto& placed) { return placed.claim == claim; });
        if (known == claims.end()) known = claims.insert(known, {claim, {}});
        auto& of_claim = known->nodes;
        if (std::find(of_claim.begin(), of_claim.end(), node) == of_claim.end()) {
          of_claim.push_back(node);
        }
      }
    }
    devices::JointSearch search(inventory_, holdings_);
    JointEnd end = search.allocate(claims).end;
    EXPECT_NE(end, JointEnd::OutOfBudget);
    return end == JointEnd::Found;
  }

  DeviceWorld world_;
  devices::Inventory inventory_;
  std::deque<devices::NodeDevices> devices_;  // by node of the world
  devices::Holdings holdings_;
  std::vector<const WorldPod*> pods_;
};

std::vector<std::vector<size_t>> sets_of(size_t size, size_t nodes) {
  std::vector<std::vector<size_t>> sets;
  for (size_t bits = 0; bits < size_t{1} << nodes; ++bits) {
    std::vector<size_t> set;
    for (size_t i = 0; i < nodes; ++i) {
      if ((bits >> i & 1U) != 0) set.push_back(i);
    }
    if (set.size() == size) sets.push_back(set);
  }
  return sets;
}

TEST(DevicesConformance, Gangs) {
  std::vector<std::string> lines =
      read_gzip_lines(TRELLIS_SOURCE_DIR "/tests/conformance/dra/gangs.jsonl.gz");
  EXPECT_EQ(lines.size(), 180);
  for (const std::string& text : lines) {
    Json input = Json::parse(text);
    const Json& expected = input.at("expect");
    SCOPED_TRACE(input.at("name").get<std::string>());
    Gang gang(text);
    std::set<Json> sets;
    size_t size = 0;
    while (sets.empty() && size < gang.nodes()) {
      for (const std::vector<size_t>& nodes : sets_of(++size, gang.nodes())) {
        if (gang.fits(nodes)) sets.insert(gang.names_of(nodes));
      }
    }
    EXPECT_EQ(!sets.empty(), expected.at("placeable").get<bool>());
    if (sets.empty() || !expected.contains("nodeSets")) continue;
    EXPECT_EQ(size, expected.at("minNodes").get<size_t>());
    std::set<Json> wanted;
    for (Json names : expected.at("nodeSets")) {
      std::sort(names.begin(), names.end());
      wanted.insert(names);
    }
    EXPECT_EQ(sets, wanted);
  }
}

}  // namespace
}  // namespace trellis::gang_conformance_test
