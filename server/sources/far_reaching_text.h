// The objects of a text on which any other may depend: queues, topologies, classes and the like
// (KeyKind::Everything), and LocalQueues.
//
// Kinds of owners are left out, and the kind Cycle.
#pragma once

#include <string>

#include "server/manifest/manifest.h"

namespace trellis {

// As JSON lines; "": there is none. Cost: O(bytes), without decoding where no such kind is named.
std::string far_reaching_text(const NamedText& text);

}  // namespace trellis
