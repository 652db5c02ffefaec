#include "actions/backfill/passing_time.h"

namespace trellis {

void leave(Session& session, GangId gang) {
  for (PodId pod : session.cluster().pods_of(gang)) {
    PodState state = session.snapshot().pod(pod);
    if (is_active(state.status) && state.node.valid()) session.statement().evict(pod, GangId());
  }
}

void take_places(Session& session, const KeptStart& start) {
  for (const AppointedPlace& place : start.places) {
    if (session.snapshot().pod(place.pod).status != PodStatus::Pending) continue;
    // Where no device is left for its part of a GPU, the node is held as a whole.
    (void)session.statement().place(place.pod, place.node, FitMode::Future);
  }
}

void take_begun(Session& session, const RoomTimes& times, GangId gang, TimeUs time) {
  for (const KeptStart& start : times.starts()) {
    if (times.binds(start, gang) && start.meets(time, time + 1)) take_places(session, start);
  }
}

}  // namespace trellis
