// Amounts that queues are given and charged: GPUs in thousandths, milli-CPU, bytes of memory. All
// amounts saturate at kMaxSum (framework/resources.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "framework/resources.h"

namespace trellis {

enum class QueueResource : uint8_t { Gpu, Cpu, Memory };
inline constexpr size_t kQueueResources = 3;
inline constexpr std::array<QueueResource, kQueueResources> kAllQueueResources = {
    QueueResource::Gpu, QueueResource::Cpu, QueueResource::Memory};

std::string_view to_string(QueueResource resource);  // gpu, cpu, memory

struct QueueAmounts {
  std::array<int64_t, kQueueResources> of = {};

  // Not through the array's operator[]: its assertion can never fail for a value of the enum.
  int64_t& operator[](QueueResource resource) { return of.data()[static_cast<size_t>(resource)]; }
  int64_t operator[](QueueResource resource) const {
    return of.data()[static_cast<size_t>(resource)];
  }
  void add(const QueueAmounts& other, int64_t times = 1) {
    for (QueueResource one : kAllQueueResources) {
      (*this)[one] = add_to_sum((*this)[one], saturating_product(other[one], times));
    }
  }
  bool saturated() const {
    return is_saturated((*this)[QueueResource::Gpu]) || is_saturated((*this)[QueueResource::Cpu]) ||
           is_saturated((*this)[QueueResource::Memory]);
  }
  bool operator==(const QueueAmounts&) const = default;
};

// The amounts of a queue or a gang. Each amount is a cell of the undo log.
struct QueueUse {
  QueueAmounts allocated;        // pods that stay, promised ones included
  QueueAmounts non_preemptible;  // the part of `allocated` that is not preemptible
  QueueAmounts waiting;          // pods that are free to be placed; as the cycle found them
  void add(const QueueUse& other, int64_t times = 1) {
    allocated.add(other.allocated, times);
    non_preemptible.add(other.non_preemptible, times);
    waiting.add(other.waiting, times);
  }
  // `non_preemptible` is a part of `allocated`.
  bool saturated() const { return allocated.saturated() || waiting.saturated(); }
  bool operator==(const QueueUse&) const = default;
};

// Converts amounts of resources to those that queues count: GPUs of any maker, and slices of a GPU
// (MIG, nvidia.com/mig-3g.20gb) by their number of compute units.
QueueAmounts queue_amounts(const ResourceList& amounts, const ResourceTable& resources);

}  // namespace trellis
