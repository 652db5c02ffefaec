#include "server/config/config_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/config/config_printer.h"
#include "server/config/config_reader.h"

namespace trellis::config_json_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Config unusual() {
  ConfigReading reading = read_config_text(
      "c.yaml",
      "actions: [allocate]\n"
      "plugins: {numa: {weight: 3, arguments: {scoringStrategy: {resources: [{name: \"b: c\"}]}}}, "
      "gang: {enabled: "
      "false}, nodeplacement: {weight: 0.1}}\n"
      "placementStrategy: {gpu: spread}\n"
      "placementProfile: kueue\n"
      "kueue: {featureGates: {TASProfileMixed: false, TASBalancedPlacement: true}}\n"
      "queues: {usage: \"a: b #c\", kValue: 0.3, reclaimResolveMethod: queue}\n"
      "limits: {consolidationVictims: -1, stalenessGracePeriod: -1s, reserveAfter: 1h,\n"
      "  lookAhead: 0}\n"
      "schedulerNames: [\"true\", trellis]\nperiod: 1500ms\n");
  EXPECT_THAT(reading.diagnostics, IsEmpty());
  return reading.config;
}

TEST(ConfigJson, ReadsBackAsTheSame) {
  for (const Config& config : {Config(), unusual()}) {
    ConfigReading again = read_config_text("c.yaml", config_json(config));
    EXPECT_THAT(again.diagnostics, IsEmpty());
    EXPECT_EQ(print_config(again.config), print_config(config));
    EXPECT_EQ(config_json(again.config), config_json(config));
  }
}

TEST(ConfigJson, Differences) {
  EXPECT_THAT(config_differences(Config()), IsEmpty());
  EXPECT_THAT(
      config_differences(unusual()),
      ElementsAre(R"(actions: ["allocate"])", R"(plugins.gang: {"enabled":false,"weight":1.0})",
                  R"(plugins.nodeplacement: {"enabled":true,"weight":0.1})",
                  R"(plugins.numa: {"enabled":true,"weight":3.0,)"
                  R"("arguments":{"scoringStrategy":{"resources":[{"name":"b: c"}]}}})",
                  R"(placementStrategy.gpu: "spread")", R"(placementProfile: "kueue")",
                  R"(kueue.featureGates: {"TASBalancedPlacement":true,"TASProfileMixed":false})",
                  "queues.kValue: 0.3", R"(queues.reclaimResolveMethod: "queue")",
                  R"(queues.usage: "a: b #c")", "limits.consolidationVictims: -1",
                  R"(limits.stalenessGracePeriod: "-1s")", R"(limits.reserveAfter: "1h")",
                  "limits.lookAhead: 0", R"(schedulerNames: ["true","trellis"])",
                  R"(period: "1s500ms")"));
}

}  // namespace
}  // namespace trellis::config_json_test
