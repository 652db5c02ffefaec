// A queue as written (scheduling.run.ai/v2). Units: GPUs in thousandths, milli-CPU, bytes;
// kUnlimited for no limit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "framework/backfill.h"
#include "framework/ids.h"
#include "framework/time.h"

namespace trellis {

struct QueueShare {
  static constexpr int64_t kUnlimited = -1;
  int64_t quota = 0;
  int64_t limit = kUnlimited;
  double over_quota_weight = 1.0;
  bool operator==(const QueueShare&) const = default;
};

struct Queue {
  std::string name;
  Maybe<StrId> parent;  // by name; none: a root
  QueueShare gpu;
  QueueShare cpu;
  QueueShare memory;
  int32_t priority = 100;
  // How long a gang of the queue runs before it may be moved; unset: the parent's.
  std::optional<TimeUs> preempt_min_runtime_us;
  std::optional<TimeUs> reclaim_min_runtime_us;
  std::optional<bool> movable;       // of gangs that do not say it themselves; unset: the parent's
  std::optional<Backfill> backfill;  // unset: the parent's
  TimeUs created = kNoTime;
  bool operator==(const Queue&) const = default;
};

}  // namespace trellis
