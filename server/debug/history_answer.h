// Answers /debug/history: the last cycles and their events.
#pragma once

#include "server/http/http_message.h"
#include "server/serve/history.h"

namespace trellis {

HttpResponse answer_history(const History& history, const HttpRequest& request);

}  // namespace trellis
