// Whether an owner of pods has finished, by its status.
#pragma once

#include <cstdint>

#include "server/document/document.h"

namespace trellis {

// None: the owner may still make pods.
enum class OwnerEnd : uint8_t { None, Succeeded, Failed };

// Reads the conditions of Jobs, JobSets and training jobs, and the status of a RayJob.
OwnerEnd owner_end(Value object);

}  // namespace trellis
