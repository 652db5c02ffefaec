// Room that workloads must not be given: for the whole cycle slots of admitted workloads that name
// a domain and no node; while a DaemonRoom exists, what DaemonSets will still put on nodes.
#pragma once

#include <vector>

#include "session/cycle/session.h"

namespace trellis {

// REQUIRES, as DaemonRoom does: the statement is clean.
void keep_loose_slots(Session& session);

// Cost: O(DaemonSets x nodes).
class DaemonRoom {
 public:
  explicit DaemonRoom(Session& session);
  ~DaemonRoom();
  DaemonRoom(const DaemonRoom&) = delete;
  DaemonRoom& operator=(const DaemonRoom&) = delete;

 private:
  Session& session_;
  std::vector<SlotFill> daemons_;
};

}  // namespace trellis
