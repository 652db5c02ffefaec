// Backfill: waiting gangs get appointments, and gangs behind them start only where they delay none.
//
// Words: an *appointment* is the latest start of a waiting gang, and the places that are kept for
// it from then on. With `easy` the first waiting gang of each queue whose start can be known has
// one, with `conservative` every such gang.
// Guarantees: as long as gangs end when they are expected to, a gang that is not evicted starts no
// later than appointed; except where a gang that goes before it in its own queue comes, or only now
// has a start that can be known, or where another queue reclaims its share. Without known run times
// and Reservations nothing is different from a cycle without this class.
// Cost: nothing without known run times and Reservations; else for each gang that finds a place
// O(pods on the nodes of the appointments that it meets), and a second search where it would be in
// the way. An appointment costs a StartSearch when it is made, and when half of the time to its
// start has passed.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <optional>
#include <vector>

#include "actions/backfill/kept_starts.h"
#include "actions/backfill/room_guard.h"
#include "actions/backfill/room_times.h"
#include "framework/backfill.h"
#include "session/cycle/gang_step.h"
#include "session/cycle/session.h"

namespace trellis {

class BackfillGate {
 public:
  using Step = RoomGuard::Step;

  explicit BackfillGate(Session& session);

  // The gang's next step, as `next` makes it, where it delays no appointment.
  GangStep step(GangProgress& progress, const Step& next);
  // The gang was placed.
  void placed(GangId gang);
  // The gang waits: makes, keeps or drops its appointment. Also where it waited already, and others
  // have other places now.
  void waits(GangId gang);
  // The same of a gang that lost its place to others after they were served.
  void was_passed(GangId gang);
  // Whether some gang has an appointment.
  bool any() const { return times_ != nullptr && !times_->starts().empty(); }
  // Adds the appointments to the reasons of their gangs, and leaves them to the next cycle.
  void add_reasons();

 private:
  static constexpr int kMostTries = 4;  // gangs of a queue whose start is not found, in a cycle

  struct Head {
    GangId gang;    // that has the appointment of its queue; kNone: none yet
    int tries = 0;  // gangs in startless_
  };

  GangStep take_places(GangId gang, GangStep step);
  Backfill mode_of(GangId gang) const;
  Head& head_of(GangId gang);
  bool may_have_start(GangId gang, Head& head) const;
  std::optional<KeptStart> renew(GangId gang);
  Reason note_of(const KeptStart& start) const;

  Session& session_;
  KeptStarts kept_;
  RoomTimes* times_;  // null: no run time is known, and nothing is reserved
  absl::flat_hash_map<uint32_t, Head> heads_;  // by queue; never iterated
  absl::flat_hash_set<GangId> startless_;      // gangs that wait, and whose start was not found
};

}  // namespace trellis
