#include "server/writeback/notes.h"

#include <utility>

#include "session/record/touched.h"

namespace trellis {
namespace {

template <class Record>
bool is_of(const NotedObject& object, const Record& record) {
  return object.name == record.name && object.name_space == record.name_space &&
         object.uid == record.uid;
}

template <class Record>
NotedObject noted(const Record& record) {
  return {.name_space = record.name_space, .name = record.name, .uid = record.uid};
}

// Whether the pod has the node that its notes are about. A pod that the cycle evicts has it: with
// the notes, the cycle can be run again.
bool stays(const PodOutcome& outcome) {
  PodStatus status = outcome.status;
  if (status == PodStatus::Bound) return outcome.action.empty();  // else it comes
  return outcome.evicted || status == PodStatus::Running || status == PodStatus::Evicted ||
         status == PodStatus::Releasing;
}

}  // namespace

void add_notes(BindNotes& notes, const CycleRecord& record, const Cluster& cluster) {
  notes.reserve(notes.size() + record.decisions.size());
  for (PodId id : touched_pods(record)) {
    const PodOutcome& outcome = record.pods[id];
    const Pod& pod = cluster.pods()[id].pod;
    const PodDetails& details = outcome.details();
    if (!details.notes.empty() || !details.claims.empty()) {
      notes[id] = {.object = noted(pod), .bound = outcome.shared_details};
      continue;
    }
    auto kept = notes.find(id);
    bool gone = kept != notes.end() && (!stays(outcome) || !is_of(kept->second.object, pod));
    if (gone) notes.erase(kept);
  }
}

void add_notes(WorkloadNotes& notes, const CycleRecord& record, const Cluster& cluster) {
  const WorkloadRecords& workloads = cluster.workloads();
  if (notes.size() < record.workloads.size()) notes.resize(record.workloads.size());
  for (uint32_t i = 0; i < record.workloads.size(); ++i) {
    WorkloadNote& note = notes[WorkloadId(i)];
    if (note.evicted && !is_of(note.object, workloads[WorkloadId(i)])) note = {};
    const WorkloadOutcome& outcome = record.workloads[WorkloadId(i)];
    bool waits = outcome.status == WorkloadStatus::Pending;
    note.waits = waits ? outcome.reasons : nullptr;
  }
  for (const WorkloadDecision& decision : record.workload_decisions) {
    if (!evicts(decision)) continue;
    WorkloadNote& note = notes[decision.workload];
    note.object = noted(workloads[decision.workload]);
    note.evicted = std::make_shared<const Reason>(decision.reason);
    note.evicted_at = record.now;
  }
}

}  // namespace trellis
