// A report on every queue as a session finds it: what it may have, holds and requests, and its
// turn.
//
// Words: the *position* of a leaf counts the leaves, from 1, in the order in which they would be
// served now: queue by queue among siblings, those with waiting gangs first; the position of an
// inner queue counts its siblings. The open queue (framework/queue_tree.h) has none.
// Cost: O(gangs log gangs + queues log queues).
#pragma once

#include <cstdint>
#include <vector>

#include "framework/ids.h"
#include "framework/plugin.h"
#include "framework/queue_amounts.h"
#include "session/cycle/session.h"

namespace trellis {

struct QueueReport {
  QueueId queue;
  int depth = 0;
  bool is_leaf = false;
  QueueAmounts allocated;
  QueueAmounts non_preemptible;  // the part of `allocated` that is not preemptible
  QueueAmounts requested;        // allocated and waiting, as the session found it
  bool has_figures = false;      // false: no plugin shares the cluster between queues
  QueueFigures figures;
  int64_t position = 0;         // 0: none
  int64_t gangs = 0;            // that have not finished; queues below it included
  int64_t waiting = 0;          // of these gangs: below their minimum
  std::vector<GangId> by_turn;  // of a leaf: gangs with waiting pods, in the order to try them
};

// Each queue is followed by the queues below it, siblings by name; without the open queue. Empty
// when there are no queues.
std::vector<QueueReport> report_queues(const Session& session);

}  // namespace trellis
