// What past cycles wrote on pods and workloads, as it stays on their objects.
//
// Guarantees: a note belongs to one object. Another object that gets the id of a removed one, or
// its name with another uid, has none of its notes.
// Cost: of a cycle, O(pods that it touched + workloads).
#pragma once

#include <absl/container/flat_hash_map.h>

#include <memory>
#include <vector>

#include "framework/ids.h"
#include "framework/indexed_vector.h"
#include "framework/reason.h"
#include "framework/shared_text.h"
#include "framework/shared_value.h"
#include "framework/time.h"
#include "session/cluster/cluster.h"
#include "session/record/record.h"

namespace trellis {

// The object that a note was written on.
struct NotedObject {
  StrId name_space;  // in the vocabulary of the cluster that has the notes
  SharedText name;
  SharedText uid;
  bool operator==(const NotedObject&) const = default;
};

struct PodNotes {
  NotedObject object;
  SharedValue<PodDetails> bound;  // of the cycle that bound the pod; never empty
};

struct WorkloadNote {
  NotedObject object;                     // set where `evicted` is
  std::shared_ptr<const Reason> evicted;  // why it last left; null: it never left
  TimeUs evicted_at = kNoTime;
  std::shared_ptr<const std::vector<Reason>> waits;  // why it waits; null: it does not wait
};

using BindNotes = absl::flat_hash_map<PodId, PodNotes>;  // of pods with notes; in no order
using WorkloadNotes = IndexedVector<WorkloadId, WorkloadNote>;

// Take over the notes that a cycle wrote, and drop those of pods that have lost their place.
// `cluster`: as that cycle found it.
void add_notes(BindNotes& notes, const CycleRecord& record, const Cluster& cluster);
void add_notes(WorkloadNotes& notes, const CycleRecord& record, const Cluster& cluster);

}  // namespace trellis
