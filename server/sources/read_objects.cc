#include "server/sources/read_objects.h"

#include "server/manifest/link_numa.h"

namespace trellis {
namespace {

bool may_have_zones_elsewhere(const ReadOptions& options, const ReadingSettings& settings) {
  return options.zones_elsewhere || settings.zones == Zones::Sought;
}

Manifest apply(const ReadingSettings& settings, const StringTable& strings, Manifest manifest) {
  hold_others(manifest.objects, strings, settings.scheduler_names);
  if (settings.gpu_fractions == GpuFractions::Held) hold_gpu_fractions(manifest.objects);
  if (settings.zones == Zones::Ignored) forget_zones(manifest.objects);
  return manifest;
}

}  // namespace

Manifest read_objects(std::span<const NamedText> texts, const ReadingSettings& settings,
                      ReadOptions options, const std::optional<Shard>& shard,
                      Vocabulary& vocabulary) {
  options.zones_elsewhere = may_have_zones_elsewhere(options, settings);
  return apply(settings, vocabulary.strings,
               shard ? read_shard_texts(texts, vocabulary, options, *shard)
                     : read_manifest_texts(texts, vocabulary, options));
}

Manifest read_objects(std::span<const TextPart> parts, const ReadingSettings& settings,
                      ReadOptions options, const std::optional<Shard>& shard,
                      Vocabulary& vocabulary) {
  options.zones_elsewhere = may_have_zones_elsewhere(options, settings);
  return apply(settings, vocabulary.strings, read_parts(parts, vocabulary, options, shard));
}

}  // namespace trellis
