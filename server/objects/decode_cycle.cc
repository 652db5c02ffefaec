#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "server/config/config_fields.h"
#include "server/config/config_reader.h"
#include "server/config/number_file.h"
#include "server/objects/cycle_times_text.h"
#include "server/objects/decoders.h"
#include "server/objects/pod_mix_text.h"

namespace trellis {
namespace {

constexpr std::array<std::string_view, 2> kMovedKeys = {"since", "milli"};

}  // namespace

CycleObject decode_cycle(Value object, FieldReader& fields) {
  CycleObject cycle;
  if (object["now"].absent()) fields.missing(object, "now", "the time of the cycle");
  if (TimeUs now = fields.time(object, "now"); now != kNoTime) cycle.now = now;
  fields.list(object, "failures");
  cycle.make_pods = fields.boolean(object, "makePods", true);
  cycle.hold_gpu_fractions = fields.boolean(object, "holdGpuFractions");
  Value moved = fields.object(object, "movedGPUs");
  fields.known_keys(moved, kMovedKeys);
  cycle.moved_gpus.since = fields.time(moved, "since");
  cycle.moved_gpus.gpu_milli = fields.integer(moved, "milli", 0, kMaxSum).value_or(0);

  if (Value mix = fields.object(object, "podMix"); mix.exists()) {
    cycle.learned = std::make_shared<LearnedMix>(read_pod_mix(mix, fields));
  }

  if (Value list = fields.list(object, "appointments"); list.size() > 0) {
    cycle.appointments = std::make_shared<Appointments>(read_appointments(list, fields));
  }

  if (Value list = fields.list(object, "pastRuns"); list.size() > 0) {
    cycle.past_runs = std::make_shared<RunHistory>(read_past_runs(list, fields));
  }

  cycle.gang_times = read_gang_times(fields.list(object, "gangTimes"), fields);

  SourcePos at = fields.report().pos(object);
  ConfigFields::Report report{std::string(fields.report().file(at.file)), {}};
  {
    ConfigFields members(object, report);
    // Files of earlier versions have a seed, which is ignored.
    for (const char* key :
         {"apiVersion", "kind", "now", "failures", "makePods", "holdGpuFractions", "movedGPUs",
          "podMix", "appointments", "pastRuns", "gangTimes", "seed"}) {
      members.take(key);
    }
    read_config_value(members.take("config"), report, cycle.config);
    read_numbers_value(members.take("usage"), report, kUsageForm, cycle.config.queues.past_usage);
    for (Value::Member file : members.take("nodeNumbers").members()) {
      read_numbers_value(file.value, report, kNodeNumberForm,
                         cycle.config.node_numbers[std::string(file.key)]);
    }
  }
  for (Diagnostic& diagnostic : report.diagnostics) {
    diagnostic.document = at.document;
    fields.report().diagnostics().push_back(std::move(diagnostic));
  }
  return cycle;
}

}  // namespace trellis
