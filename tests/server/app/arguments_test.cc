#include "server/app/arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trellis::arguments_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

template <class Kind>
Kind good(const std::vector<std::string>& words) {
  Arguments arguments = parse_arguments(words);
  EXPECT_EQ(arguments.error, "");
  if (!arguments.command || !std::holds_alternative<Kind>(*arguments.command)) {
    ADD_FAILURE() << "another command";
    return {};
  }
  return std::get<Kind>(*arguments.command);
}

// The first line of what is wrong; the second says where help is.
std::string wrong(const std::vector<std::string>& words) {
  Arguments arguments = parse_arguments(words);
  EXPECT_FALSE(arguments.command.has_value());
  EXPECT_NE(arguments.error.find("\nSee 'trellis"), std::string::npos) << arguments.error;
  return arguments.error.substr(0, arguments.error.find('\n'));
}

TEST(ParseArguments, Schedule) {
  auto schedule = good<ScheduleArguments>(
      {"schedule", "-f", "a.yaml", "--filename=b", "-f", "-", "--config", "c.yaml", "--actions",
       "allocate,preempt", "--cycles", "3", "--now", "2026-01-01T12:00:00Z", "--save", "s.jsonl",
       "--fail-unscheduled", "-o", "json"});
  EXPECT_EQ(schedule.input.files, (std::vector<std::string>{"a.yaml", "b", "-"}));
  EXPECT_EQ(schedule.input.config_file, "c.yaml");
  EXPECT_EQ(schedule.cycle.actions, (std::vector<std::string>{"allocate", "preempt"}));
  EXPECT_EQ(schedule.cycle.cycles, 3);
  EXPECT_EQ(schedule.cycle.now, 1'767'268'800 * kSecondUs);
  EXPECT_EQ(schedule.save_file, "s.jsonl");
  EXPECT_TRUE(schedule.fail_unscheduled);
  EXPECT_EQ(schedule.output, OutputFormat::JsonText);
}

TEST(ParseArguments, Defaults) {
  auto schedule = good<ScheduleArguments>({"schedule", "-f", "a"});
  EXPECT_FALSE(schedule.cycle.actions.has_value());
  EXPECT_EQ(schedule.cycle.cycles, 1);
  EXPECT_FALSE(schedule.cycle.now.has_value());
  EXPECT_EQ(schedule.output, OutputFormat::Table);
  EXPECT_FALSE(schedule.fail_unscheduled);
  EXPECT_EQ(good<TopologyArguments>({"topology", "-f", "a"}).output, OutputFormat::Tree);
  EXPECT_EQ(good<TopologyArguments>({"topology", "hall", "-f", "a"}).name, "hall");
  EXPECT_EQ(good<ValidateArguments>({"validate", "-f", "a"}).input.files,
            std::vector<std::string>{"a"});
  EXPECT_EQ(good<ConfigPrintArguments>({"config", "print"}).config_file, "");
  EXPECT_EQ(good<ConfigPrintArguments>({"config", "print", "--config", "x"}).config_file, "x");
  good<VersionArguments>({"version"});
  good<VersionArguments>({"--version"});
}

TEST(ParseArguments, NoActionsAreActionsToo) {
  auto schedule = good<ScheduleArguments>({"schedule", "-f", "a", "--actions", ""});
  ASSERT_TRUE(schedule.cycle.actions.has_value());
  EXPECT_TRUE(schedule.cycle.actions->empty());
}

TEST(ParseArguments, Explain) {
  auto explain = good<ExplainArguments>({"explain", "pod/default/p-0", "-f", "a", "-o", "json"});
  EXPECT_EQ(explain.question.kind, ExplainQuestion::Kind::Pod);
  EXPECT_EQ(explain.question.name_space, "default");
  EXPECT_EQ(explain.question.name, "p-0");
  EXPECT_EQ(explain.output, OutputFormat::JsonText);
  explain = good<ExplainArguments>({"explain", "-f", "a", "gang/ns/job.train"});
  EXPECT_EQ(explain.question.kind, ExplainQuestion::Kind::Gang);
  EXPECT_EQ(explain.question.name, "job.train");
  explain = good<ExplainArguments>({"explain", "workload/ns/train", "-f", "a"});
  EXPECT_EQ(explain.question.kind, ExplainQuestion::Kind::Workload);
  EXPECT_EQ(explain.question.name_space, "ns");
  EXPECT_EQ(explain.question.name, "train");
  explain = good<ExplainArguments>({"explain", "node/n1", "-f", "a"});
  EXPECT_EQ(explain.question.kind, ExplainQuestion::Kind::Node);
  EXPECT_EQ(explain.question.name, "n1");
  explain = good<ExplainArguments>({"explain", "domain/t/b1/r3", "-f", "a"});
  EXPECT_EQ(explain.question.kind, ExplainQuestion::Kind::Domain);
  EXPECT_EQ(explain.question.name, "t");
  EXPECT_THAT(explain.question.path, ElementsAre("b1", "r3"));
  EXPECT_THAT(good<ExplainArguments>({"explain", "domain/t", "-f", "a"}).question.path, IsEmpty());
}

TEST(ParseArguments, ExplainTakesOwnersAndPartsOfNames) {
  auto explain = good<ExplainArguments>({"explain", "gang/train", "-f", "a"});
  EXPECT_EQ(explain.question.name_space, "");
  EXPECT_EQ(explain.question.name, "train");
  EXPECT_EQ(explain.owner, "");
  explain = good<ExplainArguments>({"explain", "Deploy/ns/web", "-f", "a"});
  EXPECT_EQ(explain.question.kind, ExplainQuestion::Kind::Gang);
  EXPECT_EQ(explain.question.name_space, "ns");
  EXPECT_EQ(explain.owner, "deployment");
  EXPECT_EQ(good<ExplainArguments>({"explain", "cq/q", "-f", "a"}).question.kind,
            ExplainQuestion::Kind::Queue);
}

TEST(ParseArguments, Serve) {
  auto serve = good<ServeArguments>({"serve", "-f", "a"});
  EXPECT_EQ(serve.listen, (ListenAddress{"127.0.0.1", 8080}));
  EXPECT_FALSE(serve.health_listen.has_value());
  EXPECT_FALSE(serve.metrics_listen.has_value());
  EXPECT_EQ(serve.log_format, LogFormat::Text);
  EXPECT_EQ(serve.log_level, LogLevel::Info);
  serve = good<ServeArguments>({"serve", "-f", "a", "--listen", "[::1]:0", "--health-listen",
                                "0.0.0.0:81", "--metrics-listen", ":82", "--log-format", "json",
                                "--log-level", "warn"});
  EXPECT_EQ(serve.listen, (ListenAddress{"::1", 0}));
  EXPECT_EQ(serve.health_listen, (ListenAddress{"0.0.0.0", 81}));
  EXPECT_EQ(serve.metrics_listen, (ListenAddress{"127.0.0.1", 82}));
  EXPECT_EQ(serve.log_format, LogFormat::JsonLines);
  EXPECT_EQ(serve.log_level, LogLevel::Warn);
}

TEST(ParseArguments, Whatif) {
  auto whatif = good<WhatifArguments>({"whatif", "-f", "a", "--add", "b", "--add", "-", "--cordon",
                                       "n1", "--cordon", "hall/b1", "--remove", "gang/ns/train",
                                       "--cycles", "2", "-o", "json"});
  EXPECT_THAT(whatif.input.files, ElementsAre("a"));
  EXPECT_THAT(whatif.added, ElementsAre("b", "-"));
  EXPECT_THAT(whatif.change.cordoned, ElementsAre("n1", "hall/b1"));
  EXPECT_THAT(whatif.change.removed, ElementsAre("gang/ns/train"));
  EXPECT_FALSE(whatif.change.added.has_value());
  EXPECT_EQ(whatif.cycle.cycles, 2);
  EXPECT_EQ(whatif.output, OutputFormat::JsonText);
}

TEST(ParseArguments, WhatifWithMoreNodes) {
  auto whatif = good<WhatifArguments>({"whatif", "a", "--drain", "n1", "--add-nodes", "2", "--like",
                                       "n1", "--in", "hall/b1", "--only-allocate", "--wide"});
  EXPECT_THAT(whatif.change.drained, ElementsAre("n1"));
  ASSERT_TRUE(whatif.change.added.has_value());
  EXPECT_EQ(whatif.change.added->count, 2);
  EXPECT_EQ(whatif.change.added->like, "n1");
  EXPECT_EQ(whatif.change.added->domain, "hall/b1");
  EXPECT_TRUE(whatif.cycle.only_allocate);
  EXPECT_EQ(whatif.width, TableWidth::Whole);
}

TEST(ParseArguments, FitTakesGangsBeforeTheCluster) {
  auto fit = good<FitArguments>({"fit", "g", "h", "-f", "a", "--only-allocate"});
  EXPECT_THAT(fit.added, ElementsAre("g", "h"));
  EXPECT_THAT(fit.input.files, ElementsAre("a"));
  EXPECT_TRUE(fit.cycle.only_allocate);
  EXPECT_EQ(fit.output, OutputFormat::Text);
  EXPECT_EQ(wrong({"fit", "-f", "a"}), "GANG is required");
}

TEST(ParseArguments, RowsOfATable) {
  auto schedule =
      good<ScheduleArguments>({"schedule", "a", "-n", "ns", "--queue", "q", "--status", "Running",
                               "--pending", "--sort", "age", "--limit", "3", "--all", "-o", "csv"});
  EXPECT_EQ(schedule.rows.name_space, "ns");
  EXPECT_EQ(schedule.rows.queue, "q");
  EXPECT_EQ(schedule.rows.status, "running");
  EXPECT_TRUE(schedule.rows.pending);
  EXPECT_TRUE(schedule.rows.all);
  EXPECT_EQ(schedule.rows.order, RowOrder::Age);
  EXPECT_EQ(schedule.rows.limit, 3u);
  EXPECT_EQ(schedule.output, OutputFormat::Csv);
  EXPECT_EQ(schedule.width, TableWidth::Fit);
  EXPECT_EQ(wrong({"schedule", "a", "--sort", "aeg"}),
            "--sort: unknown order \"aeg\": did you mean \"age\"?");
  auto topology = good<TopologyArguments>(
      {"topology", "-f", "a", "--level", "rack", "--depth", "2", "--sort", "free"});
  EXPECT_EQ(topology.view.level, "rack");
  EXPECT_EQ(topology.view.depth, 2);
  EXPECT_EQ(topology.view.order, DomainOrder::Free);
}

TEST(ParseArguments, WhatifWithoutAChange) {
  EXPECT_EQ(wrong({"whatif", "-f", "a"}),
            "whatif changes nothing: give --add, --cordon, --drain, --remove or --add-nodes");
  EXPECT_EQ(wrong({"whatif", "-f", "a", "--drain", "/b1"}),
            "--drain takes NODE or TOPOLOGY/PATH, not /b1");
  EXPECT_EQ(wrong({"whatif", "-f", "a", "--add-nodes", "2"}), "--add-nodes needs --like NODE");
  EXPECT_EQ(wrong({"whatif", "-f", "a", "--like", "n1"}),
            "--like and --in say more of --add-nodes: expected --add-nodes N");
  EXPECT_EQ(wrong({"whatif", "-f", "a", "--add-nodes", "2", "--like", "n1", "--in", "hall"}),
            "--in takes TOPOLOGY/PATH, not hall");
  EXPECT_EQ(wrong({"whatif", "-f", "a", "--add-nodes", "0", "--like", "n1"}),
            "--add-nodes: 0 is no number of nodes: expected 1 or more");
  EXPECT_EQ(wrong({"whatif", "-f", "a", "--remove", "ns/train"}),
            "--remove takes gang/NAMESPACE/NAME, workload/NAMESPACE/NAME or the owner of pods, "
            "such as job/NAMESPACE/NAME, not ns/train");
  EXPECT_EQ(wrong({"whatif", "-f", "a", "--cordon", "hall/"}),
            "--cordon takes NODE or TOPOLOGY/PATH, not hall/");
}

TEST(ParseArguments, HelpOfACommand) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"help", "explain"}, {"explain", "--help"}, {"explain", "-h"}}) {
    Arguments arguments = parse_arguments(words);
    EXPECT_EQ(arguments.error, "");
    EXPECT_FALSE(arguments.command.has_value());
    EXPECT_NE(arguments.help.find("trellis explain gang/default/train"), std::string::npos);
  }
  EXPECT_NE(parse_arguments({"help"}).help.find("Exit codes"), std::string::npos);
}

TEST(ParseArguments, EveryCommandsHelpHasEveryOption) {
  std::string help = parse_arguments({"schedule", "--help"}).help;
  for (const char* option :
       {"--filename", "--config", "--actions", "--cycles", "--now", "--save", "--fail-unscheduled",
        "--output", "table|wide|json|yaml|tree|name|csv"}) {
    EXPECT_NE(help.find(option), std::string::npos) << option;
  }
  help = parse_arguments({"whatif", "--help"}).help;
  for (const char* option : {"--filename", "--add", "--cordon", "--remove", "--config", "--actions",
                             "--cycles", "--now", "--output", "table|json|yaml"}) {
    EXPECT_NE(help.find(option), std::string::npos) << option;
  }
}

TEST(ParseArguments, UnknownWordsNameTheNearest) {
  EXPECT_EQ(wrong({"shedule"}), "unknown command \"shedule\": did you mean \"schedule\"?");
  EXPECT_EQ(
      wrong({"xyz"}),
      "unknown command \"xyz\": expected schedule, topology, report, queues, explain, fit, "
      "whatif, defrag, plan, simulate, serve, validate, snapshot, config, completion, man, version "
      "or help");
  EXPECT_EQ(wrong({"schedule", "-f", "a", "--cyles=3"}),
            "unknown option \"--cyles\": did you mean \"--cycles\"?");
  EXPECT_EQ(wrong({"schedule", "-f", "a", "-o", "tabel"}),
            "unknown format \"tabel\": did you mean \"table\"?");
  EXPECT_EQ(wrong({"schedule", "-f", "a", "--actions", "allocate,premept"}),
            "--actions: unknown action \"premept\": did you mean \"preempt\"?");
  EXPECT_EQ(wrong({"config", "prnt"}), "unknown word \"prnt\": did you mean \"print\"?");
}

TEST(ParseArguments, WhatIsMissingOrTooMuch) {
  EXPECT_EQ(wrong({"-f", "a.yaml"}),
            "no command stands before -f: expected one first, such as: trellis schedule -f a.yaml");
  EXPECT_EQ(wrong({"schedule"}), "no input was named: expected FILE, -f FILE or --kubeconfig FILE");
  EXPECT_EQ(wrong({"serve", "a.yaml"}), "unexpected word \"a.yaml\": name each input with -f");
  EXPECT_EQ(wrong({"serve", "-f", "a.yaml", "b.yaml"}),
            "unexpected word \"b.yaml\": give -f before each input");
  EXPECT_EQ(wrong({"config"}), "expected: trellis config print");
  EXPECT_EQ(wrong({"schedule", "-f", "a", "--actions", "allocate,allocate"}),
            "--actions: allocate stands there twice");
}

TEST(ParseArguments, EveryInputIsFilesOrALiveCluster) {
  auto schedule = good<ScheduleArguments>({"schedule", "--kubeconfig", "c", "--context", "x"});
  EXPECT_THAT(schedule.input.kubeconfigs, ElementsAre("c"));
  EXPECT_EQ(schedule.input.context, "x");
  EXPECT_THAT(good<ValidateArguments>({"validate", "--kubeconfig", "c"}).input.kubeconfigs,
              ElementsAre("c"));
  EXPECT_EQ(wrong({"queues", "-f", "a", "--kubeconfig", "c"}),
            "-f and --kubeconfig: expected one of them");
  EXPECT_EQ(wrong({"queues", "-f", "a", "--context", "x"}), "--context needs --kubeconfig");
}

TEST(ParseArguments, AnInputNeedsNoOption) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(good<ScheduleArguments>({"schedule", "a", "b"}).input.files, (Names{"a", "b"}));
  EXPECT_EQ(good<ScheduleArguments>({"schedule", "a", "-f", "b", "-o", "json"}).input.files,
            (Names{"b", "a"}));
  EXPECT_EQ(good<ExplainArguments>({"explain", "pod/a/b", "-"}).input.files, Names{"-"});
  EXPECT_EQ(wrong({"queues", "a", "--kubeconfig", "c"}),
            "-f and --kubeconfig: expected one of them");
}

TEST(ParseArguments, ATopologyIsNamedBeforeItsInput) {
  auto both = good<TopologyArguments>({"topology", "hall", "a"});
  EXPECT_EQ(both.name, "hall");
  EXPECT_EQ(both.input.files, std::vector<std::string>{"a"});
  EXPECT_EQ(good<TopologyArguments>({"topology", "/tmp", "-f", "a"}).name, "/tmp");
  auto file = good<TopologyArguments>({"topology", "/tmp"});
  EXPECT_EQ(file.name, "");
  EXPECT_EQ(file.input.files, std::vector<std::string>{"/tmp"});
  EXPECT_EQ(wrong({"topology", "/nonexistent"}),
            "no input was named: expected FILE, -f FILE or --kubeconfig FILE");
}

TEST(ParseArguments, APipeIsReadWhereNoInputIsNamed) {
  Caller piped{.has_piped_input = true};
  auto input = [&](const std::vector<std::string>& words) {
    Arguments arguments = parse_arguments(words, piped);
    EXPECT_EQ(arguments.error, "");
    return std::get<ScheduleArguments>(*arguments.command).input;
  };
  EXPECT_EQ(input({"schedule"}).files, std::vector<std::string>{"-"});
  EXPECT_EQ(input({"schedule", "a"}).files, std::vector<std::string>{"a"});
  EXPECT_TRUE(input({"schedule", "--kubeconfig", "c"}).files.empty());
}

TEST(ParseArguments, KubectlsPluginReadsTheCurrentContext) {
  Caller plugin{.name = "kubectl trellis", .kubeconfigs = {"k"}};
  auto input = [&](const std::vector<std::string>& words) {
    Arguments arguments = parse_arguments(words, plugin);
    EXPECT_EQ(arguments.error, "");
    return std::get<ExplainArguments>(*arguments.command).input;
  };
  EXPECT_THAT(input({"explain", "gang/a/b"}).kubeconfigs, ElementsAre("k"));
  EXPECT_EQ(input({"explain", "gang/a/b", "--context", "x"}).context, "x");
  EXPECT_THAT(input({"explain", "gang/a/b", "--kubeconfig", "c"}).kubeconfigs, ElementsAre("c"));
  EXPECT_THAT(input({"explain", "gang/a/b", "-f", "a"}).kubeconfigs, IsEmpty());
  Arguments serve = parse_arguments({"serve", "--dry-run"}, plugin);
  EXPECT_THAT(std::get<ServeArguments>(*serve.command).cluster.kubeconfigs, ElementsAre("k"));
  EXPECT_NE(parse_arguments({"serve"}, plugin).error.find("no input was named"), std::string::npos);
  Arguments wrong = parse_arguments({"explain"}, plugin);
  EXPECT_EQ(wrong.error, "TARGET is required\nSee 'kubectl trellis explain --help'.");
  EXPECT_NE(parse_arguments({"help"}, plugin).help.find("Usage: kubectl trellis"),
            std::string::npos);
}

TEST(CallerOf, IsThePluginByItsNameAlone) {
  auto home = [](const char* name) {
    return std::string_view(name) == "HOME" ? "/home/a" : nullptr;
  };
  auto chosen = [](const char*) { return "/etc/k"; };
  EXPECT_EQ(caller_of("/usr/bin/kubectl-trellis", home).name, "kubectl trellis");
  EXPECT_THAT(caller_of("/usr/bin/kubectl-trellis", home).kubeconfigs,
              ElementsAre("/home/a/.kube/config"));
  EXPECT_THAT(caller_of("kubectl-trellis", chosen).kubeconfigs, ElementsAre("/etc/k"));
  EXPECT_THAT(caller_of("/opt/kubectl-trellis/trellis", chosen).kubeconfigs, IsEmpty());
  EXPECT_EQ(caller_of("", chosen).name, "trellis");
}

TEST(ParseArguments, TextsAreOfAShellAndOfACommand) {
  EXPECT_EQ(good<CompletionArguments>({"completion", "fish"}).shell, Shell::Fish);
  EXPECT_EQ(good<ManArguments>({"man"}).command, "");
  EXPECT_EQ(good<ManArguments>({"man", "serve"}).command, "serve");
  EXPECT_EQ(wrong({"completion", "zhs"}), "unknown shell \"zhs\": did you mean \"zsh\"?");
  EXPECT_EQ(wrong({"man", "shedule"}), "unknown command \"shedule\": did you mean \"schedule\"?");
}

TEST(ParseArguments, ServeReadsFilesOrALiveCluster) {
  auto serve = good<ServeArguments>({"serve", "--kubeconfig", "c", "--context", "x", "--dry-run",
                                     "--scheduler-name", "a", "--scheduler-name", "b"});
  EXPECT_THAT(serve.cluster.kubeconfigs, ElementsAre("c"));
  EXPECT_EQ(serve.cluster.context, "x");
  EXPECT_TRUE(serve.cluster.live());
  EXPECT_EQ(serve.scheduler_names, (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(good<ServeArguments>({"serve", "--in-cluster", "--dry-run"}).cluster.in_cluster);
  EXPECT_FALSE(good<ServeArguments>({"serve", "-f", "a"}).cluster.live());
  EXPECT_EQ(wrong({"serve"}),
            "no input was named: expected -f FILE, --kubeconfig FILE or --in-cluster");
  EXPECT_EQ(wrong({"serve", "-f", "a", "--in-cluster"}),
            "-f, --kubeconfig and --in-cluster: expected one of them");
  EXPECT_EQ(wrong({"serve", "-f", "a", "--dry-run"}),
            "--dry-run needs --kubeconfig or --in-cluster");
  EXPECT_EQ(wrong({"serve", "--in-cluster", "--dry-run", "--context", "x"}),
            "--context needs --kubeconfig");
}

TEST(ParseArguments, ServeBindsUnlessItIsADryRun) {
  auto serve = good<ServeArguments>({"serve", "--in-cluster"});
  EXPECT_FALSE(serve.dry_run);
  EXPECT_EQ(serve.binds.on_failed, OnFailedBind::Refill);
  EXPECT_EQ(serve.binds.removal, Removal::Evict);
  serve = good<ServeArguments>(
      {"serve", "--kubeconfig", "c", "--on-failed-bind", "evict", "--delete-evicted"});
  EXPECT_EQ(serve.binds.on_failed, OnFailedBind::Evict);
  EXPECT_EQ(serve.binds.removal, Removal::Delete);
  EXPECT_TRUE(good<ServeArguments>({"serve", "--in-cluster", "--dry-run"}).dry_run);
  EXPECT_EQ(wrong({"serve", "-f", "a", "--on-failed-bind", "evict"}),
            "--on-failed-bind needs a live cluster, and no --dry-run");
  EXPECT_TRUE(
      good<ServeArguments>({"serve", "--in-cluster", "--create-pod-groups"}).create_pod_groups);
  EXPECT_FALSE(good<ServeArguments>({"serve", "--in-cluster"}).gpu_fraction_binder);
  EXPECT_TRUE(
      good<ServeArguments>({"serve", "--in-cluster", "--gpu-fraction-binder"}).gpu_fraction_binder);
  EXPECT_EQ(wrong({"serve", "-f", "a", "--gpu-fraction-binder"}),
            "--gpu-fraction-binder needs a live cluster, and no --dry-run");
  EXPECT_EQ(wrong({"serve", "--in-cluster", "--dry-run", "--create-pod-groups"}),
            "--create-pod-groups needs a live cluster, and no --dry-run");
  EXPECT_EQ(wrong({"serve", "--in-cluster", "--dry-run", "--delete-evicted"}),
            "--delete-evicted needs a live cluster, and no --dry-run");
  EXPECT_THAT(wrong({"serve", "--in-cluster", "--on-failed-bind", "refil"}),
              testing::HasSubstr("--on-failed-bind: "));
}

TEST(ParseArguments, WrongValues) {
  for (const char* cycles : {"0", "-1", "x", "1.5", "99999999999999999999"}) {
    EXPECT_EQ(wrong({"schedule", "-f", "a", "--cycles", cycles}),
              std::string("--cycles: ") + cycles + " is no number of cycles: expected 1 or more");
  }
  EXPECT_EQ(wrong({"schedule", "-f", "a", "--now", "today"}),
            "--now: today is no time such as 2026-01-01T12:00:00Z");
}

TEST(ParseArguments, ExplainNamesTheKindsItTakes) {
  const std::string expected =
      "explain takes pod/NAMESPACE/NAME, gang/NAMESPACE/NAME, workload/NAMESPACE/NAME, "
      "node/NAME, queue/NAME or domain/TOPOLOGY/PATH, not ";
  for (const char* target : {"node/n1/x", "node/", "domain", "domain/hall/b1/", "pod/ns/", "pod//p",
                             "gang", "workload/ns/a/b"}) {
    EXPECT_EQ(wrong({"explain", target, "-f", "a"}), expected + target);
  }
  EXPECT_EQ(wrong({"explain", "pdo/a/b", "-f", "a"}),
            "unknown kind \"pdo\": did you mean \"pod\"? " + expected + "pdo/a/b");
  EXPECT_EQ(wrong({"explain", "volume/a/b", "-f", "a"}),
            "unknown kind \"volume\": expected pod, gang, workload, node, domain or queue; " +
                expected + "volume/a/b");
}

TEST(ParseArguments, StandsForElectionWhereItWrites) {
  auto election = [](std::vector<std::string> more) {
    std::vector<std::string> words = {"serve", "--in-cluster"};
    words.insert(words.end(), more.begin(), more.end());
    return good<ServeArguments>(words).election;
  };
  EXPECT_TRUE(election({}).stands);
  EXPECT_FALSE(election({"--leader-elect=false"}).stands);
  EXPECT_FALSE(election({"--dry-run"}).stands);
  EXPECT_TRUE(election({"--dry-run", "--leader-elect"}).stands);
  ElectionArguments named = election({"--lease-name", "x", "--lease-namespace", "y"});
  EXPECT_EQ(named.lease_name + "/" + named.lease_namespace, "x/y");
  EXPECT_FALSE(good<ServeArguments>({"serve", "-f", "a"}).election.stands);
  EXPECT_EQ(wrong({"serve", "-f", "a", "--leader-elect"}),
            "--leader-elect needs --kubeconfig or --in-cluster");
  EXPECT_EQ(wrong({"serve", "--in-cluster", "--dry-run", "--lease-name", "x"}),
            "--lease-name and --lease-namespace need --leader-elect");
}

TEST(ParseArguments, AShardIsALabel) {
  auto shard =
      good<ServeArguments>({"serve", "--in-cluster", "--node-pool-label", "p=east"}).cluster.shard;
  ASSERT_TRUE(shard);
  EXPECT_EQ(shard->key + "=" + shard->value, "p=east");
  EXPECT_FALSE(good<ServeArguments>({"serve", "--in-cluster"}).cluster.shard);
  EXPECT_EQ(wrong({"serve", "-f", "a", "--node-pool-label", "p"}),
            "--node-pool-label needs --kubeconfig or --in-cluster");
  EXPECT_EQ(wrong({"serve", "--in-cluster", "--node-pool-label", "p=q=r"}),
            "--node-pool-label: p=q=r is no label: expected KEY=VALUE, or KEY for what lacks it");
}

}  // namespace
}  // namespace trellis::arguments_test
