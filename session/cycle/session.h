// A session: one cycle's work on the snapshot. A pure function of (snapshot, config, now). Searches
// use only its PlacementContext; the rest is what was decided, and why.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/appointment.h"
#include "framework/config.h"
#include "framework/decision.h"
#include "framework/plugin.h"
#include "framework/run_history.h"
#include "framework/time.h"
#include "session/cluster/cluster.h"
#include "session/cycle/action.h"
#include "session/cycle/spare_room.h"
#include "session/fits/fit_cache.h"
#include "session/placement/placement_context.h"
#include "session/record/record.h"
#include "session/snapshot/snapshot.h"
#include "session/snapshot/workload_outcomes.h"

namespace trellis {

class FailedSearches;

class Session : public PlacementContext {
 public:
  Session(const Config& config, const Cluster& cluster, Snapshot& snapshot, const Hooks& hooks,
          FitCache& fits, FailedSearches& failed, TimeUs now, CycleProbe* probe = nullptr)
      : PlacementContext(config, cluster, snapshot, hooks, fits, now),
        failed_searches_(failed),
        probe_(probe) {}

  FailedSearches& failed_searches() { return failed_searches_; }
  CycleProbe* probe() const { return probe_; }  // may be null

  SpareRoom& spares() { return spares_; }

  // The order of the plugins, then creation, then namespace and name: total and strict.
  bool gang_before(GangId a, GangId b) const;
  // The latest creation among the gang and its waiting pods; kNoTime: unknown.
  TimeUs waiting_since(GangId gang) const;

  // Whether a commit of this cycle placed pods of the gang.
  bool placed_here(GangId gang) const { return placed_here_.contains(gang) && placed_here_[gang]; }
  // Makes the statement's decisions final, in the name of an action.
  void commit(std::string_view action);
  // Sets why pods of the gang wait; the latest call counts.
  void set_reasons(GangId gang, std::vector<Reason> reasons);
  void add_reason(GangId gang, Reason reason);

  // Records what was decided about a workload; its slots and quota are in the statement.
  void decide(WorkloadDecision decision);
  // Sets why the workload waits, or does not wait any more; the latest call counts.
  void set_reasons(WorkloadId workload, SharedReasons reasons);
  // Sets the reasons of all workloads of the class that have no reasons or decision of their own.
  void set_reasons(WorkloadClassId id, SharedReasons reasons);
  const std::vector<WorkloadDecision>& workload_decisions() const { return workload_decisions_; }
  // The admission decided in this cycle or recorded; null: none, or it waits for others to leave.
  const Admission* admission(WorkloadId workload) const;
  // Records where the statement keeps slots of the workload that name a domain and no node.
  void keep_loose(WorkloadId workload, std::span<const SlotFill> fills);
  std::span<const SlotFill> loose_slots(WorkloadId workload) const {
    return loose_.contains(workload) ? std::span<const SlotFill>(loose_[workload])
                                     : std::span<const SlotFill>();
  }
  // Makes a decision again, slots and quota included: for a session that takes over the decisions
  // of another.
  void replay(const WorkloadDecision& decision);

  const std::vector<Decision>& decisions() const { return decisions_; }
  std::span<const Reason> reasons(GangId gang) const {
    auto found = reasons_.find(gang.value);
    return found == reasons_.end() ? std::span<const Reason>() : found->second;
  }
  std::vector<GangId> gangs_with_reasons() const;  // in order

  // The appointments that the cycle began with, and those that it leaves; null: none.
  using SharedAppointments = std::shared_ptr<const Appointments>;
  void begin_with(SharedAppointments appointments, std::shared_ptr<const RunHistory> past_runs) {
    found_ = std::move(appointments);
    past_runs_ = std::move(past_runs);
  }
  // How long past gangs ran; null: not known.
  const std::shared_ptr<const RunHistory>& past_runs() const { return past_runs_; }
  const SharedAppointments& found_appointments() const { return found_; }
  void keep_appointments(SharedAppointments appointments) {
    appointments_ = std::move(appointments);
  }
  const SharedAppointments& appointments() const { return appointments_; }
  WorkloadOutcomes workload_outcomes() const;

 private:
  FailedSearches& failed_searches_;
  CycleProbe* probe_;
  SpareRoom spares_{*this};
  std::vector<Decision> decisions_;
  IndexedVector<GangId, uint8_t> placed_here_;
  absl::flat_hash_map<uint32_t, std::vector<Reason>> reasons_;  // by gang
  std::shared_ptr<const RunHistory> past_runs_;
  SharedAppointments found_;
  SharedAppointments appointments_;
  std::vector<WorkloadDecision> workload_decisions_;
  IndexedVector<WorkloadId, std::vector<SlotFill>> loose_;
  std::vector<std::pair<WorkloadId, SharedReasons>> workload_reasons_;  // in the order of the calls
  ClassReasons class_reasons_;
  absl::flat_hash_map<uint32_t, size_t> last_decision_;  // by workload; never iterated
};

// The next time at which time alone may change what a cycle decides: a minimum run time ends, a
// gang has been below its minimum for too long, or has waited long enough to move others or to get
// a reservation, an appointment is due, or a Reservation begins or ends.

// The first such moment after the session's now; kNoTime: none. It may be earlier than necessary,
// never later. Cost: O(gangs that lack pods); O(pods) where some queue has a minimum run time.
TimeUs next_change(const Session& session);

}  // namespace trellis
