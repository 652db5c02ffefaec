#include "server/compare/cycle_copy.h"

#include <cstdint>
#include <utility>

#include "session/cluster/cluster_objects.h"

namespace trellis {
namespace {

// Every name gets the id that it has in `from`: both begin with the same names.
void copy_names(const Vocabulary& from, Vocabulary& to) {
  for (uint32_t i = 0; i < from.strings.size(); ++i) to.strings.intern(from.strings.view(StrId(i)));
  for (uint32_t i = 0; i < from.resources.size(); ++i) {
    to.resources.intern(from.resources.name(ResourceId(i)));
  }
}

}  // namespace

CycleCopy::CycleCopy(Engine& engine)
    : original_(engine.cluster()), copy_(std::make_unique<Engine>(engine.config())) {
  Scheduler& scheduler = engine.scheduler();
  scheduler.session();  // what the cycle had learned is known once its session is open
  copy_names(engine.vocabulary(), copy_->vocabulary());
  copy_->scheduler().recall(scheduler.learned());
  copy_->scheduler().set_appointments(scheduler.appointments());
  copy_->scheduler().set_past_runs(scheduler.past_runs());
  copy_->cluster().set_moved_gpus(engine.cluster().moved_gpus());
  objects_ = objects_of(engine.cluster());
}

ChangedCycle CycleCopy::run(TimeUs now) {
  copy_->cluster().add(std::move(objects_));
  std::shared_ptr<const CycleRecord> record = copy_->run(now, 1);
  return {.engine = std::move(copy_), .record = std::move(record)};
}

}  // namespace trellis
