// Answers /debug/gangs, /debug/queues and /debug/nodes: all objects of a kind.
#pragma once

#include "server/debug/cycle_view.h"
#include "server/http/http_message.h"

namespace trellis {

// Every gang with its state.
HttpResponse answer_gangs(CycleView& view, const HttpRequest& request);

// Every queue with its allocated and requested amounts, queues below included.
HttpResponse answer_queues(CycleView& view, const HttpRequest& request);

// Every node with its used and free amounts.
HttpResponse answer_nodes(CycleView& view, const HttpRequest& request);

}  // namespace trellis
