#include <memory>
#include <optional>
#include <string>

#include "server/app/commands.h"
#include "server/app/input.h"
#include "server/document/document_output.h"
#include "server/document/json_writer.h"
#include "server/system/whole_file.h"
#include "server/view/decisions.h"
#include "server/view/decisions_table.h"
#include "server/view/gang_summary.h"
#include "server/view/row_lists.h"
#include "server/view/topology_output.h"
#include "server/writeback/anonymous_objects.h"
#include "server/writeback/gang_times.h"
#include "server/writeback/save.h"
#include "server/writeback/started_owners.h"
#include "session/explain/topology_report.h"

namespace trellis {
namespace {

std::string decisions_tree(Engine& engine, const CycleRecord& record, const Console& console) {
  std::vector<TopologyReport> topologies = report_topologies(engine.scheduler());
  std::string text =
      topologies.empty()
          ? cluster_line(engine.cluster(), record, console.glyphs, console.out_colours)
          : topology_tree(topologies, console.glyphs, console.out_colours);
  text += subgroup_trees(engine.cluster(), record, console.glyphs, console.out_colours);
  return text + "\n" + decisions_end(engine.cluster(), record, console.out_colours);
}

void print_decisions(const ScheduleArguments& arguments, Engine& engine, const CycleRecord& record,
                     Console& console) {
  switch (arguments.output) {
    case OutputFormat::Tree:
      console.print(decisions_tree(engine, record, console));
      return;
    case OutputFormat::JsonText:
    case OutputFormat::Yaml:
      write_document(console.out, arguments.output, kRecordDepth, [&](DocumentWriter& out) {
        write_decisions(out, engine.cluster(), record, arguments.cycle.cycles);
      });
      return;
    case OutputFormat::Name:
      console.print(row_names(engine.cluster(), record, arguments.rows));
      return;
    case OutputFormat::Csv:
      console.out.write(rows_csv(engine.cluster(), record, arguments.rows));
      return;
    case OutputFormat::Wide:
      console.print(
          wide_decisions_table(engine.cluster(), record, arguments.rows, console.out_colours));
      return;
    default:
      console.print(
          decisions_table(engine.cluster(), record, arguments.rows, console.form(arguments.width)));
  }
}

// False when the file could not be written: it is then unchanged, and the reason has been printed.
bool save(const ScheduleArguments& arguments, LoadedCluster& loaded, const CycleRecord& record,
          Console& console) {
  const std::string& file = arguments.save_file;
  auto complain = [&](const Error& why) {
    console.complain("cannot write " + file + ": " + why.message);
    return false;
  };
  Result<ReplacedFile> saved = ReplacedFile::begin(file);
  if (!saved) return complain(saved.error());
  loaded.engine->pass_time();
  const Config& config = loaded.engine->config();
  std::shared_ptr<const LearnedMix> learned = loaded.engine->scheduler().learned();
  const MovedGpus& moved = loaded.engine->cluster().moved_gpus();
  const std::shared_ptr<const Appointments>& appointments =
      loaded.engine->scheduler().appointments();
  const std::shared_ptr<const RunHistory>& past_runs = loaded.engine->scheduler().past_runs();
  std::vector<GangTimes> times = times_without_group(loaded.engine->cluster(), loaded.raw);
  bool remembers = learned || appointments || past_runs || !times.empty() || moved != MovedGpus();
  if (remembers && !loaded.cycle) loaded.cycle.emplace();
  StringSink lines;  // whole, since names are replaced in the order of all of them
  ByteSink& objects = arguments.anonymize ? static_cast<ByteSink&>(lines) : saved->sink();
  if (loaded.cycle) {
    loaded.cycle->now = record.now + config.period_us;
    loaded.cycle->config = config;
    loaded.cycle->moved_gpus = moved;
    loaded.cycle->learned = std::move(learned);
    loaded.cycle->appointments = appointments;
    loaded.cycle->past_runs = past_runs;
    loaded.cycle->gang_times = std::move(times);
    objects.write(cycle_line(*loaded.cycle));
  }
  save_objects(objects, loaded.raw, loaded.engine->cluster(), loaded.engine->notes(), record.now,
               {loaded.workload_owners, &loaded.engine->workload_notes()});
  if (arguments.anonymize) saved->sink().write(anonymous_lines(lines.text()));
  std::optional<Error> failure = saved->finish();
  return failure ? complain(*failure) : true;
}

}  // namespace

ExitCode run(const ScheduleArguments& arguments, Console& console) {
  // The raw text is also kept for several cycles: between them Jobs start, and their pods are made
  // from it.
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
  if (!arguments.save_file.empty() && !save(arguments, *loaded, *record, console)) {
    return kFailure;
  }
  if (loaded->has_errors) return kBadInput;
  return waiting && arguments.fail_unscheduled ? kUnscheduled : kDone;
}

}  // namespace trellis
