#include "plugins/fragmentation/node_room.h"

#include <algorithm>

namespace trellis {

int64_t NodeRoom::gpu_milli() const {
  int64_t sum = int64_t{whole} * kMilli;
  for (int16_t part : parts) sum += part;
  return sum;
}

int64_t NodeRoom::fits(const PodShape& shape) const {
  if (shape.devices <= 0 || (shape.models >> model & 1) == 0) return 0;
  int64_t places = whole;
  if (shape.shares()) {
    places *= kMilli / shape.portion;
    for (int16_t part : parts) places += part / shape.portion;
  }
  int64_t fits = places / shape.devices;
  if (shape.cpu_milli > 0) fits = std::min(fits, cpu_milli / shape.cpu_milli);
  if (shape.memory_bytes > 0) fits = std::min(fits, memory_bytes / shape.memory_bytes);
  return std::max<int64_t>(fits, 0);
}

NodeRoom NodeRoom::without(const PodShape& shape) const {
  NodeRoom left = *this;
  left.cpu_milli -= shape.cpu_milli;
  left.memory_bytes -= shape.memory_bytes;
  if (!shape.shares()) {
    left.whole = std::max(0, whole - shape.devices);
    return left;
  }
  int16_t portion = static_cast<int16_t>(shape.portion);
  int32_t wanted = shape.devices;
  auto part = std::lower_bound(left.parts.begin(), left.parts.end(), portion);
  for (; part != left.parts.end() && wanted > 0; ++part, --wanted) {
    *part = static_cast<int16_t>(*part - portion);
  }
  for (; wanted > 0 && left.whole > 0; --wanted, --left.whole) {
    left.parts.push_back(static_cast<int16_t>(kMilli - portion));
  }
  std::sort(left.parts.begin(), left.parts.end());
  auto first_free = std::upper_bound(left.parts.begin(), left.parts.end(), int16_t{0});
  left.parts.erase(left.parts.begin(), first_free);
  return left;
}

}  // namespace trellis
