#include "actions/victims/next_place.h"

namespace trellis {

bool has_next_place(const Session& session, PodId pod) {
  const PodKey& key = session.snapshot().key(pod);
  return !is_of_daemon_set(session.cluster().pods()[pod].pod) && key.hold == PodHold::None &&
         !session.cluster().pod_classes()[key.pod_class].replacement;
}

}  // namespace trellis
