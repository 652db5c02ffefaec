// Texts into objects, for the service.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "framework/vocabulary.h"
#include "server/manifest/manifest.h"
#include "server/manifest/shard.h"
#include "server/sources/object_source.h"

namespace trellis {

// Whether pods that ask for part of a GPU are placed, or held: no program would prepare the device.
enum class GpuFractions : uint8_t { Placed, Held };

// What a configuration and the command line say of reading.
struct ReadingSettings {
  Zones zones = Zones::Read;
  std::vector<std::string> scheduler_names;  // none: every pod is ours
  GpuFractions gpu_fractions = GpuFractions::Placed;
  bool operator==(const ReadingSettings&) const = default;
};

// `shard`: of which the objects are; none: of all of the cluster.
Manifest read_objects(std::span<const NamedText> texts, const ReadingSettings& settings,
                      ReadOptions options, const std::optional<Shard>& shard,
                      Vocabulary& vocabulary);

}  // namespace trellis
