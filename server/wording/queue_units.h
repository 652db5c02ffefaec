// Amounts of queues as users write them in Queue objects: GPUs, milli-CPU, megabytes (10^6).
#pragma once

#include <cstdint>
#include <string>

#include "framework/queue_amounts.h"

namespace trellis {

// -1 stays -1: no bound.
double in_queue_units(QueueResource resource, int64_t amount);

// `8`, `2.5`, `500m`, `16000 MB`; `-` for no bound.
std::string queue_amount_text(QueueResource resource, int64_t amount);

}  // namespace trellis
