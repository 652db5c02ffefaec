// What a configuration and the command line specify for reading objects.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "framework/config.h"
#include "framework/vocabulary.h"
#include "session/cluster/objects.h"

namespace trellis {

// How NUMA zones are read. Ignored: they are dropped. Sought: the zone demands of pods are read
// even when no node has zones.
enum class Zones : uint8_t { Read, Ignored, Sought };

// Whether pods that request part of a GPU are placed, or are held because no program would prepare
// the device.
enum class GpuFractions : uint8_t { Placed, Held };

struct ReadingSettings {
  Zones zones = Zones::Read;
  std::vector<std::string> scheduler_names;  // empty: every pod is ours
  GpuFractions gpu_fractions = GpuFractions::Placed;
  // The queue time of a workload that was evicted because its pods were not ready.
  RequeueTime requeue_time = RequeueTime::Eviction;
  bool operator==(const ReadingSettings&) const = default;
};

// A configuration does not specify `gpu_fractions`.
ReadingSettings reading_settings(const Config& config);

// Applies all settings but Zones::Sought. Cost: O(objects) where a setting differs from its
// default.
void apply_settings(const ReadingSettings& settings, const StringTable& strings, Objects& objects);

}  // namespace trellis
