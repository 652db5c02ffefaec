// Nodes, a service on them and its preferences, as plain as can be, and the rule that a division of
// its pods must keep: the oracle of plugins/placementpreferences.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "framework/placement_preference.h"
#include "framework/string_table.h"
#include "plugins/placementpreferences/service_groups.h"

namespace trellis {

struct PreferenceNode {
  std::string name;
  std::map<std::string, std::string> labels;
  int32_t room = 0;
  int32_t running = 0;
  int32_t pods = 0;
  int32_t failures = 0;
  int64_t used = 0;
  int64_t capacity = 1;
  bool closed = false;
};

struct PreferenceWorld {
  std::shared_ptr<StringTable> table = std::make_shared<StringTable>();
  StringTable& strings = *table;
  std::vector<PreferenceNode> nodes;  // by name
  std::vector<PlacementPreference> preferences;
  int64_t request = 0;
};

// The production code over a world.
class PreferenceEngine {
 public:
  explicit PreferenceEngine(PreferenceWorld& world);
  std::vector<int32_t> divide(int64_t pods);  // new pods, by node
  void node_changed(size_t node);             // reads the world's node again
  ServiceGroups& groups() { return *groups_; }
  const GroupTree& tree() const { return *tree_; }

 private:
  PreferenceWorld& world_;
  IndexedVector<NodeId, Node> records_;
  std::unique_ptr<GroupTree> tree_;
  std::unique_ptr<ServiceGroups> groups_;
};

// Where new pods, by node, break the rule; empty: nowhere. Hard preferences do not count.
std::string broken_rule(const PreferenceWorld& world, const std::vector<int32_t>& added);

// The nodes of each group below `level` labels, by path.
std::vector<std::vector<size_t>> groups_at(const PreferenceWorld& world, size_t level);

}  // namespace trellis
