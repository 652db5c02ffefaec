// The lines of a file that gzip has packed.
#pragma once

#include <string>
#include <vector>

namespace trellis {

std::vector<std::string> read_gzip_lines(const std::string& path);

}  // namespace trellis
