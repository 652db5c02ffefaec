// Writes what a session decided as a record, which shares with the last record what was not touched
// since.
//
// Words: what is *touched* may differ from the last record, all else does not.
// Cost: O(what is touched, and the pods of its gangs and nodes), and a pointer for each page of the
// record; O(cluster) for the first record, and when nodes were added, removed or moved.
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
  // Takes what a refresh of the snapshot has changed. REQUIRES: called after every refresh.
  void refreshed(const Snapshot::Refreshed& changes);

  // `learned`: as CycleRecord::learned.
  std::shared_ptr<const CycleRecord> record(const Session& session,
                                            std::shared_ptr<const LearnedMix> learned);
  const std::shared_ptr<const CycleRecord>& last() const { return last_; }
  // Takes a record that another recorder wrote, about an equal cluster.
  void adopt(std::shared_ptr<const CycleRecord> record);

 private:
  Touched touched(const Session& session);

  std::shared_ptr<const CycleRecord> last_;
  Touched touched_;
  std::vector<GangId> with_reasons_;  // in the last record
};

// What record() returns, except what is touched: made from the session alone. O(cluster).
CycleRecord make_record(const Session& session);

}  // namespace trellis
