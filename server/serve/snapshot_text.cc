#include "server/serve/snapshot_text.h"

#include <string>
#include <vector>

#include "server/document/document_builder.h"
#include "server/document/json_scanner.h"
#include "server/document/json_text.h"
#include "server/objects/private_members.h"
#include "server/writeback/gang_times.h"
#include "server/writeback/save.h"

namespace trellis {
namespace {

// The object as the source gave it, without data that is meant for its containers alone.
void leave_out_private_members(RawObject& object) {
  Document document;
  DocumentBuilder builder(document);
  JsonScanner scanner(object.json);
  if (!scanner.read_value(builder)) return;
  std::vector<Value> members = private_members(document.root());
  if (!members.empty()) object.json = json_text(document.root(), {}, members);
}

}  // namespace

void write_snapshot(ByteSink& sink, const Observer::View& view) {
  view.engine.scheduler().session();  // it continues with what the cycle had learned
  write_snapshot(sink, view.engine, view.cycle.record->now, view.texts);
}

void write_snapshot(ByteSink& sink, const Engine& engine, TimeUs now, const SourceTexts& texts) {
  Manifest manifest = texts.read();
  sink.write(cycle_line({.now = now,
                         .config = engine.config(),
                         .make_pods = texts.make_pods(),
                         .moved_gpus = engine.cluster().moved_gpus(),
                         .hold_gpu_fractions = texts.hold_gpu_fractions(),
                         .learned = engine.scheduler().learned(),
                         .appointments = engine.scheduler().appointments(),
                         .past_runs = engine.scheduler().past_runs(),
                         .gang_times = times_without_group(engine.cluster(), manifest.raw)}));
  for (RawObject& object : manifest.raw) leave_out_private_members(object);
  save_objects(sink, manifest.raw, engine.cluster(), engine.notes(), now,
               {.owners = manifest.workload_owners,
                .notes = &engine.workload_notes(),
                .state = SavedOwners::AsRead});
}

}  // namespace trellis
