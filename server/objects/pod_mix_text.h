// What a scheduler has learned of the pods that arrive (framework/learned_mix.h), as the member
// `podMix` of a Cycle. What is read again equals what was written, to the last bit.
#pragma once

#include <string>

#include "framework/learned_mix.h"
#include "server/document/field_reader.h"

namespace trellis {

// A JSON object, one line.
std::string pod_mix_text(const LearnedMix& mix);

// Rows that cannot be understood are reported and left out.
LearnedMix read_pod_mix(Value object, FieldReader& fields);

}  // namespace trellis
