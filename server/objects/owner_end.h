// Whether an owner of pods has finished, by its status.
#pragma once

#include <cstdint>

#include "server/document/document.h"

namespace trellis {

// None: it may still make pods.
enum class OwnerEnd : uint8_t { None, Succeeded, Failed };

// By the conditions of Jobs, JobSets and training jobs, or as a RayJob says.
OwnerEnd owner_end(Value object);

}  // namespace trellis
