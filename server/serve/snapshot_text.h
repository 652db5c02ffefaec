// The exact input of a cycle as JSON lines that `-f` reads: first the cycle itself (kind Cycle:
// time, configuration, seed), then the objects, pods where they stood when it began.
#pragma once

#include "server/output/byte_sink.h"
#include "server/serve/observer.h"

namespace trellis {

void write_snapshot(ByteSink& sink, const Observer::View& view);

}  // namespace trellis
