// What became of the gangs of a simulation, and of the cluster over time.
//
// Words: a *run* of a gang begins when it has its minimum and ends when it is done or falls below
// its minimum; a run that does not end by itself is *lost*, and the gang begins again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "framework/time.h"

namespace trellis {

struct GangResult {
  std::string name;
  std::string queue;             // "": none
  TimeUs arrival = 0;            // these times count from the beginning
  TimeUs first_start = kNoTime;  // kNoTime: it never ran
  TimeUs end = kNoTime;          // kNoTime: it had not ended when nothing more happened
  TimeUs duration = -1;          // of a run; negative: for ever
  int64_t gpu_milli = 0;
  int32_t evictions = 0;             // runs that were lost
  double lost_gpu_seconds = 0;       // in those
  std::vector<std::string> domains;  // of the last run, by name
  int32_t fewest_domains = 0;        // that could have held it
  bool turned_away = false;          // it found no place when it came, and left
};

// The cluster at one moment, as the last cycle left it.
struct Sample {
  TimeUs at = 0;                  // from the beginning
  int64_t arrived_gpu_milli = 0;  // requested by all gangs that have come so far
  int64_t used_gpu_milli = 0;
  int64_t stranded_gpu_milli = 0;  // free, and of no use to any pod (session/explain/gpu_report.h)
  int64_t all_gpu_milli = 0;
  int64_t waiting = 0;                        // gangs
  std::vector<int64_t> queue_used_gpu_milli;  // as SimulationResult::queues
};

struct SimulationResult {
  std::string name;                 // of the configuration
  std::vector<GangResult> gangs;    // by arrival, then by name
  std::vector<std::string> queues;  // that gangs name, by name
  std::vector<Sample> samples;      // in order of time
  double used_gpu_seconds = 0;      // until the last gang ended; if none did, until the end
  double all_gpu_seconds = 0;
  int64_t cycles = 0;
};

}  // namespace trellis
