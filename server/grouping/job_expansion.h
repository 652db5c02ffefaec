// batch Jobs into the pods that their controller would make now.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "server/document/field_reader.h"
#include "server/objects/raw_object.h"
#include "server/objects/records.h"

namespace trellis {

// Appends to records.pods what is missing of every Job: as many as may run at once, less those that
// are there; pods that succeeded count towards the completions, pods that failed are replaced while
// the backoff limit allows. Names are JOB-INDEX, or JOB-N where completions have no index. Sets
// each Job's min_member. `max_pods` none: that alone. `raw` null: no text is made.
void expand_jobs(Records& records, std::optional<int64_t> max_pods, FieldReader& fields,
                 std::vector<RawObject>* raw);

}  // namespace trellis
