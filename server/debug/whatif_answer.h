// What a change would alter in the last cycle.
//
// The last cycle's cluster is copied, changed, and run again (server/compare/cycle_copy.h), which
// takes some 20 ms for 5,000 nodes with 14,400 pods. Where the request adds objects that only a
// reading of the whole cluster can place among the others, the last cycle's input is written and
// read again, as `trellis whatif` does with /debug/snapshot. Other questions wait as long, cycles
// do not.
#pragma once

#include "server/debug/cycle_view.h"
#include "server/http/http_message.h"

namespace trellis {

HttpResponse answer_whatif(CycleView& view, const HttpRequest& request);

}  // namespace trellis
