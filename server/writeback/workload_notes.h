// Past decisions about workloads that their status repeats.
#pragma once

#include <memory>
#include <vector>

#include "framework/ids.h"
#include "framework/indexed_vector.h"
#include "framework/reason.h"
#include "framework/time.h"
#include "session/record/record.h"

namespace trellis {

struct WorkloadNote {
  std::shared_ptr<const Reason> evicted;  // why it last left; null: it never left
  TimeUs evicted_at = kNoTime;
  std::shared_ptr<const std::vector<Reason>> waits;  // why it waits; null: it does not wait
};

using WorkloadNotes = IndexedVector<WorkloadId, WorkloadNote>;

void add_notes(WorkloadNotes& notes, const CycleRecord& record);

}  // namespace trellis
