#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <optional>
#include <string>
#include <system_error>

#include "server/cli/commands.h"
#include "server/cli/input.h"
#include "server/output/decisions.h"
#include "server/output/decisions_table.h"
#include "server/output/document_output.h"
#include "server/output/gang_summary.h"
#include "server/output/json_writer.h"
#include "server/output/topology_tree.h"
#include "server/simulate/save.h"
#include "server/simulate/started_owners.h"
#include "session/topology_report.h"

namespace trellis {
namespace {

std::string decisions_tree(Engine& engine, const CycleRecord& record, const Console& console) {
  std::vector<TopologyReport> topologies = report_topologies(engine.scheduler());
  std::string text =
      topologies.empty()
          ? cluster_line(engine.cluster(), record, console.glyphs, console.out_colours)
          : topology_tree(topologies, console.glyphs, console.out_colours);
  text += subgroup_trees(engine.cluster(), record, console.glyphs, console.out_colours);
  std::string summary = summary_text(summarize(engine.cluster(), record));
  return text + "\n" + styled(summary, Style::Bold, console.out_colours) + "\n";
}

void print_decisions(const ScheduleArguments& arguments, Engine& engine, const CycleRecord& record,
                     Console& console) {
  switch (arguments.output) {
    case OutputFormat::Tree:
      console.out.write(decisions_tree(engine, record, console));
      return;
    case OutputFormat::Json:
    case OutputFormat::Yaml:
      write_document(console.out, arguments.output, kRecordDepth, [&](DocumentWriter& out) {
        write_decisions(out, engine.cluster(), record, arguments.cycle.cycles);
      });
      return;
    default:
      console.out.write(decisions_table(engine.cluster(), record, console.out_colours));
  }
}

// False, and said why, when the file could not be written.
bool save(const std::string& file, LoadedCluster& loaded, const CycleRecord& record,
          Console& console) {
  int fd = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) {
    console.complain("cannot write " + file + ": " + std::generic_category().message(errno));
    return false;
  }
  loaded.engine->pass_time();
  FileSink sink(fd);
  save_objects(sink, loaded.raw, loaded.engine->cluster(), loaded.engine->notes(), record.now,
               {loaded.workload_owners, &loaded.engine->workload_notes()});
  bool closed = ::close(fd) == 0;
  if (closed && sink.outcome() == WriteOutcome::Written) return true;
  std::string why = sink.error().empty() ? std::generic_category().message(errno) : sink.error();
  console.complain("cannot write " + file + ": " + why);
  return false;
}

}  // namespace

ExitCode run(const ScheduleArguments& arguments, Console& console) {
  // Between cycles Jobs start: their pods are made of their text.
  bool keeps = !arguments.save_file.empty() || arguments.cycle.cycles > 1;
  KeepRaw keep_raw = keeps ? KeepRaw::Yes : KeepRaw::No;
  std::optional<LoadedCluster> loaded =
      load_cluster(arguments.input, arguments.cycle, keep_raw, console);
  if (!loaded) return kBadInput;
  Engine& engine = *loaded->engine;
  auto between = [&](const CycleRecord& passed) {
    start_owners(engine.cluster(), passed,
                 {loaded->raw,
                  {loaded->workload_owners, &engine.workload_notes()},
                  engine.config().scheduler_names});
  };
  std::shared_ptr<const CycleRecord> record =
      engine.run(loaded->now, arguments.cycle.cycles, between);
  print_decisions(arguments, *loaded->engine, *record, console);
  bool waiting = leaves_pods_waiting(loaded->engine->cluster(), *record);
  if (!arguments.save_file.empty() && !save(arguments.save_file, *loaded, *record, console)) {
    return kFailure;
  }
  if (loaded->has_errors) return kBadInput;
  return waiting && arguments.fail_unscheduled ? kUnscheduled : kDone;
}

}  // namespace trellis
