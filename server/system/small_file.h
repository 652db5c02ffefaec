// A configuration, a certificate, a credential: a file that is read whole, whatever is in its
// place.
#pragma once

#include <string>

#include "framework/result.h"

namespace trellis {

// Guarantees: ends within kSmallFilePatienceMs and reads at most kMostSmallFileBytes, of folders,
// devices and pipes, too. An error is what was found, a phrase: "a directory". An empty file is no
// error.
Result<std::string> read_small_file(const std::string& name);

inline constexpr size_t kMostSmallFileBytes = size_t{16} << 20;
inline constexpr int kSmallFilePatienceMs = 10'000;

}  // namespace trellis
