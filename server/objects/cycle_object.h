// The Cycle object: what a saved cluster contains besides its objects.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "framework/appointment.h"
#include "framework/config.h"
#include "framework/learned_mix.h"
#include "framework/moved_gpus.h"
#include "framework/run_history.h"
#include "framework/time.h"

namespace trellis {

// Since when a gang runs, and runs below its minimum; kNoTime: it does not, or its pods say it.
struct GangTimes {
  std::string name_space;
  std::string gang;
  TimeUs started = kNoTime;
  TimeUs stale_since = kNoTime;
};

// The settings of a saved cycle: with them, a cycle on the same objects decides the same.
struct CycleObject {
  TimeUs now = 0;
  Config config;
  bool make_pods = true;  // as in ReadOptions
  MovedGpus moved_gpus;
  bool hold_gpu_fractions = false;                   // as in ReadingSettings
  std::shared_ptr<const LearnedMix> learned;         // null: nothing
  std::shared_ptr<const Appointments> appointments;  // null: none
  std::shared_ptr<const RunHistory> past_runs;       // null: not known
  std::vector<GangTimes> gang_times;                 // of gangs without a PodGroup
};

}  // namespace trellis
