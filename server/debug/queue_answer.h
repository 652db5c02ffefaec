// Answers /debug/queues: every queue with its allocated and requested amounts, queues below
// included.
#pragma once

#include "server/debug/cycle_view.h"
#include "server/http/http_message.h"

namespace trellis {

HttpResponse answer_queues(CycleView& view, const HttpRequest& request);

}  // namespace trellis
