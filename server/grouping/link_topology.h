// Checks the topology constraints of gangs.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "framework/reason.h"
#include "framework/topology_levels.h"
#include "framework/vocabulary.h"
#include "server/document/report.h"
#include "server/objects/records.h"

namespace trellis {

// The constraint that holds around a part of a gang.
struct TopologyAround {
  StrId topology;
  Place topology_at;
  int required = -1;  // the finest level that is required, of topology `of`
  StrId required_word;
  StrId of;
};

class TopologyLinker {
 public:
  // `topologies` must not change while this is in use.
  TopologyLinker(const std::vector<TopologyRecord>& topologies, Vocabulary& vocabulary,
                 Report& report);

  // Reports what is wrong with the constraint, and appends the reasons for which a gang with this
  // constraint waits. Returns the levels that were found.
  ResolvedLevels check(const PlacedConstraint& wanted, std::vector<Reason>& errors);

  // Reports levels that are coarser than the level that is required around them.
  void check_order(const PlacedConstraint& wanted, ResolvedLevels levels,
                   const TopologyAround& around, std::vector<Reason>& errors);

  // Whether the level name means the NUMA zone in that topology.
  bool is_zone(StrId topology, StrId word) const;
  // The level above the NUMA zone, of a topology that has that level; else kNone.
  StrId hostname_of(StrId topology) const;
  bool some_have_zones() const;

  // The topology that has all these levels; kNone unless exactly one topology has them.
  StrId implied_by(std::span<const StrId> words) const;
  // A topology that has the required level. Of several first one that has the preferred level, too,
  // then `rather`, then the first by name; of none that of the label alone (framework/topology.h).
  // REQUIRES: a level is required.
  StrId any_with(const TopologyConstraint& levels, StrId rather);

 private:
  // The level's index; -1 when it is not requested or was reported.
  int find(const TopologyRecord& record, StrId word, const Place& at, std::vector<Reason>& errors);

  bool has_zones(const TopologyRecord& record) const;

  const std::vector<TopologyRecord>& topologies_;
  StringTable& strings_;
  Report& report_;
  absl::flat_hash_map<uint32_t, const TopologyRecord*> by_name_;
  std::vector<std::string_view> names_;
};

}  // namespace trellis
