// The links of a pod: podAffinity, podAntiAffinity, topologySpreadConstraints.
#pragma once

#include "framework/pod.h"
#include "server/document/field_reader.h"

namespace trellis {

void decode_pod_terms(Value spec, PodSpec& pod, FieldReader& fields);

}  // namespace trellis
