#include <optional>
#include <string>
#include <vector>

#include "server/cli/commands.h"
#include "server/cli/input.h"
#include "server/output/document_output.h"
#include "server/output/queue_output.h"
#include "session/explain/queue_report.h"

namespace trellis {
namespace {

constexpr size_t kExpandedDepth = 2;  // a queue a line

}  // namespace

ExitCode run(const QueuesArguments& arguments, Console& console) {
  // The queues as the cluster was read: no action decides anything.
  CycleArguments idle{.actions = std::vector<std::string>()};
  std::optional<LoadedCluster> loaded = load_cluster(arguments.input, idle, KeepRaw::No, console);
  if (!loaded) return kBadInput;
  Engine& engine = *loaded->engine;
  engine.run(loaded->now, 1);
  std::vector<QueueLine> lines = report_queues(engine.scheduler().session());
  if (arguments.output == OutputFormat::Table) {
    console.out.write(lines.empty() ? "no queues: every gang may take what it needs\n"
                                    : queues_table(engine.cluster(), lines, console.out_colours));
  } else {
    write_document(console.out, arguments.output, kExpandedDepth,
                   [&](DocumentWriter& out) { write_queues(out, engine.cluster(), lines); });
  }
  return loaded->has_errors ? kBadInput : kDone;
}

}  // namespace trellis
