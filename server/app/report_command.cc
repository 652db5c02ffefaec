#include <memory>
#include <optional>

#include "server/app/commands.h"
#include "server/app/input.h"
#include "server/document/document_output.h"
#include "server/document/json_writer.h"
#include "server/view/cluster_report.h"

namespace trellis {

ExitCode run(const ReportArguments& arguments, Console& console) {
  std::optional<LoadedCluster> loaded =
      load_cluster(arguments.input, arguments.cycle, KeepRaw::No, console);
  if (!loaded) return kBadInput;
  Engine& engine = *loaded->engine;
  std::shared_ptr<const CycleRecord> record = engine.run(loaded->now, arguments.cycle.cycles);
  Session& session = engine.scheduler().session();
  ClusterReport report = report_cluster(session, *record);
  if (arguments.output == OutputFormat::Text) {
    console.print(
        cluster_report_text(session, report, console.glyphs, console.form(arguments.width)));
  } else {
    write_document(console.out, arguments.output, kRecordDepth,
                   [&](DocumentWriter& out) { write_cluster_report(out, session, report); });
  }
  return loaded->has_errors ? kBadInput : kDone;
}

}  // namespace trellis
