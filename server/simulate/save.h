// The cluster as the next cycle would read it: the objects as they came in, pods where they stand.
#pragma once

#include <vector>

#include "server/manifest/manifest.h"
#include "server/output/byte_sink.h"
#include "session/cluster.h"

namespace trellis {

// JSON lines, one object each, in the order of `objects`. Pods that did not move since they were
// read keep their text; the others get node, phase, start time and GPU groups of the cluster's
// record, and lose what spoke of their former place. `now`: when leaving pods were told to.
void save_objects(ByteSink& sink, const std::vector<RawObject>& objects, const Cluster& cluster,
                  TimeUs now);

}  // namespace trellis
