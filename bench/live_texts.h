// A live cluster as its API server sends it: nodes, and ten times as many pods, half of them in
// gangs of 8 with a PodGroup each, half in ReplicaSets of 50.
#pragma once

#include <string>
#include <vector>

#include "server/manifest/manifest.h"

namespace trellis::bench {

inline constexpr int kPodsANode = 10;

// The i-th pod of so many; `node` < 0: it waits.
NamedText live_pod(int i, int node, int pods);

std::vector<NamedText> live_texts(int nodes);

}  // namespace trellis::bench
