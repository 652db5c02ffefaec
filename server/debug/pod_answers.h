// Answers /debug/pods: all pods, or those of a gang, with the nodes that they are on.
#pragma once

#include "server/debug/cycle_view.h"
#include "server/http/http_message.h"

namespace trellis {

// Every pod by namespace and name, with its status and node. Cost: a sort of the pods by name.
HttpResponse answer_pods(CycleView& view, const HttpRequest& request);

}  // namespace trellis
