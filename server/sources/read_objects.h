// Reads texts into objects, for the service.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "framework/vocabulary.h"
#include "server/manifest/manifest.h"
#include "server/manifest/shard.h"
#include "server/manifest/text_decoder.h"
#include "server/sources/object_source.h"

namespace trellis {

// Whether pods that request part of a GPU are placed, or are held because no program would prepare
// the device.
enum class GpuFractions : uint8_t { Placed, Held };

// The settings of a configuration and of the command line for reading.
struct ReadingSettings {
  Zones zones = Zones::Read;
  std::vector<std::string> scheduler_names;  // empty: every pod is ours
  GpuFractions gpu_fractions = GpuFractions::Placed;
  bool operator==(const ReadingSettings&) const = default;
};

// `shard`: the shard whose objects are read; none: the whole cluster.
Manifest read_objects(std::span<const NamedText> texts, const ReadingSettings& settings,
                      ReadOptions options, const std::optional<Shard>& shard,
                      Vocabulary& vocabulary);
// The same, of texts that are decoded already.
Manifest read_objects(std::span<const TextPart> parts, const ReadingSettings& settings,
                      ReadOptions options, const std::optional<Shard>& shard,
                      Vocabulary& vocabulary);

}  // namespace trellis
