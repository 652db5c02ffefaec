// A topology as written: a named list of levels, each a node label, coarsest first.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "framework/ids.h"
#include "framework/string_table.h"

namespace trellis {

// The level of single nodes.
inline constexpr std::string_view kHostname = "kubernetes.io/hostname";

struct TopologyLevel {
  StrId label;
  StrId alias;  // kNone when none is given
  bool operator==(const TopologyLevel&) const = default;
};

struct Topology {
  std::string name;
  std::vector<TopologyLevel> levels;  // 0 is the coarsest
  bool operator==(const Topology&) const = default;
};

// The topology of one node label, for groups of Kubernetes, which require a label that no Topology
// may have. There is one as long as a gang names it. Its name is that of no object: `label:rack`,
// `label:example.com:rack`.
std::string label_topology_name(std::string_view label);
bool is_label_topology(std::string_view name);

// What follows the last '/' of a label; the label where it has none.
std::string_view last_part(std::string_view label);

// Finds a level by its label, its alias, or a last part of the label (after '/') that is unique in
// the topology: `rack` for `example.com/rack`. nullopt when no level or more than one matches.
std::optional<int> find_level(const Topology& topology, std::string_view word,
                              const StringTable& strings);

// The topology constraint of a gang, as written. All kNone: no constraint.
struct TopologyConstraint {
  StrId topology;
  StrId required;
  StrId preferred;
  bool asks_level() const { return required.valid() || preferred.valid(); }
  bool empty() const { return !topology.valid() && !asks_level(); }
  bool operator==(const TopologyConstraint&) const = default;
};

}  // namespace trellis
