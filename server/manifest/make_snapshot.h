// Makes a snapshot file of an input (server/snapshot/snapshot_file.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "server/document/diagnostic.h"
#include "server/manifest/manifest.h"

namespace trellis {

struct MadeSnapshot {
  std::optional<std::string> bytes;  // none: some of the input could not be read at all
  size_t objects = 0;
  uint64_t text_bytes = 0;              // of the input
  std::vector<Diagnostic> diagnostics;  // of each object by itself
};

// `paths` and `options` as for read_manifest(), which reads the same from the file as from them.
// Cost: that of reading the input, and of packing its texts.
MadeSnapshot make_snapshot(const std::vector<std::string>& paths, const ReadOptions& options);

}  // namespace trellis
