#include <optional>
#include <utility>

#include "actions/defragmentation/move_plan.h"
#include "server/app/commands.h"
#include "server/app/input.h"
#include "server/document/document_output.h"
#include "server/document/json_writer.h"
#include "server/view/defrag_output.h"

namespace trellis {
namespace {

// Runs the cycle, without moves. Returns the limits of the moves that are to be planned, whatever
// the time and what has moved before.
PlanLimits run_cycle(const DefragArguments& arguments, LoadedCluster& loaded) {
  Engine& engine = *loaded.engine;
  Config config = engine.config();
  Defragmentation moves = config.defragmentation;
  config.defragmentation.enabled = false;
  engine.configure(std::move(config));
  engine.run(loaded.now, arguments.cycle.cycles);
  int64_t most = arguments.max_moved_gpus.value_or(moves.max_moved_gpus_per_hour);
  return {.moved_milli = saturating_product(most, kMilli), .min_gain = moves.min_gain};
}

}  // namespace

ExitCode run(const DefragArguments& arguments, Console& console) {
  std::optional<LoadedCluster> loaded =
      load_cluster(arguments.input, arguments.cycle, KeepRaw::No, console);
  if (!loaded) return kBadInput;
  PlanLimits limits = run_cycle(arguments, *loaded);
  Session& session = loaded->engine->scheduler().session();
  MovePlan plan = plan_moves(session, limits);
  if (arguments.output == OutputFormat::Table) {
    console.print(plan_text(session, plan, console.form(arguments.width)));
  } else {
    write_document(console.out, arguments.output, kRecordDepth,
                   [&](DocumentWriter& out) { write_plan(out, session, plan); });
  }
  return loaded->has_errors ? kBadInput : kDone;
}

}  // namespace trellis
