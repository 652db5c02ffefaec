#include "server/objects/pod_mix_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/manifest/manifest.h"
#include "tests/support/random.h"

namespace trellis::pod_mix_text_test {
namespace {

// The Cycle of a text with this mix.
Manifest read(const std::string& mix) {
  std::string text =
      R"({"apiVersion":"trellis.scheduler/v1alpha1","kind":"Cycle","now":"2026-01-01T12:00:00Z",)"
      R"("config":{},"podMix":)" +
      mix + "}\n";
  Vocabulary vocabulary;
  return read_manifest_text("in.jsonl", text, vocabulary);
}

PodShape some_shape(Random& random) {
  PodShape shape;
  shape.cpu_milli = random.between(0, 1'000'000);
  shape.memory_bytes = random.between(0, int64_t{1} << 45);
  shape.devices = static_cast<int32_t>(random.between(0, 16));
  if (shape.devices == 0) return shape;
  if (random.chance(50)) shape.portion = static_cast<int32_t>(random.between(1, 1000));
  if (random.chance(50)) shape.models = GpuModels{1} << random.below(64) | 1;
  return shape;
}

double some_number(Random& random) {
  return static_cast<double>(random.between(0, 1'000'000'007)) /
         static_cast<double>(random.between(1, 1'000'003));
}

LearnedMix some_mix(Random& random) {
  LearnedMix mix;
  mix.models = {"A100", "", "a \"quoted\" name"};
  for (size_t i = random.below(5); i > 0; --i) {
    mix.arrived.push_back({some_shape(random), some_number(random), random.between(0, 3)});
    mix.typical.push_back(
        {some_shape(random), some_number(random), some_number(random), random.chance(50)});
  }
  mix.pods = random.between(0, 1'000'000);
  mix.next_typical = int64_t{1} << 50;
  mix.next_weights = random.between(0, 1'000'000);
  return mix;
}

TEST(PodMixText, IsReadAsItWasWritten) {
  Random random(1);
  for (int round = 0; round < 200; ++round) {
    LearnedMix mix = some_mix(random);
    Manifest manifest = read(pod_mix_text(mix));
    EXPECT_THAT(manifest.diagnostics, testing::IsEmpty());
    ASSERT_TRUE(manifest.cycle && manifest.cycle->learned);
    ASSERT_EQ(*manifest.cycle->learned, mix) << pod_mix_text(mix);
  }
}

TEST(PodMixText, RowsThatAreWrongAreReportedAndLeftOut) {
  Manifest manifest = read(R"({"models":["A100"],"arrived":[{"gpus":-1,"pods":1},)"
                           R"({"gpus":1,"models":[64],"pods":1},{"gpus":1,"pods":-2},)"
                           R"({"gpus":2,"pods":3}],"typical":[{"gpus":1,"part":"much"}]})");
  EXPECT_THAT(manifest.diagnostics, testing::SizeIs(4));
  ASSERT_TRUE(manifest.cycle && manifest.cycle->learned);
  EXPECT_EQ(manifest.cycle->learned->arrived, (std::vector<ArrivedPods>{{{.devices = 2}, 3.0}}));
  EXPECT_THAT(manifest.cycle->learned->typical, testing::IsEmpty());
}

}  // namespace
}  // namespace trellis::pod_mix_text_test
