// Resolves the references between Kueue's objects, once all of them are read.
#pragma once

#include <vector>

#include "server/document/field_reader.h"
#include "server/manifest/manifest.h"
#include "server/objects/kueue_records.h"

namespace trellis {

// Sets why each ClusterQueue is inactive; gives workloads their priority and sets whether admission
// checks of theirs are pending; reports names that no object has. A cohort that is its own ancestor
// loses its parent.
void link_kueue(KueueRecords& kueue, const Records& records, FieldReader& fields);

// A row for each owner of each workload, sorted.
std::vector<WorkloadOwnership> list_workload_owners(const KueueRecords& kueue,
                                                    const StringTable& strings);

// Moves the records into `objects`, except those whose errors make them useless; does not sort.
void move_kueue_objects(KueueRecords& kueue, Objects& objects);

}  // namespace trellis
