// The free zone cells of all nodes, node after node, and what nodes have in common.
//
// Words: nodes of one *form* have as many zones, which list the same resources, the same Topology
// Manager settings, and list the same resources themselves: what a pod needs of its zones, and
// whether it can be had at all, is the same on each node; only what is free differs. A *row* holds
// a node's free cells, as NumaTopology orders them.
// Cost: rows of a form are contiguous, so that a scan over nodes reads what it needs and no more.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <vector>

#include "framework/ids.h"
#include "framework/indexed_vector.h"
#include "framework/node.h"
#include "framework/node_state.h"
#include "framework/numa.h"
#include "plugins/numa/numa_policy.h"

namespace trellis {

struct ZoneForm {
  NumaSettings settings;
  uint32_t zones = 0;
  ZoneMask plain = 0;  // zones that scheduler-plugins reads
  std::vector<ResourceId> resources;
  std::vector<ZoneMask> listed;        // by resource, the zones that list it
  std::vector<ResourceId> node_lists;  // resources that the node itself has some of
  auto operator<=>(const ZoneForm&) const = default;
};

// REQUIRES: the node has zones.
ZoneForm zone_form(const Node& node, const NumaSettings& settings);

class ZoneTable {
 public:
  static constexpr uint32_t kNoForm = std::numeric_limits<uint32_t>::max();

  void resize(size_t nodes) { entries_.resize(nodes); }

  // kNoForm: the node has no zones.
  uint32_t form(NodeId node) const { return entries_[node].form; }
  // False: the zones' amounts as reported do not hold.
  bool trusted(NodeId node) const { return entries_[node].trusted; }
  void set_trusted(NodeId node, bool trusted) { entries_[node].trusted = trusted; }

  // Gives the node a row of that form; the caller then writes its cells.
  void enter(NodeId node, const ZoneForm& form);
  void remove(NodeId node);

  // REQUIRES: the node has a form. Valid until a node is entered.
  std::span<const int64_t> free(NodeId node, FitMode mode) const;
  std::span<int64_t> free(NodeId node, FitMode mode);

 private:
  struct Entry {
    uint32_t form = kNoForm;
    uint32_t row = 0;
    bool trusted = true;
  };
  struct Rows {
    size_t width = 0;
    std::vector<int64_t> now;
    std::vector<int64_t> future;
    std::vector<uint32_t> vacant;
  };

  IndexedVector<NodeId, Entry> entries_;
  std::map<ZoneForm, uint32_t> forms_;  // indexes of rows_
  std::vector<Rows> rows_;
};

}  // namespace trellis
