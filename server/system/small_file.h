// Reads a small file as a whole (a configuration, a certificate, a credential), whatever its name
// refers to.
#pragma once

#include <string>

#include "framework/result.h"

namespace trellis {

// Guarantees: ends within kSmallFilePatienceMs and reads at most kMostSmallFileBytes, also for
// folders, devices and pipes. An error is a phrase for what was found: "a directory". An empty file
// is no error.
Result<std::string> read_small_file(const std::string& name);

inline constexpr size_t kMostSmallFileBytes = size_t{16} << 20;
inline constexpr int kSmallFilePatienceMs = 10'000;

}  // namespace trellis
