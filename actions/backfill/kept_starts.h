// The appointments that actions heed, and what they are judged by.
//
// Cost: times() O(pods of the appointments + decisions of the cycle) at the first call.
#pragma once

#include <optional>

#include "actions/backfill/kept_start.h"
#include "actions/backfill/room_times.h"
#include "session/cycle/session.h"
#include "session/times/expected_ends.h"

namespace trellis {

class KeptStarts {
 public:
  // With the appointments whose gangs still wait. `appointments`: may be null.
  KeptStarts(Session& session, Session::SharedAppointments appointments);
  KeptStarts(const KeptStarts&) = delete;
  KeptStarts& operator=(const KeptStarts&) = delete;

  // Whether some run time is known, or something is appointed or reserved.
  bool active() const { return active_; }
  // Null: not active. REQUIRES, at the first call: the statement is clean.
  RoomTimes* times();
  // Leaves the appointments to later actions and to the next cycle. Does nothing before times().
  void leave() const;

 private:
  Appointment appointment_of(const KeptStart& start) const;
  std::optional<KeptStart> find(const Appointment& appointment) const;

  Session& session_;
  Session::SharedAppointments appointments_;
  ExpectedEnds ends_;
  bool active_ = false;
  std::optional<RoomTimes> times_;
};

}  // namespace trellis
