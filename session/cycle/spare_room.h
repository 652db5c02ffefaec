// Room that is kept for pods which gangs do not have yet (Gang::spares): the places of pods whose
// nodes fail.
//
// Guarantees: spares are kept in the domain of the gang's required level, else of its preferred
// level, and on nodes without pods of the gang as far as there are some; fewer are kept where there
// is no room. A gang below its minimum keeps none: it needs the room itself.
// Cost: where no gang has spares O(1); else O(nodes of the domain x log) for each such gang.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <vector>

#include "framework/decision.h"
#include "framework/ids.h"
#include "session/placement/placement_context.h"

namespace trellis {

class SpareRoom {
 public:
  explicit SpareRoom(PlacementContext& context) : context_(context) {}

  // All of these are final at once. REQUIRES: the statement is clean.

  // Keeps room for the spares of all gangs; nothing at the second call.
  void keep_all();
  // Keeps room for the gang's spares, where it does not yet.
  void keep(GangId gang);
  // The gang's spares are free for it.
  void lend(GangId gang);

  // Gangs that run with fewer pods than they need and have spares, by name.
  std::vector<GangId> gangs_that_lost_pods() const;

 private:
  PodId pattern(GangId gang) const;
  void fill(GangId gang, PodClassId pod_class);
  std::vector<NodeId> nodes_for(GangId gang) const;

  PlacementContext& context_;
  bool kept_ = false;
  absl::flat_hash_map<uint32_t, std::vector<SlotFill>> held_;  // by gang; never iterated
};

}  // namespace trellis
