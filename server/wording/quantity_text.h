// Amounts as Kubernetes writes them: 1500m, 960Gi, 4, 0.5.
#pragma once

#include <cstdint>
#include <string>

#include "framework/resources.h"

namespace trellis {

// The shortest exact form, with the suffixes of the unit.
std::string quantity_text(int64_t amount, Unit unit);

inline std::string quantity_text(const ResourceTable& resources, ResourceId id, int64_t amount) {
  return quantity_text(amount, resources.unit(id));
}

// Thousandths as a decimal: 500 -> "0.5".
std::string milli_text(int64_t milli);

// 1234567 -> "1,234,567", for people.
std::string grouped_text(int64_t number);

// "1 pod", "12 pods".
std::string pods_text(int64_t count);

// "3/8".
std::string count_text(int64_t found, int64_t needed);

}  // namespace trellis
