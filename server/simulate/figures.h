// What a simulation comes to, in figures.
//
// Words: *wait*: from arrival to the first start; *completion*: from arrival to the end; *bounded
// slowdown*: completion over run time, where a run counts as 10 seconds at the least, and 1 at the
// least. Percentiles are by nearest rank: a value that some gang has. Gangs that never started have
// no wait, and gangs that did not end no completion.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "server/simulate/simulation_result.h"

namespace trellis {

// All 0 where there is no value.
struct Distribution {
  double mean = 0;
  double p50 = 0;
  double p95 = 0;
  double p99 = 0;
};

struct GangFigures {
  int64_t gangs = 0;
  int64_t finished = 0;
  int64_t turned_away = 0;
  Distribution wait_seconds;
  Distribution completion_seconds;
  Distribution bounded_slowdown;
  int64_t evictions = 0;
  double lost_gpu_hours = 0;
  double gpu_hours = 0;  // of runs that ended
};

struct SimulatedQueue {
  std::string name;
  GangFigures figures;
};

struct SimulationFigures {
  GangFigures all;
  std::vector<SimulatedQueue> queues;  // by name
  double gpu_utilization = 0;          // mean part of the GPUs, until the last gang ended
  double stranded = 0;                 // mean part of the GPUs over the samples
  double makespan_seconds = 0;         // from the first arrival to the last end
  int64_t domains = 0;                 // of the last runs of all gangs
  int64_t fewest_domains = 0;          // that could have held them
  double fairness = 1;                 // Jain's index of the queues' mean bounded slowdowns
};

SimulationFigures figures_of(const SimulationResult& result);

}  // namespace trellis
