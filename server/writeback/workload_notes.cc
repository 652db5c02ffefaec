#include "server/writeback/workload_notes.h"

namespace trellis {

void add_notes(WorkloadNotes& notes, const CycleRecord& record) {
  if (notes.size() < record.workloads.size()) notes.resize(record.workloads.size());
  for (uint32_t i = 0; i < record.workloads.size(); ++i) {
    const WorkloadOutcome& outcome = record.workloads[WorkloadId(i)];
    bool waits = outcome.status == WorkloadStatus::Pending;
    notes[WorkloadId(i)].waits = waits ? outcome.reasons : nullptr;
  }
  for (const WorkloadDecision& decision : record.workload_decisions) {
    WorkloadNote& note = notes[decision.workload];
    if (decision.kind == WorkloadDecision::Kind::Evict) {
      note.evicted = std::make_shared<const Reason>(decision.reason);
      note.evicted_at = record.now;
    }
  }
}

}  // namespace trellis
