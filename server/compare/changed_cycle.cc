#include "server/compare/changed_cycle.h"

#include <algorithm>
#include <utility>

#include "server/engine/load.h"

namespace trellis {
namespace {

// One a line.
std::string errors_of(const Manifest& manifest) {
  std::string errors;
  for (const Diagnostic& diagnostic : manifest.diagnostics) {
    if (diagnostic.severity != Severity::Error) continue;
    if (!errors.empty()) errors += '\n';
    errors += to_string(diagnostic);
  }
  return errors;
}

}  // namespace

Result<ChangedCycle> run_changed(std::span<const NamedText> texts, const PlannedChange& change,
                                 const Config& config) {
  ChangedCycle changed{.engine = std::make_unique<Engine>(config), .record = nullptr};
  Engine& engine = *changed.engine;
  Manifest manifest = read_manifest_texts(texts, engine.vocabulary(), {.settings = {}});
  if (std::string errors = errors_of(manifest); !errors.empty()) return error(errors);
  std::string wrong = apply(change, manifest.objects, engine.vocabulary().strings);
  if (!wrong.empty()) return error(wrong);
  TimeUs now =
      manifest.cycle ? manifest.cycle->now : std::max<TimeUs>(manifest.newest_timestamp, 0);
  load(engine, std::move(manifest));
  changed.record = engine.run(now, 1);
  return changed;
}

}  // namespace trellis
