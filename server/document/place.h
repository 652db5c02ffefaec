// A location in the input: file, line and path.
#pragma once

#include <cstdint>
#include <string>

namespace trellis {

// Small enough to be kept for every object.
struct SourcePos {
  uint32_t file = 0;  // number of the file (Report::begin_file())
  uint32_t line = 0;
  int64_t document = 0;
  bool operator==(const SourcePos&) const = default;
};

// The location of a single value, with its JSON path.
struct Place {
  SourcePos pos;
  std::string path;
};

}  // namespace trellis
