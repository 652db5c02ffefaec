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

  RoomGuard(Session& session, RoomTimes& times) : session_(session), times_(times) {}

  // The gang's next step, as `next` makes it, where it delays no appointment.
  GangStep step(GangProgress& progress, const Step& next);

 private:
  bool idle() const { return times_.starts().empty() && times_.reserved().empty(); }
  GangStep waits_for(const KeptStart& start, GangStep step) const;
  bool delays(GangId gang, size_t first_decision, std::span<const HeldRoom> rooms) const;
  Reason kept_back(GangId gang, const RunWindow& window, size_t first_decision) const;

  Session& session_;
  RoomTimes& times_;
};

// "namespace/name"
std::string full_gang_name(const Cluster& cluster, GangId gang);

}  // namespace trellis
