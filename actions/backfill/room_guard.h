// Keeps what is placed now out of the way of appointments and Reservations.
//
// Cost: nothing without them; else for each gang that finds a place O(pods on the nodes of the
// appointments that it meets), and a second search where it would be in the way.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "actions/backfill/room_times.h"
#include "session/cycle/gang_step.h"
#include "session/cycle/session.h"

namespace trellis {

class RoomGuard {
 public:
  using Step = std::function<GangStep(GangProgress& progress)>;

  // `times`: null where nothing is to be heeded.
  RoomGuard(Session& session, RoomTimes* times) : session_(session), times_(times) {}

  // Fixes which appointments hold against the gang, before the statement gives places.
  void serve(GangId gang);
  // The served gang may reclaim `need`: appointments of queues that would lose it to the gang at
  // once do not hold against it.
  void reclaims(GangId gang, const QueueAmounts& need);
  // The gang's next step, as `next` makes it, where it delays no appointment.
  GangStep step(GangProgress& progress, const Step& next);
  // Whether what the statement gives the gang since a decision delays an appointment.
  bool delays(GangId gang, const RunWindow& window, size_t first_decision) const;
  // The same of what its queues leave to appointed gangs alone.
  bool exceeds(GangId gang, const RunWindow& window) const;
  // As delays(), of a gang that is moved, and starts over: all appointments hold against it.
  bool delays_again(GangId gang, size_t first_decision) const;
  // What `place` gives such a gang, with the room held back that it has to leave.
  SearchResult place_again(GangId gang, const std::function<SearchResult()>& place);

 private:
  bool idle() const {
    return times_ == nullptr || (times_->starts().empty() && times_->reserved().empty());
  }
  bool delays(GangId gang, size_t first_decision, std::span<const HeldRoom> rooms) const;
  GangStep waits_for(const KeptStart& start, GangStep step) const;
  Reason kept_back(GangId gang, const RunWindow& window, size_t first_decision) const;

  Session& session_;
  RoomTimes* times_;
};

// Whether a gang with this reason has a place, and leaves it to others.
inline bool is_kept_back(ReasonCode code) {
  return code == ReasonCode::BehindAppointment || code == ReasonCode::NodesReserved;
}

// "namespace/name"
std::string full_gang_name(const Cluster& cluster, GangId gang);

}  // namespace trellis
