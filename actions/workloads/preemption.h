// Makes room for a workload at the cost of others: quota and topology at once.
//
// The quota rules decide which workloads may leave, and in which order. Where the topology lacks
// room, every set of a few candidates is tried, the smallest first. Of more candidates (and in
// profile `kueue`), victims are chosen by domain: of the domains that could take the workload once
// all candidates are gone, the domain that costs the fewest and least victims. A victim that is not
// in the way afterwards stays.
//
// While sets of victims are tried, their pods are evicted in the statement, so that terms between
// pods, limits per node and NUMA zones count as they will be. A node's report shows zones free only
// some time after the pods have left: a workload that fits once that is reported evicts no other.
//
// Guarantees: no workload is evicted unless the workload has its place in the same decision, and is
// promised it (not in profile `kueue`); of a few candidates the smallest set that makes room is.
// Cost: one search with all candidates gone, one for each set of a few, or for each domain that is
// tried, a look at the nodes of each victim.
#pragma once

#include <span>
#include <vector>

#include "actions/workloads/nomination.h"
#include "framework/quota_rules.h"
#include "session/cycle/session.h"

namespace trellis {

class PreemptionSearch {
 public:
  PreemptionSearch(Session& session, Nominator& nominator)
      : session_(session), nominator_(nominator) {}

  // True: victims were evicted, and the workload waits until they have left. Else adds the reasons,
  // at last how many sets of victims were tried.
  bool run(WorkloadId workload, ClusterQueueId queue, std::vector<Reason>& reasons);

 private:
  // A victim that has left in the statement, for a trial.
  struct Taken {
    WorkloadVictim victim;
    std::vector<SlotFill> left;  // slots without pods
    std::vector<PodId> pods;     // evicted
  };
  struct Trial {
    const WorkloadTurn& turn;
    const PreemptionAttempt& attempt;
    Nomination& nomination;
  };

  bool try_flavors(const Nomination& nomination);
  bool wait_for_report(Nomination& nomination);
  WorkloadDecision hold_room(const Nomination& nomination, Reason reason);
  bool try_attempt(Trial& trial);
  bool take_for_quota(Trial& trial);
  bool try_all_sets(Trial& trial, std::span<const WorkloadVictim> candidates);
  bool place_without(Trial& trial, std::span<const WorkloadVictim> candidates);
  bool take_for_room(Trial& trial);
  std::vector<DomainId> domains(Trial& trial) const;
  bool place(Nomination& nomination, DomainId within);
  bool place_with_fewest(Trial& trial, DomainId within);
  std::vector<WorkloadVictim> in_the_way(const Trial& trial, DomainId within) const;
  bool holds_room(WorkloadId workload, const Nomination& nomination, DomainId within) const;
  std::vector<NodeId> nodes_of(WorkloadId workload) const;
  void take(const Trial& trial, const WorkloadVictim& victim);
  bool is_taken(WorkloadId workload) const;
  void give_back(Trial& trial);
  bool returns(const Trial& trial, const Taken& taken);
  bool slots_return(const Taken& taken);
  bool pods_return(const Taken& taken);
  bool carry_out(Trial& trial, DomainId within);

  Session& session_;
  Nominator& nominator_;
  Statement::Checkpoint start_;
  std::vector<Taken> taken_;
  bool has_candidates_ = false;  // of the workload of the last run
  int64_t trials_ = 0;           // sets of victims that were tried for it
};

}  // namespace trellis
