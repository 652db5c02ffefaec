// The snapshot that KAI-Scheduler's plugin of that name writes: one JSON object whose member
// `rawObjects` has a list of objects for each kind, without kinds and versions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace trellis {

// The objects of a snapshot as the lists that `kubectl get` prints, one after the other; nullopt:
// the text is no snapshot. What KAI was configured with is left out. REQUIRES: a zero byte follows
// `text`. Cost: O(the text) for a snapshot, O(1) for other texts.
std::optional<std::string> lists_of_snapshot(std::string_view text);

}  // namespace trellis
