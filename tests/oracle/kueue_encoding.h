// Kueue's compact encoding of a topology assignment, slow and clear: maps of prefixes, and the text
// measured by writing it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace trellis::oracle {

struct EncodedDomain {
  std::vector<std::string> path;
  int32_t count = 0;
};

std::string kueue_encoding(const std::vector<std::string>& levels,
                           const std::vector<EncodedDomain>& domains);

}  // namespace trellis::oracle
