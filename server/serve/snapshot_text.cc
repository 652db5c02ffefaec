#include "server/serve/snapshot_text.h"

#include <string>

#include "server/config/config_json.h"
#include "server/manifest/timestamp.h"
#include "server/simulate/save.h"

namespace trellis {

void write_snapshot(ByteSink& sink, const Observer::View& view) {
  const Config& config = view.engine.config();
  TimeUs now = view.cycle.record->now;
  sink.write(R"({"apiVersion":"trellis.scheduler/v1alpha1","kind":"Cycle","now":")" +
             format_timestamp(now) + R"(","config":)" + config_json(config) + R"(,"seed":)" +
             std::to_string(config.seed) + ",\"usage\":" + usage_json(config) +
             ",\"failures\":[]}\n");
  save_objects(sink, view.texts.objects(), view.engine.cluster(), view.engine.notes(), now);
}

}  // namespace trellis
