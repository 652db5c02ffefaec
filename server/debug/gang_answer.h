// Answers /debug/gangs: every gang with its state.
#pragma once

#include "server/debug/cycle_view.h"
#include "server/http/http_message.h"

namespace trellis {

HttpResponse answer_gangs(CycleView& view, const HttpRequest& request);

}  // namespace trellis
