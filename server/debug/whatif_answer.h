// What a change would alter in the last cycle.
//
// The last cycle's input is written and read again with the change, and a cycle runs on it, as
// `trellis whatif` does with /debug/snapshot. Cost: reading the whole input twice, and a cycle;
// other questions wait as long, cycles do not.
#pragma once

#include "server/debug/cycle_view.h"
#include "server/http/http_message.h"

namespace trellis {

HttpResponse answer_whatif(CycleView& view, const HttpRequest& request);

}  // namespace trellis
