// What the gangs of a plan need: their pods by class, and the levels of topologies that they ask
// about.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <span>
#include <vector>

#include "framework/ids.h"
#include "server/plan/node_market.h"
#include "session/cycle/session.h"

namespace trellis {

// The labels by which the gangs or their pods distinguish places: of the levels that they name, and
// those that selectors and terms of their pods read. Sorted, each once.
std::vector<StrId> asked_labels(Session& session, std::span<const GangId> gangs);

// Pods of one class; `row` counts in DemandRows::classes.
struct ClassPods {
  uint32_t row = 0;
  int64_t pods = 0;
  bool operator==(const ClassPods&) const = default;
};

// A lower bound on what has to be placed so that a gang has its minimum.
struct GangDemand {
  std::vector<ClassPods> rows;
  TopologyId topology;  // whose level holds the whole gang; kNone: any nodes do
  int level = -1;
  bool operator==(const GangDemand&) const = default;
};

// The pod classes of the gangs' waiting pods, and how many pods of each an empty node of each offer
// takes.
struct DemandRows {
  std::vector<PodClassId> classes;
  absl::flat_hash_map<uint32_t, uint32_t> row_of;  // by class; never iterated
  std::vector<std::vector<int64_t>> fits;          // by offer, then by row
};

DemandRows collect_rows(const Session& session, std::span<const GangId> gangs);
// REQUIRES: `probes` are empty nodes, one of each offer.
void measure_fits(Session& session, std::span<const NodeId> probes, DemandRows& rows);

// REQUIRES: the session has no decisions, and the gang is below its minimum.
GangDemand demand_of(const Session& session, const DemandRows& rows, GangId gang);

}  // namespace trellis
