// Carries out what was found for a workload: its slots and quota in the statement, its admission as
// Kueue writes it, and the decision.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "actions/workloads/nomination.h"
#include "session/cycle/session.h"

namespace trellis {

// The admission that a nomination makes. Topologies stand in it where `place` has any; where
// admission checks are awaited they come later.
std::shared_ptr<const Admission> make_admission(const Session& session,
                                                const Nomination& nomination);

// Domains of the leaves, as an assignment names them.
TopologyAssignment make_assignment(const Session& session, const PodSetPlace& place);

// Keeps in mind which nodes bear slots that name a domain and no node.
void keep_loose(Session& session, WorkloadId workload, std::span<const PodSetPlace> places);

// Admits a workload whose slots stand in the statement.
void admit(Session& session, const Nomination& nomination);

// Holds the room that a workload gets once others have left; its slots stand in the statement.
// Not committed, and not decided yet. `reason` says for what it waits.
WorkloadDecision await(Session& session, const Nomination& nomination, Reason reason);

// Evicts a workload: its quota is free at once, its room once its pods are gone. Not
// committed, and not decided yet.
WorkloadDecision leave(Session& session, WorkloadId workload, Reason reason, WorkloadId by);

// The same, decided.
void evict(Session& session, WorkloadId workload, Reason reason);

}  // namespace trellis
