// Answers /debug/nodes: every node with its used and free amounts.
#pragma once

#include "server/debug/cycle_view.h"
#include "server/http/http_message.h"

namespace trellis {

HttpResponse answer_nodes(CycleView& view, const HttpRequest& request);

}  // namespace trellis
