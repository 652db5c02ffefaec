// batch/v1 Job.
#pragma once

#include <memory>

#include "server/manifest/decode_pod.h"
#include "server/manifest/field_reader.h"
#include "server/manifest/records.h"

namespace trellis {

std::unique_ptr<JobRecord> decode_job(Value object, PodDecoder& pods, FieldReader& fields,
                                      bool keep_raw);

}  // namespace trellis
