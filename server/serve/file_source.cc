#include "server/serve/file_source.h"

#include <utility>

#include "server/manifest/link_numa.h"

namespace trellis {

void FileSource::set_scheduler_names(std::vector<std::string> names) {
  if (names == scheduler_names_) return;
  scheduler_names_ = std::move(names);
  stale_ = true;
}

void FileSource::set_zones(Zones zones) {
  if (zones == zones_) return;
  zones_ = zones;
  stale_ = true;
}

std::optional<SourceUpdate> FileSource::poll(Vocabulary& vocabulary) {
  WatchedFiles::Change change = files_.poll();
  if (change == WatchedFiles::Change::None && !stale_) return std::nullopt;
  SourceUpdate update;
  if (change == WatchedFiles::Change::Content || stale_) update = read(vocabulary);
  stale_ = false;
  auto diagnostics = std::make_shared<std::vector<Diagnostic>>(files_.faults());
  diagnostics->insert(diagnostics->end(), of_reading_.begin(), of_reading_.end());
  update.diagnostics = std::move(diagnostics);
  return update;
}

SourceUpdate FileSource::read(Vocabulary& vocabulary) {
  SourceUpdate update;
  Manifest manifest = read_manifest_texts(files_.texts(), vocabulary, {.keep_raw = true});
  hold_others(manifest.objects, vocabulary.strings, scheduler_names_);
  if (zones_ == Zones::Ignored) forget_zones(manifest.objects);
  if (manifest.cycle) {
    manifest.diagnostics.push_back(
        {.severity = Severity::Warning,
         .found = "a saved cycle, whose time and configuration are not served",
         .expected = "the objects alone"});
  }
  update.diff = diff_objects(objects_, manifest.objects, vocabulary.strings);
  update.raw = std::make_shared<const std::vector<RawObject>>(std::move(manifest.raw));
  objects_ = std::move(manifest.objects);
  of_reading_ = std::move(manifest.diagnostics);
  return update;
}

}  // namespace trellis
