// The exact input of a cycle as JSON lines that `-f` reads: first the cycle itself (kind Cycle:
// time, configuration), then the objects, pods where they stood when it began.
//
// What only containers are to know is left out (private_members.h).
#pragma once

#include "server/serve/observer.h"
#include "server/text/byte_sink.h"

namespace trellis {

void write_snapshot(ByteSink& sink, const Observer::View& view);
// Of the cycle that is, or was to be, at `now`, with the engine as it found it.
void write_snapshot(ByteSink& sink, const Engine& engine, TimeUs now, const SourceTexts& texts);

}  // namespace trellis
