// An input becomes the cluster of an engine.
#pragma once

#include "server/engine/engine.h"
#include "server/manifest/manifest.h"

namespace trellis {

// Takes over the objects, and what the cycle of a saved input had learned. The configuration stays.
// REQUIRES: the manifest was read with the engine's vocabulary. Cost: O(objects).
void load(Engine& engine, Manifest manifest);

}  // namespace trellis
