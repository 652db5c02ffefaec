// YAML, from bytes to records.

#include <cstddef>
#include <cstdint>

#include "tests/fuzz/reading.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  trellis::fuzz::check_reading("in.yaml", {reinterpret_cast<const char*>(data), size});
  return 0;
}
