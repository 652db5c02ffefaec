#include "tests/support/gzip_lines.h"

#include <zlib.h>

namespace trellis {

std::vector<std::string> read_gzip_lines(const std::string& path) {
  std::vector<std::string> lines;
  gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr) return lines;
  std::string line;
  std::string buffer(1 << 16, '\0');
  while (true) {
    int size = gzread(file, buffer.data(), static_cast<unsigned>(buffer.size()));
    if (size <= 0) break;
    for (int i = 0; i < size; ++i) {
      if (buffer[static_cast<size_t>(i)] != '\n') {
        line.push_back(buffer[static_cast<size_t>(i)]);
        continue;
      }
      lines.push_back(std::move(line));
      line.clear();
    }
  }
  gzclose(file);
  if (!line.empty()) lines.push_back(std::move(line));
  return lines;
}

}  // namespace trellis
