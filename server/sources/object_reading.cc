#include "server/sources/object_reading.h"

namespace trellis {

SourceUpdate ObjectReading::read(std::span<const NamedText> texts, Vocabulary& vocabulary) {
  SourceUpdate update;
  Manifest manifest = read_manifest_texts(texts, vocabulary, {.settings = settings_});
  if (manifest.cycle) {
    manifest.diagnostics.push_back(
        {.severity = Severity::Warning,
         .found = "a saved cycle, whose time and configuration are not served",
         .expected = "the objects alone"});
  }
  update.diff = diff_objects(objects_, manifest.objects, vocabulary.strings);
  update.texts = {.texts = {texts.begin(), texts.end()}, .whole = true};
  objects_ = std::move(manifest.objects);
  diagnostics_ = std::move(manifest.diagnostics);
  read_settings_ = settings_;
  return update;
}

Objects ObjectReading::read_again(std::span<const NamedText> texts, Vocabulary& vocabulary) {
  objects_ = read_manifest_texts(texts, vocabulary, {.settings = read_settings_}).objects;
  return objects_;
}

}  // namespace trellis
