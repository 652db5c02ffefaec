// batch/v1 Job.
#pragma once

#include <memory>

#include "server/document/field_reader.h"
#include "server/objects/decode_pod.h"
#include "server/objects/records.h"

namespace trellis {

std::unique_ptr<JobRecord> decode_job(Value object, PodDecoder& pods, FieldReader& fields,
                                      bool keep_raw);

}  // namespace trellis
