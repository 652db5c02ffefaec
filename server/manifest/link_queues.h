// Queues whose parents exist, and form no circle.
#pragma once

#include "framework/vocabulary.h"
#include "server/document/report.h"
#include "server/objects/records.h"

namespace trellis {

// Marks as broken, and reports, what has an unknown parent or is among its own ancestors, and what
// stands below such a queue. Warns of a quota or limit above the parent's.
void link_queues(std::vector<QueueRecord>& queues, const Vocabulary& vocabulary, Report& report);

}  // namespace trellis
