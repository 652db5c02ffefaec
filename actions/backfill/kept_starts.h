// The appointments that actions heed, and what they are judged by.
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
  KeptStarts(Session& session, const Session::SharedAppointments& appointments);
  KeptStarts(const KeptStarts&) = delete;
  KeptStarts& operator=(const KeptStarts&) = delete;

  // Null: no run time is known, and nothing is appointed or reserved.
  RoomTimes* times() { return times_ ? &*times_ : nullptr; }
  // Leaves the appointments to later actions and to the next cycle.
  void leave() const;

 private:
  Appointment appointment_of(const KeptStart& start) const;
  std::optional<KeptStart> find(const Appointment& appointment) const;

  Session& session_;
  ExpectedEnds ends_;
  std::optional<RoomTimes> times_;
};

}  // namespace trellis
