// apps/v1 DaemonSet.
#pragma once

#include "server/manifest/decode_pod.h"
#include "server/manifest/field_reader.h"
#include "server/manifest/kueue_records.h"

namespace trellis {

DaemonSetRecord decode_daemon_set(Value object, PodDecoder& pods, FieldReader& fields);

}  // namespace trellis
