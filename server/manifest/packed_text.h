// Texts as they are in packed files: gzip, Zstandard, or a zip archive that holds one file.
//
// Guarantees: a text that is not packed is returned as it is. What it is shows from its first bytes
// alone. Cost: one pass; packed and plain text are in memory at the same time.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "framework/result.h"

namespace trellis {

// An error where packed data is broken, has more than `most_bytes` when unpacked, or is an archive
// of several files.
Result<std::string> unpack(std::string text, size_t most_bytes);

// The name without the ending of a packed file: `dump.yaml` of `dump.yaml.gz`.
std::string_view unpacked_name(std::string_view name);

}  // namespace trellis
