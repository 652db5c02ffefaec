// Hash of a pod spec, for interning pod classes.
#pragma once

#include <cstddef>

#include "framework/pod.h"

namespace trellis {

size_t hash_of(const PodSpec& spec);

}  // namespace trellis
