#include "server/config/config_reader.h"

#include <gtest/gtest.h>

#include "server/config/config_printer.h"
#include "tests/server/system/temporary_folder.h"

namespace trellis::config_reader_test {
namespace {

Config good(std::string_view text) {
  ConfigReading reading = read_config_text("c.yaml", text);
  for (const Diagnostic& diagnostic : reading.diagnostics) ADD_FAILURE() << to_string(diagnostic);
  return reading.config;
}

// The only error of a text.
std::string wrong(std::string_view text) {
  ConfigReading reading = read_config_text("c.yaml", text);
  EXPECT_EQ(reading.diagnostics.size(), 1u) << text;
  return reading.diagnostics.empty() ? "" : to_string(reading.diagnostics.front());
}

TEST(ConfigReader, AnEmptyFileIsTheDefaults) {
  EXPECT_EQ(good(""), Config());
  EXPECT_EQ(good("# nothing\n"), Config());
  EXPECT_EQ(good("{}"), Config());
  EXPECT_EQ(good("plugins:\nlimits:\n"), Config());
}

TEST(ConfigReader, ReadsEveryKey) {
  Config config = good(
      "actions: [allocate, preempt]\n"
      "plugins:\n"
      "  numa: {enabled: false, weight: 2.5, arguments: {scoringStrategy: {type: MostAllocated}}}\n"
      "  topology: {}\n"
      "placementStrategy: {gpu: spread, cpu: binpack, domain: spread}\n"
      "placementProfile: kueue\n"
      "kueue: {featureGates: {TASBalancedPlacement: true}}\n"
      "queues: {fullHierarchy: false, allowConsolidatingReclaim: false, kValue: 0.5,\n"
      "  defaultPreemptMinRuntime: 1m30s, defaultReclaimMinRuntime: 500ms,\n"
      "  reclaimResolveMethod: queue, usage: usage.yaml}\n"
      "limits: {consolidationVictims: -1, searchBudget: 7, stalenessGracePeriod: -1s,\n"
      "  leavingGracePeriod: 3m,\n"
      "  reserveAfter: 1h, lookAhead: 5}\n"
      "schedulerNames: [trellis]\n"
      "period: 5s\n");
  EXPECT_EQ(config.actions, (std::vector<std::string>{"allocate", "preempt"}));
  EXPECT_FALSE(config.plugin("numa").enabled);
  EXPECT_EQ(config.plugin("numa").weight, 2.5);
  EXPECT_EQ(config.plugin("numa").arguments_json,
            "{\"scoringStrategy\":{\"type\":\"MostAllocated\"}}");
  EXPECT_EQ(config.plugin("numa").argument("scoringStrategy.type"), "MostAllocated");
  EXPECT_TRUE(config.plugin("topology").enabled);
  EXPECT_EQ(config.placement_strategy.gpu, Strategy::Spread);
  EXPECT_EQ(config.placement_strategy.cpu, Strategy::Binpack);
  EXPECT_EQ(config.placement_strategy.domain, Strategy::Spread);
  EXPECT_EQ(config.placement_profile, PlacementProfile::Kueue);
  EXPECT_TRUE(config.kueue_feature_gates.at("TASBalancedPlacement"));
  EXPECT_FALSE(config.queues.full_hierarchy);
  EXPECT_EQ(config.queues.k_value, 0.5);
  EXPECT_EQ(config.queues.default_preempt_min_runtime_us, 90 * kSecondUs);
  EXPECT_EQ(config.queues.default_reclaim_min_runtime_us, kSecondUs / 2);
  EXPECT_EQ(config.queues.reclaim_resolve_method, ReclaimResolve::Queue);
  EXPECT_EQ(config.queues.usage, "usage.yaml");
  EXPECT_EQ(config.limits.consolidation_victims, -1);
  EXPECT_EQ(config.limits.search_budget, 7);
  EXPECT_EQ(config.limits.staleness_grace_period_us, -kSecondUs);
  EXPECT_EQ(config.limits.leaving_grace_period_us, 180 * kSecondUs);
  EXPECT_EQ(config.limits.reserve_after_us, 3600 * kSecondUs);
  EXPECT_EQ(config.limits.look_ahead, 5);
  EXPECT_EQ(config.scheduler_names, std::vector<std::string>{"trellis"});
  EXPECT_EQ(config.period_us, 5 * kSecondUs);
}

TEST(ConfigReader, UnknownKeysNameTheNearestKnownOne) {
  EXPECT_EQ(wrong("period: 1s\nplacementStrategie: {}\n"),
            "c.yaml:2: $.placementStrategie: unknown key \"placementStrategie\"; "
            "did you mean \"placementStrategy\"?");
  EXPECT_EQ(wrong("plugins:\n  topologi: {}\n"),
            "c.yaml:2: $.plugins.topologi: unknown key \"topologi\"; "
            "did you mean \"topology\"?");
  EXPECT_EQ(wrong("kueue:\n  wrong: 1\n"),
            "c.yaml:2: $.kueue.wrong: found unknown key \"wrong\", expected featureGates or "
            "waitForPodsReady");
}

TEST(ConfigReader, WhatChangesNothingIsWarnedOf) {
  auto warned = [](std::string_view text) {
    ConfigReading reading = read_config_text("c.yaml", text);
    EXPECT_FALSE(reading.has_errors());
    std::string all;
    for (const Diagnostic& diagnostic : reading.diagnostics) all += to_string(diagnostic) + "\n";
    return all;
  };
  EXPECT_EQ(warned("seed: 7\n"),
            "c.yaml:1: warning: $.seed: a key without effect: no decision is drawn by lot\n");
  EXPECT_EQ(warned("kueue:\n  featureGates: {TASProfileMixed: false}\n"),
            "c.yaml:2: warning: $.kueue.featureGates.TASProfileMixed: feature gate "
            "\"TASProfileMixed\" has no effect without placementProfile: kueue\n");
  EXPECT_EQ(warned("placementProfile: kueue\nkueue:\n  featureGates:\n    TASProfileMixed: false\n"
                   "    TopologyAwareScheduling: true\n    TASBalancedPlacment: true\n"),
            "c.yaml:5: warning: $.kueue.featureGates.TopologyAwareScheduling: feature gate "
            "\"TopologyAwareScheduling\" has no effect here\n"
            "c.yaml:6: warning: $.kueue.featureGates.TASBalancedPlacment: unknown feature gate "
            "\"TASBalancedPlacment\", which has no effect; did you mean "
            "\"TASBalancedPlacement\"?\n");
}

TEST(ConfigReader, ReadsWaitForPodsReady) {
  Config config = good(
      "kueue:\n  waitForPodsReady:\n    timeout: 5m\n    recoveryTimeout: 1m\n"
      "    blockAdmission: true\n    requeuingStrategy: {timestamp: Creation,\n"
      "      backoffBaseSeconds: 5, backoffMaxSeconds: 90, backoffLimitCount: 0}\n");
  EXPECT_EQ(config.wait_for_pods_ready.timeout_us, 300 * kSecondUs);
  EXPECT_EQ(config.wait_for_pods_ready.recovery_timeout_us, 60 * kSecondUs);
  EXPECT_TRUE(config.wait_for_pods_ready.block_admission);
  EXPECT_EQ(config.requeuing.timestamp, RequeueTime::Creation);
  EXPECT_EQ(config.requeuing.backoff_base_us, 5 * kSecondUs);
  EXPECT_EQ(config.requeuing.backoff_max_us, 90 * kSecondUs);
  EXPECT_EQ(config.requeuing.backoff_limit, 0);
  EXPECT_EQ(good(print_config(config)).requeuing, config.requeuing);
}

TEST(ConfigReader, RequeuesForEverUnlessALimitIsSet) {
  Config config = good("kueue: {waitForPodsReady: {requeuingStrategy: {backoffLimitCount: null}}}");
  EXPECT_EQ(config.requeuing, RequeuingStrategy());
  EXPECT_EQ(config.requeuing.backoff_limit, -1);
  EXPECT_EQ(
      wrong("kueue: {waitForPodsReady: {requeuingStrategy: {backoffLimitCount: -1}}}"),
      "c.yaml:1: $.kueue.waitForPodsReady.requeuingStrategy.backoffLimitCount: found the number "
      "-1, expected a whole number of at least 0");
}

TEST(ConfigReader, ReadsDefragmentation) {
  EXPECT_FALSE(Config().defragmentation.enabled);
  Config config = good(
      "defragmentation: {enabled: true, window: \"22:00-06:00\", maxMovedGPUsPerHour: 64,\n"
      "  minGain: 0.25}\n");
  Defragmentation wanted{.enabled = true,
                         .window = {22 * 60, 6 * 60},
                         .max_moved_gpus_per_hour = 64,
                         .min_gain = 0.25};
  EXPECT_EQ(config.defragmentation, wanted);
  EXPECT_EQ(good(print_config(config)).defragmentation, wanted);
  EXPECT_EQ(
      wrong("defragmentation: {window: \"22:00\"}"),
      "c.yaml:1: $.defragmentation.window: found \"22:00\", expected a part of the day (UTC), "
      "such as \"22:00-06:00\" or \"Sat,Sun 22:00-06:00\"");
  const char* days = "defragmentation: {window: \"Mon,Sun 22:00-06:00\"}";
  config = good(days);
  EXPECT_EQ(config.defragmentation.window, (DailyWindow{22 * 60, 6 * 60, 0x41}));
  EXPECT_EQ(good(print_config(config)).defragmentation, config.defragmentation);
}

TEST(ConfigReader, ReadsNodeRequests) {
  EXPECT_EQ(Config().node_requests.provisioning_class, "");
  Config config = good("nodeRequests: {provisioningClass: check-capacity, after: 1m}\n");
  NodeRequests wanted{.provisioning_class = "check-capacity", .after_us = 60 * kSecondUs};
  EXPECT_EQ(config.node_requests, wanted);
  EXPECT_EQ(good(print_config(config)).node_requests, wanted);
}

TEST(ConfigReader, WrongTypesSayWhatWasExpected) {
  EXPECT_EQ(wrong("limits: {searchBudget: fast}"),
            "c.yaml:1: $.limits.searchBudget: found \"fast\", expected a whole number of at least "
            "1");
  EXPECT_EQ(wrong("plugins: {gang: {enabled: 3}}"),
            "c.yaml:1: $.plugins.gang.enabled: found the number 3, expected true or false");
  EXPECT_EQ(wrong("limits: [1]"), "c.yaml:1: $.limits: found a list, expected a map");
  EXPECT_EQ(wrong("period: 0s"),
            "c.yaml:1: $.period: found \"0s\", expected a duration above 0, such as 60s, 1m30s or "
            "500ms");
  EXPECT_EQ(wrong("limits: {searchBudget: 0}"),
            "c.yaml:1: $.limits.searchBudget: found the number 0, expected a whole number of at "
            "least 1");
  EXPECT_EQ(wrong("placementStrategy: {gpu: binpak}"),
            "c.yaml:1: $.placementStrategy.gpu: found \"binpak\", expected binpack, spread or "
            "fragmentation; did you mean \"binpack\"?");
  EXPECT_EQ(wrong("actions: [allocat]"),
            "c.yaml:1: $.actions[0]: found \"allocat\", expected the name of an action; did you "
            "mean \"allocate\"?");
  EXPECT_EQ(wrong("actions: [allocate, allocate]"),
            "c.yaml:1: $.actions[1]: found \"allocate\", expected each action once");
}

TEST(ConfigReader, ABuiltPluginRefusesArgumentsThatItDoesNotRead) {
  EXPECT_EQ(wrong("plugins:\n  gang:\n    arguments: {first: youngest}\n"),
            "c.yaml:3: $.plugins.gang.arguments.first: found unknown key \"first\", expected none");
  EXPECT_EQ(wrong("plugins: {gang: {arguments: [1]}}"),
            "c.yaml:1: $.plugins.gang.arguments: found a list, expected a map");
}

TEST(ConfigReader, EveryErrorIsReportedAndTheRestHolds) {
  ConfigReading reading =
      read_config_text("c.yaml", "schedulerNames: [a]\nperiod: soon\nkueue: 1\nactoins: []\n");
  ASSERT_EQ(reading.diagnostics.size(), 3u);
  EXPECT_EQ(reading.diagnostics[0].line, 2);
  EXPECT_EQ(reading.diagnostics[1].line, 3);
  EXPECT_EQ(reading.diagnostics[2].nearest, "actions");
  EXPECT_EQ(reading.config.scheduler_names, std::vector<std::string>{"a"});
  EXPECT_EQ(reading.config.period_us, kSecondUs);
}

TEST(ConfigReader, NotAMapNotYamlNotOneDocument) {
  EXPECT_FALSE(wrong("- a\n- b\n").empty());
  EXPECT_FALSE(read_config_text("c.yaml", "a: [").diagnostics.empty());
  EXPECT_FALSE(wrong("period: 1s\n---\nperiod: 2s\n").empty());
}

TEST(ConfigReader, AFileThatIsNotThere) {
  ConfigReading reading = read_config("/nonexistent/trellis.yaml");
  ASSERT_EQ(reading.diagnostics.size(), 1u);
  EXPECT_EQ(to_string(reading.diagnostics[0]),
            "/nonexistent/trellis.yaml: found no such file or directory, expected a configuration "
            "file");
}

TEST(ConfigReader, ADirectory) {
  ConfigReading reading = read_config("/tmp");
  ASSERT_EQ(reading.diagnostics.size(), 1u);
  EXPECT_EQ(to_string(reading.diagnostics[0]),
            "/tmp: found a directory, expected a configuration file");
}

TEST(ConfigReader, WhatIsNoFileOfPastUsageIsAnErrorWithItsName) {
  test::TemporaryFolder folder;
  for (const char* usage : {".", "/dev/zero", "absent"}) {
    folder.write("c.yaml", std::string("queues: {usage: ") + usage + "}\n");
    ConfigReading reading = read_config(folder.file("c.yaml"));
    ASSERT_EQ(reading.diagnostics.size(), 1U) << usage;
    EXPECT_EQ(reading.diagnostics[0].expected, "a file of past usage (queues.usage)");
  }
  EXPECT_EQ(to_string(read_config("/dev/zero").diagnostics.at(0)),
            "/dev/zero: found more than 16 MiB, expected a configuration file");
}

TEST(ConfigReader, NestedArgumentsAreFoundByTheirPaths) {
  PluginConfig numa =
      good(
          "plugins: {numa: {arguments: {discardReservedNodes: true, scoringStrategy:\n"
          "  {type: LeastNUMANodes, resources: [{name: cpu, weight: 3}, {name: memory}]}}}}\n")
          .plugin("numa");
  EXPECT_EQ(numa.argument("discardReservedNodes"), "true");
  EXPECT_EQ(numa.argument("scoringStrategy.type"), "LeastNUMANodes");
  EXPECT_EQ(numa.argument("scoringStrategy.resources[0].name"), "cpu");
  EXPECT_EQ(numa.argument("scoringStrategy.resources[0].weight"), "3");
  EXPECT_EQ(numa.argument("scoringStrategy.resources[1].name"), "memory");
  EXPECT_EQ(numa.argument("scoringStrategy.resources[1].weight"), "");
}

TEST(ConfigReader, NestedArgumentsAreChecked) {
  auto numa = [](const std::string& arguments) {
    return wrong("plugins: {numa: {arguments: {" + arguments + "}}}");
  };
  const std::string at = "c.yaml:1: $.plugins.numa.arguments.";
  EXPECT_EQ(numa("scoringStrategy: {kind: MostAllocated}"),
            at + "scoringStrategy.kind: found unknown key \"kind\", expected resources or type");
  EXPECT_EQ(numa("scoringStrategy: {type: Most}"),
            at + "scoringStrategy.type: found \"Most\", expected LeastAllocated, MostAllocated, "
                 "BalancedAllocation or LeastNUMANodes");
  EXPECT_EQ(numa("scoringStrategy: [1]"), at + "scoringStrategy: found a list, expected a map");
  EXPECT_EQ(numa("scoringStrategy: {resources: {name: cpu}}"),
            at + "scoringStrategy.resources: found an object, expected a list of maps");
  EXPECT_EQ(numa("scoringStrategy: {resources: [{name: cpu, weight: -1}]}"),
            at + "scoringStrategy.resources[0].weight: found the number -1, expected a whole "
                 "number that is not "
                 "negative");
  EXPECT_EQ(numa("discardReservedNodes: 1"),
            at + "discardReservedNodes: found the number 1, expected true or false");
}

TEST(ConfigPrinter, WhatIsPrintedReadsBackAsTheSame) {
  EXPECT_EQ(good(print_config(Config())).actions, Config().actions);
  Config config = good(
      "plugins: {numa: {weight: 3, arguments: {scoringStrategy: {resources: [{name: \"b: c\"}]}}}, "
      "gang: {enabled: "
      "false}}\n"
      "queues: {usage: \"a: b #c\", kValue: 0.25}\n"
      "placementProfile: kueue\n"
      "kueue: {featureGates: {TASProfileMixed: false, TASBalancedPlacement: true}}\n"
      "schedulerNames: [\"true\", trellis]\nperiod: 1500ms\nactions: []\n");
  Config again = good(print_config(config));
  EXPECT_EQ(print_config(again), print_config(config));
  EXPECT_EQ(again.plugin("numa"), config.plugin("numa"));
  EXPECT_EQ(again.plugin("gang"), config.plugin("gang"));
  EXPECT_EQ(again.queues, config.queues);
  EXPECT_EQ(again.kueue_feature_gates, config.kueue_feature_gates);
  EXPECT_EQ(again.scheduler_names, config.scheduler_names);
  EXPECT_EQ(again.period_us, config.period_us);
  EXPECT_EQ(again.actions, config.actions);
}

}  // namespace
}  // namespace trellis::config_reader_test
