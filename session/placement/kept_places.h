// The places of pods since a checkpoint, kept to take them again after a rollback.
// Cost: O(pods).
#pragma once

#include <vector>

#include "framework/gpu_grant.h"
#include "framework/node_state.h"
#include "session/placement/placement_context.h"

namespace trellis {

struct KeptPlace {
  PodId pod;
  NodeId node;
  GpuGrant devices;
};

// REQUIRES: since then pods were placed, and nothing else was decided.
inline std::vector<KeptPlace> places_since(PlacementContext& context, Statement::Checkpoint since) {
  std::vector<KeptPlace> places;
  const std::vector<Decision>& decisions = context.statement().decisions();
  for (size_t i = since.decisions; i < decisions.size(); ++i) {
    KeptPlace& kept = places.emplace_back();
    kept.pod = decisions[i].pod;
    kept.node = decisions[i].node;
    kept.devices = context.snapshot().grant(kept.pod);
  }
  return places;
}

inline void take_places(PlacementContext& context, const std::vector<KeptPlace>& places,
                        FitMode mode) {
  for (const KeptPlace& kept : places) {
    context.statement().place_on(kept.pod, kept.node, mode, kept.devices);
  }
}

}  // namespace trellis
