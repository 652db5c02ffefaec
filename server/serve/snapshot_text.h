// The exact input of a cycle as JSON lines that `-f` reads: first the cycle itself (kind Cycle:
// time, configuration), then the objects, with pods where they were when the cycle began.
//
// Data that is meant for containers alone is left out (private_members.h).
#pragma once

#include "server/serve/observer.h"
#include "server/text/byte_sink.h"

namespace trellis {

void write_snapshot(ByteSink& sink, const Observer::View& view);
// The input of the cycle that ran, or was to run, at `now`. `engine`: as that cycle found it.
void write_snapshot(ByteSink& sink, const Engine& engine, TimeUs now, const SourceTexts& texts);

}  // namespace trellis
