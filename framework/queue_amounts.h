// What queues are given and charged: GPUs in thousandths, milli-CPU, bytes of memory. All of it
// saturates at kMaxSum (framework/resources.h).
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

  // Not through the array's own, whose assertion an enum's value cannot break.
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

// Of a queue or a gang. Each amount is a cell of the undo log.
struct QueueUse {
  QueueAmounts allocated;        // pods that stay, promised ones included
  QueueAmounts non_preemptible;  // of those
  QueueAmounts waiting;          // pods that are free to be placed; as the cycle found it
  void add(const QueueUse& other, int64_t times = 1) {
    allocated.add(other.allocated, times);
    non_preemptible.add(other.non_preemptible, times);
    waiting.add(other.waiting, times);
  }
  // What is not preemptible is allocated, too.
  bool saturated() const { return allocated.saturated() || waiting.saturated(); }
  bool operator==(const QueueUse&) const = default;
};

// Amounts of resources as queues count them: devices of any maker, and slices of one (MIG,
// nvidia.com/mig-3g.20gb) by their number of compute units.
QueueAmounts queue_amounts(const ResourceList& amounts, const ResourceTable& resources);

}  // namespace trellis
