// Carries out what was found for a workload: its slots and quota in the statement, its admission in
// Kueue's form, and the decision.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "actions/workloads/nomination.h"
#include "session/cycle/session.h"

namespace trellis {

// The admission that a nomination makes. It has a topology assignment for each PodSet in `place`;
// while admission checks are pending it has none, and they follow later.
std::shared_ptr<const Admission> make_admission(const PlacementContext& context,
                                                const Nomination& nomination);

// The assignment that names the domains of the place's leaves.
TopologyAssignment make_assignment(const PlacementContext& context, const PodSetPlace& place);

// Stores which nodes have slots that name a domain and no node.
void keep_loose(Session& session, WorkloadId workload, std::span<const PodSetPlace> places);

// Admits a workload whose slots are in the statement.
void admit(Session& session, const Nomination& nomination);

// Holds the room that a workload gets once others have left; its slots are in the statement. Not
// committed, and not decided yet. `reason`: what it waits for.
WorkloadDecision await(PlacementContext& context, const Nomination& nomination, Reason reason);

// Keeps the place in the next cycles too; else as await().
WorkloadDecision promise(PlacementContext& context, const Nomination& nomination, Reason reason);

// Keeps another place for a workload that has left: `decision` is what leave() returned.
WorkloadDecision move(PlacementContext& context, const Nomination& nomination,
                      WorkloadDecision decision);

// Evicts a workload: its quota is free at once, its room once its pods are gone. Not
// committed, and not decided yet.
WorkloadDecision leave(Session& session, WorkloadId workload, Reason reason, Beneficiary by);

// Evicts a workload as leave() does, and decides and commits it.
void evict(Session& session, WorkloadId workload, Reason reason);

// Partial admission, of a workload whose PodSets name a minimum. Admits it with as many pods as
// find quota and room, its PodSets shortened in proportion (Kueue's podset_reducer.go). False: no
// PodSet may be shortened, or not even the minimum fits.
bool admit_partly(Session& session, Nominator& nominator, WorkloadId workload,
                  ClusterQueueId queue);

}  // namespace trellis
