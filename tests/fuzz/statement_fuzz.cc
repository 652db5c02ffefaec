// Statements on a snapshot: any bytes are operations that production and the naive model must agree
// on.

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "tests/oracle/driver.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto result = trellis::oracle::drive({data, size});
  if (result.difference) {
    std::fprintf(stderr, "%s", result.difference->c_str());
    std::abort();
  }
  return 0;
}
