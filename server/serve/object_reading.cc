#include "server/serve/object_reading.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "server/manifest/link_numa.h"

namespace trellis {

void ObjectReading::set_scheduler_names(std::vector<std::string> names) {
  if (names == scheduler_names_) return;
  scheduler_names_ = std::move(names);
  stale_ = true;
}

void ObjectReading::set_zones(Zones zones) {
  if (zones == zones_) return;
  zones_ = zones;
  stale_ = true;
}

void ObjectReading::forget(Forgotten forgotten) {
  std::ranges::move(forgotten.pods, std::back_inserter(forgotten_.pods));
  std::ranges::move(forgotten.workloads, std::back_inserter(forgotten_.workloads));
  forgotten_.everything = forgotten_.everything || forgotten.everything;
}

SourceUpdate ObjectReading::read(std::span<const NamedText> texts, Vocabulary& vocabulary) {
  SourceUpdate update;
  Manifest manifest = read_manifest_texts(texts, vocabulary, options_);
  hold_others(manifest.objects, vocabulary.strings, scheduler_names_);
  if (zones_ == Zones::Ignored) forget_zones(manifest.objects);
  if (manifest.cycle) {
    manifest.diagnostics.push_back(
        {.severity = Severity::Warning,
         .found = "a saved cycle, whose time and configuration are not served",
         .expected = "the objects alone"});
  }
  update.diff = diff_objects(objects_, manifest.objects, vocabulary.strings);
  trellis::forget(update.diff, manifest.objects, std::exchange(forgotten_, {}), vocabulary.strings);
  update.raw = std::make_shared<const std::vector<RawObject>>(std::move(manifest.raw));
  objects_ = std::move(manifest.objects);
  diagnostics_ = std::move(manifest.diagnostics);
  stale_ = false;
  return update;
}

}  // namespace trellis
