// apps/v1 DaemonSet.
#pragma once

#include "server/document/field_reader.h"
#include "server/objects/decode_pod.h"
#include "server/objects/kueue_records.h"

namespace trellis {

DaemonSetRecord decode_daemon_set(Value object, PodDecoder& pods, FieldReader& fields);

}  // namespace trellis
