#include "server/engine/load.h"

#include <utility>

namespace trellis {

void load(Engine& engine, Manifest manifest) {
  if (manifest.cycle) {
    engine.scheduler().recall(manifest.cycle->learned);
    engine.scheduler().set_appointments(manifest.cycle->appointments);
    engine.scheduler().set_past_runs(manifest.cycle->past_runs);
  }
  engine.cluster().add(std::move(manifest.objects));
  if (manifest.cycle) engine.cluster().set_moved_gpus(manifest.cycle->moved_gpus);
}

}  // namespace trellis
