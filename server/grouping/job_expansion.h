// Expands batch Jobs into the pods that their controller would make now.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "server/document/field_reader.h"
#include "server/objects/raw_object.h"
#include "server/objects/records.h"

namespace trellis {

// Appends to records.pods the missing pods of every Job: as many as may run at once, less those
// that exist; pods that succeeded count towards the completions, pods that failed are replaced
// while the backoff limit allows. Names are JOB-INDEX, or JOB-N where completions have no index.
// Sets each Job's `wanted`. `max_pods` none: only that. `raw` null: no text is made.
void expand_jobs(Records& records, std::optional<int64_t> max_pods, FieldReader& fields,
                 std::vector<RawObject>* raw);

}  // namespace trellis
