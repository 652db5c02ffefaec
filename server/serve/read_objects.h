// Texts into objects, as the service wants them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "framework/vocabulary.h"
#include "server/manifest/manifest.h"
#include "server/serve/object_source.h"

namespace trellis {

// What a configuration says of reading.
struct ReadingSettings {
  Zones zones = Zones::Read;
  std::vector<std::string> scheduler_names;  // none: every pod is ours
  bool operator==(const ReadingSettings&) const = default;
};

Manifest read_objects(std::span<const NamedText> texts, const ReadingSettings& settings,
                      const ReadOptions& options, Vocabulary& vocabulary);

}  // namespace trellis
