// A simulation that was interrupted, as JSON lines: what became of its gangs so far, and the state
// of the pods.
//
// Guarantees: a simulation that is continued comes to the same result, byte for byte.
// Cost: O(gangs that have come + pods).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "framework/learned_mix.h"
#include "framework/moved_gpus.h"
#include "framework/result.h"
#include "framework/time.h"
#include "server/document/document.h"
#include "server/document/json_writer.h"
#include "server/simulate/simulation_result.h"
#include "session/cluster/cluster.h"

namespace trellis {

// Where a simulation is. Times are absolute where no word says otherwise.
struct SimulationProgressState {
  TimeUs now = 0;
  TimeUs next_cycle = kNoTime;
  TimeUs next_sample = 0;
  TimeUs sample_interval = 0;
  int64_t next_arrival = 0;
  int64_t next_change = 0;
  int64_t idle_cycles = 0;
  int64_t cycles = 0;
  double used_gpu_seconds = 0;
  double all_gpu_seconds = 0;
  double kept_used_gpu_seconds = 0;
  double kept_all_gpu_seconds = 0;
};

// Of a gang that has come.
struct SimulatedGangState {
  uint32_t number = 0;
  bool present = false;  // in the cluster
  bool runs = false;
  uint32_t run = 0;
  TimeUs started = kNoTime;
  TimeUs ends = kNoTime;  // its run; kNoTime: it has none that ends
};

void write_state(DocumentWriter& out, const SimulationProgressState& state);
SimulationProgressState read_state(Value line);
void write_gang(DocumentWriter& out, const SimulatedGangState& gang, const GangResult& result);
size_t gang_number(Value line);
SimulatedGangState read_gang(Value line, GangResult& result);
void write_sample(DocumentWriter& out, const Sample& sample);
Sample read_sample(Value line);
void write_pod(DocumentWriter& out, const Cluster& cluster, PodId pod);
// Gives the pod of this name the state that was written.
void restore_pod(Value line, Cluster& cluster);
void write_gang_times(DocumentWriter& out, const Cluster& cluster, GangId gang);
void restore_gang_times(Value line, Cluster& cluster);

}  // namespace trellis
