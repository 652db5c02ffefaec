#include "server/app/command_line.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "server/app/unknown_word.h"
#include "server/document/document.h"

namespace trellis {
namespace {

constexpr const char* kAbout =
    "trellis: a topology-aware gang scheduler for GPU clusters.\n"
    "\n"
    "Reads ordinary Kubernetes objects, decides where the pods of every gang go\n"
    "(close together, all or nothing), and says why.\n";

constexpr const char* kExamples =
    "Examples:\n"
    "  kubectl get nodes,pods,podgroups,topologies -A -o json | trellis schedule -f -\n"
    "  trellis schedule -f cluster.yaml -f gangs/ -o tree\n"
    "  trellis explain gang/default/train -f cluster.yaml -f gangs/\n"
    "  trellis whatif -f cluster.yaml --add gang.yaml\n"
    "\n"
    "Exit codes: 0 done, 1 failure, 2 bad usage or bad input (what could be scheduled\n"
    "is still printed), 3 pods stayed unscheduled and --fail-unscheduled was given.\n"
    "'trellis help COMMAND' shows the help of a command.\n";

constexpr const char* kScheduleDetails =
    "Output (-o):\n"
    "  table  a gang a row, then a line that sums up\n"
    "  tree   the topologies, with bars of what is used and what is free\n"
    "  json   every decision, for programs (yaml: the same)\n"
    "\n"
    "Examples:\n"
    "  trellis schedule -f cluster.yaml -f gangs.yaml\n"
    "  trellis schedule -f dump.json -o json --fail-unscheduled > decisions.json\n"
    "  trellis schedule -f cluster/ --cycles 3 --save next.jsonl\n"
    "  trellis schedule -f next.jsonl --actions allocate --now 2026-01-01T12:00:00Z\n";

constexpr const char* kTopologyDetails =
    "Shows the cluster as it is read: no cycle is run.\n"
    "\n"
    "Examples:\n"
    "  trellis topology -f cluster.yaml\n"
    "  trellis topology fabric -f cluster.yaml -o json\n";

constexpr const char* kQueuesDetails =
    "Shows the queues as they are read: no cycle is run. A row a resource: quota,\n"
    "limit, the fair share of the cluster, what is allocated and requested; then the\n"
    "dominant share (the largest part of what it may have that it holds) and the\n"
    "position in the order in which queues are served. GPUs, milli-CPU, megabytes\n"
    "(10^6); - is no bound. ClusterQueues and Cohorts follow in a table of their own.\n"
    "\n"
    "Examples:\n"
    "  trellis queues -f cluster.yaml -f gangs/\n"
    "  trellis queues -f cluster.yaml --config trellis.yaml -o json\n";

constexpr const char* kValidateDetails =
    "Prints every error with file, line, path, what was found and what was expected;\n"
    "exit code 2 when there is one.\n"
    "\n"
    "Examples:\n"
    "  trellis validate -f cluster.yaml -f gangs/\n"
    "  kubectl get podgroups -A -o yaml | trellis validate -f -\n";

constexpr const char* kExplainDetails =
    "Runs the cycle, then answers from the cluster at its end:\n"
    "  pod/NAMESPACE/NAME    every node, asked of every plugin, without the\n"
    "                        gang's own decisions\n"
    "  gang/NAMESPACE/NAME   every candidate domain: what fits, what is short, what\n"
    "                        would help\n"
    "  workload/NAMESPACE/NAME\n"
    "                        every flavor: what the quotas say, which domains take it,\n"
    "                        which nodes are left out and why\n"
    "  node/NAME             what runs there, what is free, what else would fit\n"
    "  queue/NAME            its shares, why it is over or under, which gangs wait in\n"
    "                        which order\n"
    "  domain/TOPOLOGY/PATH  what a domain holds (block, or block/rack, ...), or a\n"
    "                        whole topology\n"
    "\n"
    "Examples:\n"
    "  trellis explain pod/default/train-0 -f cluster.yaml -f gangs.yaml\n"
    "  trellis explain gang/default/train -f cluster.yaml -f gangs.yaml -o json\n"
    "  trellis explain workload/default/train -f cluster.yaml -f kueue.yaml\n"
    "  trellis explain queue/research -f cluster.yaml -f gangs.yaml\n"
    "  trellis explain domain/fabric/b1/r3 -f cluster.yaml -f gangs.yaml\n";

constexpr const char* kWhatifDetails =
    "Runs the cycle twice, on the cluster as it is read and with the change, and\n"
    "prints what the change does: gangs and workloads that get in, are pushed out or\n"
    "move, GPUs used, domains spanned. To chain questions, 'trellis schedule --save\n"
    "FILE' first and ask about FILE.\n"
    "\n"
    "Examples:\n"
    "  trellis whatif -f cluster.yaml --add gang.yaml\n"
    "  trellis whatif -f cluster.yaml --cordon fabric/b1/r3 --cordon n17 -o json\n"
    "  trellis whatif -f cluster.yaml --remove gang/default/train --add gang.yaml\n";

constexpr const char* kServeDetails =
    "With -f, on an embedded cluster: runs a cycle each period, and whenever a file\n"
    "changes; bound pods run until their files say otherwise. A file that becomes\n"
    "broken keeps its last good state.\n"
    "\n"
    "With --kubeconfig or --in-cluster, on a live cluster: lists and watches what\n"
    "scheduling reads, decides about the pods whose schedulerName is ours, binds\n"
    "them, and evicts who has to leave for them. With --dry-run it decides and\n"
    "shows, beside the scheduler that is there, and writes nothing.\n"
    "\n"
    "Several of them stand for election by a Lease; one leads and writes, and another\n"
    "takes over within 17 seconds of its end, or at once when it ends by SIGTERM. A\n"
    "dry run only stands for election when an argument says so, and then writes that Lease alone.\n"
    "\n"
    "SIGTERM ends it, SIGHUP reads the configuration again.\n"
    "\n"
    "Over HTTP: / is a page to look at, /debug/... the last cycle for programs\n"
    "(?format=text for people), /metrics, /healthz, /readyz. /debug/openapi.json\n"
    "lists them all.\n"
    "\n"
    "Examples:\n"
    "  trellis serve -f cluster/\n"
    "  trellis serve -f cluster/ --listen 0.0.0.0:8080 --log-format json\n"
    "  trellis serve --kubeconfig ~/.kube/config --dry-run\n"
    "  trellis serve --in-cluster\n"
    "  trellis serve --in-cluster --dry-run --scheduler-name default-scheduler\n";

constexpr const char* kConfigDetails =
    "Examples:\n"
    "  trellis config print > trellis.yaml\n"
    "  trellis config print --config trellis.yaml\n";

constexpr std::array<std::string_view, 10> kCommands = {
    "schedule", "topology", "queues", "explain", "whatif",
    "serve",    "validate", "config", "version", "help"};

bool is_option(std::string_view word) { return word.size() > 1 && word.front() == '-'; }

}  // namespace

CommandLine::CommandLine() : app_(kAbout, "trellis") {
  app_.footer(kExamples);
  app_.require_subcommand(1);
  app_.get_formatter()->column_width(26);
  app_.set_help_flag("-h,--help", "Print this help");
  app_.set_version_flag("--version", "", "Print the version");
  add_schedule();
  add_topology();
  add_queues();
  add_explain();
  add_whatif();
  add_serve();
  add_validate();
  add_config();
  add_command("version", "Print the version", "");
  add_command("help", "Print help, also of a command: trellis help COMMAND", "");
}

CLI::App* CommandLine::add_command(const char* name, const char* summary, const char* details) {
  CLI::App* command = app_.add_subcommand(name, summary);
  command->footer(details);
  return command;
}

void CommandLine::add_input(CLI::App* command, Input input) {
  command
      ->add_option("-f,--filename,--file", files,
                   "YAML or JSON: a file, a directory, or - for standard\n"
                   "input; may be given several times")
      ->required(input == Input::Required)
      ->type_name("FILE|DIR|-")
      ->allow_extra_args(false);
  command->add_option("--config", config_file, "Configuration (see 'trellis config print')")
      ->type_name("FILE");
}

void CommandLine::add_cycle(CLI::App* command) {
  command
      ->add_option("--actions", cycle.actions,
                   "Actions to run, in this order, instead of those in\n"
                   "the configuration")
      ->type_name("A,B...");
  command->add_option("--cycles", cycle.cycles, "How many cycles to run; the last is shown (1)")
      ->type_name("N");
  command
      ->add_option("--now", cycle.now,
                   "The time of the first cycle (the newest timestamp in\n"
                   "the input)")
      ->type_name("TIME");
}

void CommandLine::add_output(CLI::App* command, const char* formats) {
  std::string first(formats, std::strcspn(formats, "|"));
  command->add_option("-o,--output", output, "How to print (" + first + ")")->type_name(formats);
}

void CommandLine::add_schedule() {
  CLI::App* command =
      add_command("schedule", "Decide where the pods go, and print it", kScheduleDetails);
  add_input(command);
  add_cycle(command);
  command
      ->add_option("--save", save_file,
                   "Write what the next cycle would read, as JSON lines\n"
                   "that -f reads")
      ->type_name("FILE");
  command->add_flag("--fail-unscheduled", fail_unscheduled,
                    "Exit with 3 when a pod stays unscheduled");
  add_output(command, "table|json|yaml|tree");
}

void CommandLine::add_topology() {
  CLI::App* command = add_command(
      "topology", "Show the topologies: what is used, and what still fits", kTopologyDetails);
  command->add_option("NAME", topology_name, "Only this topology")->type_name("");
  add_input(command);
  add_output(command, "tree|json|yaml");
}

void CommandLine::add_queues() {
  CLI::App* command = add_command(
      "queues", "Show the queues: what they may have, have, and ask for", kQueuesDetails);
  add_input(command);
  add_output(command, "table|json|yaml");
}

void CommandLine::add_validate() {
  add_input(add_command("validate", "Check the input, and schedule nothing", kValidateDetails));
}

void CommandLine::add_explain() {
  CLI::App* command = add_command("explain",
                                  "Say why a pod, gang, workload or queue waits or stands\n"
                                  "where it does, and what a node or domain holds",
                                  kExplainDetails);
  command
      ->add_option("TARGET", explain_target,
                   "pod/NAMESPACE/NAME, gang/NAMESPACE/NAME,\n"
                   "workload/NAMESPACE/NAME, node/NAME, queue/NAME or\n"
                   "domain/TOPOLOGY/PATH")
      ->required()
      ->type_name("");
  add_input(command);
  add_cycle(command);
  add_output(command, "text|json|yaml");
}

void CommandLine::add_change(CLI::App* command, const char* name, std::vector<std::string>& words,
                             const char* what, const char* type) {
  command->add_option(name, words, what)->type_name(type)->allow_extra_args(false);
}

void CommandLine::add_whatif() {
  CLI::App* command =
      add_command("whatif", "Say what a change of the cluster would change", kWhatifDetails);
  add_input(command);
  add_change(command, "--add", added, "Objects that come, as -f takes them. May be repeated",
             "FILE|DIR|-");
  add_change(command, "--cordon", cordons,
             "A node, or all nodes of a domain, that takes no more\npods. May be repeated",
             "NODE|TOPOLOGY/PATH");
  add_change(command, "--remove", removed,
             "A gang or workload that goes, with its pods.\nMay be repeated",
             "gang/NAMESPACE/NAME|workload/NAMESPACE/NAME");
  add_cycle(command);
  add_output(command, "table|json|yaml");
}

void CommandLine::add_serve() {
  CLI::App* command = add_command("serve",
                                  "Schedule as a service, on an embedded cluster or beside a\n"
                                  "live one, and show it over HTTP",
                                  kServeDetails);
  add_input(command, Input::Optional);
  command->add_option("--kubeconfig", kubeconfig, "A live cluster, as kubectl reaches it")
      ->type_name("FILE");
  command->add_option("--context", context, "The kubeconfig's context (the current one)")
      ->type_name("NAME");
  command->add_flag("--in-cluster", in_cluster, "The live cluster that this runs in, as a pod");
  command
      ->add_option("--on-failed-bind", on_failed_bind,
                   "What becomes of a gang below its minimum because a\n"
                   "bind failed for good: it is refilled, or evicted\n"
                   "(refill)")
      ->type_name("refill|evict");
  command->add_flag("--delete-evicted", delete_evicted,
                    "Delete pods instead of evicting them, whatever their\n"
                    "PodDisruptionBudgets say");
  command->add_flag("--create-pod-groups", create_pod_groups,
                    "Write a PodGroup for each gang that an owner's pods\n"
                    "form, so that other programs see it");
  command->add_flag("--gpu-fraction-binder", gpu_fraction_binder,
                    "A program prepares parts of GPUs on the nodes, so that\n"
                    "pods which ask for them are bound, not held");
  command->add_flag("--dry-run", dry_run, "Decide and show, and write nothing to a live cluster");
  command
      ->add_option("--scheduler-name", scheduler_names,
                   "Whose pods to decide about, instead of the configured\n"
                   "schedulerNames (live: trellis). May be repeated")
      ->type_name("NAME")
      ->allow_extra_args(false);
  add_sharing(command);
  command
      ->add_option("--listen", listen,
                   "Where to answer (127.0.0.1:8080; port 0: any that is\nfree)")
      ->type_name("ADDRESS:PORT");
  command
      ->add_option("--health-listen", health_listen,
                   "Where to answer /healthz and /readyz besides, whatever\nhappens there")
      ->type_name("ADDRESS:PORT");
  command
      ->add_option("--metrics-listen", metrics_listen,
                   "Where to answer /metrics besides, and nothing else")
      ->type_name("ADDRESS:PORT");
  command->add_option("--log-format", log_format, "How to log, to stderr (text)")
      ->type_name("text|json");
  command->add_option("--log-level", log_level, "What to log (info)")
      ->type_name("debug|info|warn|error");
}

// How several of them serve one cluster.
void CommandLine::add_sharing(CLI::App* command) {
  command->add_flag_function(
      "--leader-elect", [this](int64_t said) { leader_elect = said > 0; },
      "Write only while leading, by a Lease (on, but not with\n"
      "--dry-run; --leader-elect=false: off)");
  command->add_option("--lease-name", lease_name, "That Lease (trellis; of a shard trellis-VALUE)")
      ->type_name("NAME");
  command
      ->add_option("--lease-namespace", lease_namespace,
                   "Where it is (that of the own pod, else kube-system)")
      ->type_name("NAME");
  command
      ->add_option("--node-pool-label", node_pool_label,
                   "Only the shard of nodes, queues and gangs that bear this\n"
                   "label; without a value: that do not bear it")
      ->type_name("KEY[=VALUE]");
}

void CommandLine::add_config() {
  CLI::App* command = add_command("config", "Show the configuration", kConfigDetails);
  command->require_subcommand(1);
  CLI::App* print = command->add_subcommand("print", "Print the effective one, with comments");
  print->footer(kConfigDetails);
  print->add_option("--config", config_file, "What differs from the defaults")->type_name("FILE");
}

CommandLine::Outcome CommandLine::complain(std::string message) {
  bool known = std::find(kCommands.begin(), kCommands.end(), command_) != kCommands.end();
  std::string help = known ? "trellis " + command_ + " --help" : "trellis --help";
  error_ = std::move(message) + "\nSee '" + help + "'.";
  return Outcome::Wrong;
}

// CLI11 would only say that the first word was not expected.
CommandLine::Outcome CommandLine::check_command(const std::vector<std::string>& words) {
  if (words.empty()) return complain("no command was given");
  if (is_option(words.front())) return Outcome::Good;
  if (std::find(kCommands.begin(), kCommands.end(), words.front()) == kCommands.end()) {
    return complain(unknown_word("command", words.front(), kCommands));
  }
  command_ = words.front();
  return Outcome::Good;
}

// A word that nothing took is more likely the mistake than what is missing because of it.
CommandLine::Outcome CommandLine::complain_about_rest(const CLI::ParseError& failure) {
  std::vector<std::string> rest = app_.remaining(/*recurse=*/true);
  if (rest.empty()) {
    bool no_files = files.empty() && dynamic_cast<const CLI::RequiredError*>(&failure) != nullptr;
    if (command_ == "config") return complain("expected: trellis config print");
    return complain(no_files ? "no input was named: expected -f FILE" : failure.what());
  }
  std::string word = rest.front().substr(0, rest.front().find('='));
  if (!is_option(word)) {
    if (command_ == "config") {
      constexpr std::array<std::string_view, 1> verbs = {"print"};
      return complain(unknown_word("word", word, verbs));
    }
    return complain("unexpected word " + trellis::in_quotes(word) +
                    (files.empty() || command_ == "topology" ? ": name each input with -f"
                                                             : ": give -f before each input"));
  }
  std::vector<std::string> names;
  const CLI::App* command = command_.empty() ? &app_ : app_.get_subcommand(command_);
  for (const CLI::Option* option : command->get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  std::sort(names.begin(), names.end());
  return complain(
      unknown_word("option", word, std::vector<std::string_view>(names.begin(), names.end())));
}

CommandLine::Outcome CommandLine::parse(std::vector<std::string> words) {
  if (Outcome outcome = check_command(words); outcome != Outcome::Good) return outcome;
  std::reverse(words.begin(), words.end());  // as CLI11 takes them
  try {
    app_.parse(std::move(words));
  } catch (const CLI::CallForHelp&) {
    return Outcome::Help;
  } catch (const CLI::CallForVersion&) {
    return Outcome::Version;
  } catch (const CLI::ParseError& failure) {
    return complain_about_rest(failure);
  }
  return Outcome::Good;
}

}  // namespace trellis
