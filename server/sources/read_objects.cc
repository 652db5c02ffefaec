#include "server/sources/read_objects.h"

#include "server/manifest/link_numa.h"

namespace trellis {

Manifest read_objects(std::span<const NamedText> texts, const ReadingSettings& settings,
                      ReadOptions options, const std::optional<Shard>& shard,
                      Vocabulary& vocabulary) {
  options.zones_elsewhere = options.zones_elsewhere || settings.zones == Zones::Sought;
  Manifest manifest = shard ? read_shard_texts(texts, vocabulary, options, *shard)
                            : read_manifest_texts(texts, vocabulary, options);
  hold_others(manifest.objects, vocabulary.strings, settings.scheduler_names);
  if (settings.gpu_fractions == GpuFractions::Held) hold_gpu_fractions(manifest.objects);
  if (settings.zones == Zones::Ignored) forget_zones(manifest.objects);
  return manifest;
}

}  // namespace trellis
