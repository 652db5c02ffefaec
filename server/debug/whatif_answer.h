// What a change would alter in the last cycle.
//
// Nodes that are cordoned or drained are closed in the observer's own cluster, which runs one more
// cycle and is then as before (server/compare/rerun.h): what the nodes come to, and a pass over the
// cluster to sum it up. For any other change the last cycle's input is written and read again, and
// a cycle runs on it, as `trellis whatif` does with /debug/snapshot. Other questions wait as long,
// cycles do not.
#pragma once

#include "server/debug/cycle_view.h"
#include "server/http/http_message.h"

namespace trellis {

HttpResponse answer_whatif(CycleView& view, const HttpRequest& request);

}  // namespace trellis
