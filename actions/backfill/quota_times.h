// Whether a gang that was placed leaves the queues of appointed gangs the amounts that those need
// when they start.
//
// Cost: nothing where no queue above both gangs has a bound; else the evictions before each
// appointment that the gang meets.
#pragma once

#include "actions/backfill/room_times.h"

namespace trellis {

class QuotaTimes {
 public:
  QuotaTimes(Session& session, RoomTimes& times) : session_(session), times_(times) {}

  // The first appointment that the gang's queues could not allow beside it; null: none. The gang is
  // in the statement, as it is when the window begins; the statement is as before.
  const KeptStart* delayed(GangId gang, const RunWindow& window);
  // Whether the queues of an appointed gang will allow its start as far as is known, and beside it
  // the starts of those before it while it runs.
  bool allow(const KeptStart& start);

 private:
  bool share_bound(GangId gang, GangId other) const;
  bool is_allowed(const KeptStart& start, GangId beside);
  bool may_start(const KeptStart& start);
  void leave_until(TimeUs time, GangId beside);
  bool allows_beside(const KeptStart& start, const KeptStart& later);

  Session& session_;
  RoomTimes& times_;
};

}  // namespace trellis
