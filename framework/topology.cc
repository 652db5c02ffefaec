#include "framework/topology.h"

#include <algorithm>

namespace trellis {
namespace {

constexpr std::string_view kLabelTopology = "label:";

}  // namespace

std::string label_topology_name(std::string_view label) {
  std::string name(kLabelTopology);
  name.append(label);
  std::ranges::replace(name, '/', ':');
  return name;
}

bool is_label_topology(std::string_view name) { return name.starts_with(kLabelTopology); }

std::string_view last_part(std::string_view label) {
  size_t slash = label.rfind('/');
  return slash == std::string_view::npos ? label : label.substr(slash + 1);
}

std::optional<int> find_level(const Topology& topology, std::string_view word,
                              const StringTable& strings) {
  int count = static_cast<int>(topology.levels.size());
  for (int level = 0; level < count; ++level) {
    const TopologyLevel& candidate = topology.levels[static_cast<size_t>(level)];
    if (strings.view(candidate.label) == word) return level;
    if (candidate.alias.valid() && strings.view(candidate.alias) == word) return level;
  }
  std::optional<int> found;
  for (int level = 0; level < count; ++level) {
    if (last_part(strings.view(topology.levels[static_cast<size_t>(level)].label)) != word)
      continue;
    if (found) return std::nullopt;
    found = level;
  }
  return found;
}

}  // namespace trellis
