// Amounts as Kubernetes writes them: 1500m, 960Gi, 4, 0.5.
#pragma once

#include <cstdint>
#include <string>

#include "framework/queue_amounts.h"
#include "framework/resources.h"

namespace trellis {

// The shortest exact form, with the suffixes of the unit.
std::string quantity_text(int64_t amount, Unit unit);

inline std::string quantity_text(const ResourceTable& resources, ResourceId id, int64_t amount) {
  return quantity_text(amount, resources.unit(id));
}

// For people: `6,360 cores`, `62.7 GiB`, `8`; bytes with at most one digit after the point.
std::string people_quantity_text(int64_t amount, Unit unit);

// Thousandths as a decimal: 500 -> "0.5".
std::string milli_text(int64_t milli);

// 1234567 -> "1,234,567", for people.
std::string grouped_text(int64_t number);

// 0.125 -> "12.5%", for people: at most one digit after the point.
std::string percent_text(double part);

// "1 pod", "12 pods".
std::string pods_text(int64_t count);

// "3/8".
std::string count_text(int64_t found, int64_t needed);

// As users write amounts in Queue objects: GPUs, milli-CPU, megabytes (10^6). -1 stays -1: no
// bound.
double in_queue_units(QueueResource resource, int64_t amount);

// For people: `8`, `2.5`, `0.5 cores`, `62.7 GiB`; `-` for no bound.
std::string queue_amount_text(QueueResource resource, int64_t amount);

}  // namespace trellis
