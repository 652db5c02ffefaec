#include "server/fabric/fabric_levels.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace trellis {
namespace {

constexpr std::string_view kTiers[] = {"leaf", "spine", "core"};  // from the nodes upwards
constexpr size_t kLongestValue = 63;

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

std::string tier_word(size_t from_nodes) {
  if (from_nodes < std::size(kTiers)) return std::string(kTiers[from_nodes]);
  return "tier-" + std::to_string(from_nodes + 1);
}

// Of each switch. Different names stay different.
std::vector<std::string> switch_values(const Fabric& fabric) {
  std::vector<std::string> values;
  std::set<std::string> taken;
  for (const FabricSwitch& one : fabric.switches) {
    std::string value = label_value(one.name);
    std::string unique = value;
    for (int i = 2; !taken.insert(unique).second; ++i) {
      std::string end = "-" + std::to_string(i);
      unique = value.substr(0, kLongestValue - end.size()) + end;
    }
    values.push_back(std::move(unique));
  }
  return values;
}

// Whether nodes with one value of `fine` have one value of `coarse`.
bool nests_in(const FabricLevel& fine, const FabricLevel& coarse) {
  std::map<std::string_view, std::string_view> above;
  for (size_t i = 0; i < fine.values.size(); ++i) {
    auto [found, added] = above.emplace(fine.values[i], coarse.values[i]);
    if (!added && found->second != coarse.values[i]) return false;
  }
  return true;
}

bool names_every_node(const FabricLevel& level) {
  return std::ranges::none_of(level.values, [](const std::string& value) { return value.empty(); });
}

// False: the level crosses another one.
bool insert_level(std::vector<FabricLevel>& levels, const FabricLevel& level) {
  if (!names_every_node(level)) return false;
  size_t at = levels.size();
  while (at > 0 && !nests_in(level, levels[at - 1])) --at;
  if (at < levels.size() && !nests_in(levels[at], level)) return false;
  levels.insert(levels.begin() + static_cast<std::ptrdiff_t>(at), level);
  return true;
}

FabricLevel accelerator_level(const Fabric& fabric, std::string_view label,
                              std::string FabricNode::*member) {
  FabricLevel level{.label = std::string(label)};
  for (const FabricNode& node : fabric.nodes) {
    level.values.push_back((node.*member).empty() ? "" : label_value(node.*member));
  }
  return level;
}

}  // namespace

std::string label_value(std::string_view name) {
  std::string value;
  for (char c : name) value += is_letter_or_digit(c) || c == '.' || c == '_' ? c : '-';
  size_t first = 0;
  while (first < value.size() && !is_letter_or_digit(value[first])) ++first;
  value = value.substr(first, kLongestValue);
  while (!value.empty() && !is_letter_or_digit(value.back())) value.pop_back();
  return value.empty() ? "unnamed" : value;
}

std::vector<std::vector<int32_t>> switches_above(const Fabric& fabric) {
  std::vector<std::vector<int32_t>> above(fabric.nodes.size());
  size_t most = 0;
  for (size_t i = 0; i < fabric.nodes.size(); ++i) {
    for (int32_t at = fabric.nodes[i].at; at != kNoSwitch;) {
      above[i].push_back(at);
      at = fabric.switches[static_cast<size_t>(at)].parent;
    }
    most = std::max(most, above[i].size());
  }
  for (std::vector<int32_t>& chain : above) {
    if (!chain.empty()) chain.resize(most, chain.back());
    std::ranges::reverse(chain);
  }
  return above;
}

size_t tiers_of(const Fabric& fabric) {
  std::vector<std::vector<int32_t>> above = switches_above(fabric);
  return above.empty() ? 0 : above.front().size();
}

FabricLevels levels_of(const Fabric& fabric, const LevelNames& names) {
  std::vector<std::vector<int32_t>> above = switches_above(fabric);
  std::vector<std::string> values = switch_values(fabric);
  size_t tiers = above.empty() ? 0 : above.front().size();
  FabricLevels result;
  for (size_t tier = 0; tier < tiers; ++tier) {
    FabricLevel level{.label = names.labels.empty() ? names.prefix + tier_word(tiers - 1 - tier)
                                                    : names.labels[tier]};
    for (const std::vector<int32_t>& chain : above) {
      level.values.push_back(values[static_cast<size_t>(chain[tier])]);
    }
    result.levels.push_back(std::move(level));
  }
  for (FabricLevel& level : std::vector<FabricLevel>{
           accelerator_level(fabric, kAcceleratorLabel, &FabricNode::accelerator),
           accelerator_level(fabric, kSubAcceleratorLabel, &FabricNode::sub_accelerator)}) {
    bool any = std::ranges::any_of(level.values, [](const auto& value) { return !value.empty(); });
    if (any && !insert_level(result.levels, level)) result.accelerators.push_back(std::move(level));
  }
  return result;
}

}  // namespace trellis
