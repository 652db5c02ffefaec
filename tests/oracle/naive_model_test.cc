// Production against the naive model, over random operations.

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/oracle/driver.h"
#include "tests/support/long_run.h"
#include "tests/support/random.h"
#include "tests/support/seed_guard.h"

namespace trellis::oracle::naive_model_test {
namespace {

TEST(NaiveModel, AgreesOnSeeds) {
  uint64_t operations = 0;
  uint64_t wanted = long_run(100'000, 1'200'000);
  for (uint64_t seed = 1; operations < wanted; ++seed) {
    SeedGuard guard(seed);
    DriverResult result = drive(random_bytes(seed, 4000));
    operations += result.operations;
    ASSERT_FALSE(result.difference) << "seed " << seed << "\n" << *result.difference;
  }
}

// Short programs, and shrinking when one fails.
TEST(NaiveModel, AgreesOnGeneratedPrograms) {
  bool agrees =
      rc::check("production agrees with the naive model", [](const std::vector<uint8_t>& bytes) {
        DriverResult result = drive(bytes);
        if (result.difference) RC_FAIL(*result.difference);
      });
  EXPECT_TRUE(agrees);
}

}  // namespace
}  // namespace trellis::oracle::naive_model_test
