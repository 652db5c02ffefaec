// Writes down what a session decided, as a record: what was not touched since the last one is
// shared with it.
//
// Words: what is *touched* may be other than in the last record, all else is not.
// Cost: O(what is touched, and the pods of its gangs and nodes), and a pointer a page of the
// record; the first one, and where nodes came, went or moved, O(cluster).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "session/cycle/session.h"
#include "session/record/record.h"
#include "session/snapshot/snapshot.h"

namespace trellis {

class Recorder {
 public:
  // What a refresh of the snapshot has changed; every one has to be told.
  void refreshed(const Snapshot::Refreshed& changes);

  std::shared_ptr<const CycleRecord> record(const Session& session);
  const std::shared_ptr<const CycleRecord>& last() const { return last_; }
  // One that another wrote, about an equal cluster.
  void adopt(std::shared_ptr<const CycleRecord> record);

 private:
  Touched touched(const Session& session);

  std::shared_ptr<const CycleRecord> last_;
  Touched touched_;
  std::vector<GangId> with_reasons_;  // in the last record
};

// What record() gives but for what is touched: from the session alone. O(cluster).
CycleRecord make_record(const Session& session);

}  // namespace trellis
