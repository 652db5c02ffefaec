// Checks that the parents of Queues exist, and form no circle.
#pragma once

#include "framework/vocabulary.h"
#include "server/document/report.h"
#include "server/objects/records.h"

namespace trellis {

// Marks as broken, and reports, queues that have an unknown parent, that are among their own
// ancestors, or that are below too many others, and the queues below such a queue. Warns of a quota
// or limit above the parent's.
void link_queues(std::vector<QueueRecord>& queues, const Vocabulary& vocabulary, Report& report);

}  // namespace trellis
