#include "server/engine.h"

#include "actions/registry.h"
#include "plugins/registry.h"
#include "server/simulate/between_cycles.h"

namespace trellis {

Engine::Engine(const Config& config)
    : period_(config.period_us),
      scheduler_(cluster_, config, make_plugins(config), make_actions(config)) {}

std::shared_ptr<const CycleRecord> Engine::run(TimeUs now, int64_t cycles) {
  std::shared_ptr<const CycleRecord> record = scheduler_.run_cycle(now);
  add_notes(notes_, *record);
  for (int64_t cycle = 1; cycle < cycles; ++cycle) {
    pass_time(cluster_, *record);
    now += period_;
    record = scheduler_.run_cycle(now);
    add_notes(notes_, *record);
  }
  return record;
}

}  // namespace trellis
