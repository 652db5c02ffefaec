// The Cycle object: what a saved cluster contains besides its objects.
#pragma once

#include <memory>

#include "framework/appointment.h"
#include "framework/config.h"
#include "framework/learned_mix.h"
#include "framework/moved_gpus.h"
#include "framework/run_history.h"
#include "framework/time.h"

namespace trellis {

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
};

}  // namespace trellis
