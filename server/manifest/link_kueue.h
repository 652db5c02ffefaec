// What Kueue's objects say of each other, once all of them are known.
#pragma once

#include <vector>

#include "server/document/field_reader.h"
#include "server/manifest/manifest.h"
#include "server/objects/kueue_records.h"

namespace trellis {

// Says what makes each ClusterQueue inactive; gives workloads their priority and says whether
// admission checks of theirs are pending; reports names that nothing bears. A cohort that is its
// own ancestor loses its parent.
void link_kueue(KueueRecords& kueue, const Records& records, FieldReader& fields);

// A row for each owner of each workload, sorted.
std::vector<WorkloadOwnership> list_workload_owners(const KueueRecords& kueue,
                                                    const StringTable& strings);

// Into objects, those without errors that would make them useless; sorted as all others.
void move_kueue_objects(KueueRecords& kueue, Objects& objects);

}  // namespace trellis
