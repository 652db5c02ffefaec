// A gang as a trace describes it: what it requests in all, when it comes and how long it runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "framework/time.h"

namespace trellis {

struct TracedGang {
  std::string name;      // no other gang of the trace has it
  TimeUs arrival = 0;    // after the trace's beginning
  TimeUs duration = -1;  // negative: it runs for ever
  TimeUs expected = -1;  // how long it is expected to run; negative: not known
  // Sums over its pods.
  int64_t gpu_milli = 0;
  int64_t cpu_milli = 0;
  int64_t memory = 0;  // bytes
  int32_t pods = 0;    // 0: as few equal pods as the cluster's largest node allows
  std::optional<int32_t> priority;
  std::string queue;                // "": none
  std::string level;                // its pods must share a domain of this level; "": none is asked
  std::vector<std::string> models;  // of GPUs, any of which will do; empty: any
};

}  // namespace trellis
