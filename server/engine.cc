#include "server/engine.h"

#include <utility>
#include <vector>

#include "actions/registry.h"
#include "plugins/registry.h"
#include "server/simulate/between_cycles.h"

namespace trellis {

Engine::Engine(const Config& config, PluginWrapper wrapper) : wrapper_(std::move(wrapper)) {
  configure(config);
}

// By value: it may be the one that goes with the old scheduler.
void Engine::configure(Config config) {
  std::vector<std::unique_ptr<Plugin>> plugins = make_plugins(config);
  if (wrapper_) {
    for (std::unique_ptr<Plugin>& plugin : plugins) plugin = wrapper_(std::move(plugin));
  }
  scheduler_.reset();
  cluster_.renew_changes();
  std::vector<std::unique_ptr<Action>> actions = make_actions(config);
  scheduler_ = std::make_unique<Scheduler>(cluster_, std::move(config), std::move(plugins),
                                           std::move(actions));
}

std::shared_ptr<const CycleRecord> Engine::run(TimeUs now, int64_t cycles, const Between& between) {
  keep(scheduler_->run_cycle(now));
  for (int64_t cycle = 1; cycle < cycles; ++cycle) {
    pass_time();
    if (between) between(*record_);
    now += config().period_us;
    keep(scheduler_->run_cycle(now));
  }
  return record_;
}

void Engine::keep(std::shared_ptr<const CycleRecord> record) {
  if (record == record_) return;
  record_ = std::move(record);
  time_passed_ = false;
  add_notes(notes_, *record_);
  add_notes(workload_notes_, *record_);
}

void Engine::adopt(std::shared_ptr<const CycleRecord> record) {
  keep(std::move(record));
  scheduler_->adopt(record_);
}

void Engine::pass_time() {
  if (record_ && !time_passed_) {
    trellis::pass_time(cluster_, *record_, config().requeuing);
  }
  time_passed_ = true;
}

void Engine::assume() {
  if (record_ && !time_passed_) {
    trellis::assume(cluster_, *record_, config().requeuing);
  }
  time_passed_ = true;
}

}  // namespace trellis
