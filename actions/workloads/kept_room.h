// Room that workloads must not be given: for the whole cycle slots of admitted workloads that name
// a domain and no node; while this object exists, what DaemonSets will still put on nodes.
#pragma once

#include <vector>

#include "session/cycle/session.h"

namespace trellis {

class KeptRoom {
 public:
  explicit KeptRoom(Session& session);
  ~KeptRoom();
  KeptRoom(const KeptRoom&) = delete;
  KeptRoom& operator=(const KeptRoom&) = delete;

 private:
  void keep_loose_slots();
  void keep_for_daemon_sets();

  Session& session_;
  std::vector<SlotFill> daemons_;
};

}  // namespace trellis
