// Answers /debug/workloads: all workloads of Kueue's kind.
#pragma once

#include "server/debug/cycle_view.h"
#include "server/http/http_message.h"

namespace trellis {

// Every workload by namespace and name, with its admission or why it waits.
HttpResponse answer_workloads(CycleView& view, const HttpRequest& request);

}  // namespace trellis
