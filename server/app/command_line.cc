#include "server/app/command_line.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "framework/ascii.h"
#include "server/app/help_texts.h"
#include "server/app/option_values.h"
#include "server/document/document.h"

namespace trellis {
namespace {

constexpr const char* kNoInput = "no input was named: expected FILE, -f FILE or --kubeconfig FILE";

constexpr std::pair<std::string_view, Shell> kShells[] = {
    {"bash", Shell::Bash}, {"zsh", Shell::Zsh}, {"fish", Shell::Fish}};

constexpr const char* kStatuses =
    "pending|running|scheduled|pipelined|evicted|releasing|finished|quotareserved|admitted";
constexpr std::string_view kStatusWords[] = {"pending",   "running",       "scheduled",
                                             "pipelined", "evicted",       "releasing",
                                             "finished",  "quotareserved", "admitted"};

constexpr std::pair<std::string_view, RowOrder> kRowOrders[] = {
    {"name", RowOrder::Name}, {"queue", RowOrder::Queue},       {"status", RowOrder::Status},
    {"pods", RowOrder::Pods}, {"priority", RowOrder::Priority}, {"age", RowOrder::Age}};

bool is_option(std::string_view word) { return word.size() > 1 && word.front() == '-'; }

}  // namespace

CommandLine::CommandLine(Caller caller) : caller_(std::move(caller)), app_(kAbout, caller_.name) {
  app_.footer(kExamples);
  app_.require_subcommand(1);
  app_.get_formatter()->column_width(26);
  app_.set_help_flag("-h,--help", "Print this help");
  app_.set_version_flag("--version", "", "Print the version");
  add_schedule();
  add_topology();
  add_report();
  add_queues();
  add_explain();
  add_fit();
  add_whatif();
  add_defrag();
  add_plan();
  add_simulate();
  add_serve();
  add_validate();
  add_snapshot();
  add_config();
  add_texts();
  take(add_command("version", "Print the version", ""), version_);
  add_command("help", "Print help, also of a command: trellis help COMMAND", "");
}

CLI::App* CommandLine::add_command(const char* name, const char* summary, const char* details) {
  CLI::App* command = app_.add_subcommand(name, summary);
  command->footer(details);
  return command;
}

void CommandLine::add_file_option(CLI::App* command, InputArguments& input) {
  command
      ->add_option("-f,--filename,--file", input.files,
                   "YAML or JSON: a file, a directory, or - for standard\n"
                   "input; may be given several times")
      ->type_name("FILE|DIR|-")
      ->allow_extra_args(false);
}

void CommandLine::add_files(CLI::App* command, InputArguments& input) {
  add_file_option(command, input);
  command->add_option("--config", input.config_file, "Configuration (see 'trellis config print')")
      ->type_name("FILE");
}

void CommandLine::add_kubeconfig(CLI::App* command, std::vector<std::string>& kubeconfigs,
                                 std::string& context) {
  command->add_option("--kubeconfig", kubeconfigs, "A live cluster, as kubectl reaches it")
      ->expected(1)
      ->type_name("FILE");
  command->add_option("--context", context, "The kubeconfig's context (the current one)")
      ->type_name("NAME");
}

void CommandLine::add_input(CLI::App* command, InputArguments& input) {
  command->add_option("FILE", input.words, "As -f takes them")->type_name("");
  add_cluster(command, input);
}

void CommandLine::add_levels(CLI::App* command, InputArguments& input) {
  command
      ->add_option("--levels", input.levels,
                   "Make a Topology named levels of these labels of the\n"
                   "nodes, widest first; the last part will do: spine,leaf")
      ->delimiter(',')
      ->type_name("A,B...")
      ->allow_extra_args(false);
}

void CommandLine::add_cluster(CLI::App* command, InputArguments& input) {
  add_files(command, input);
  add_kubeconfig(command, input.kubeconfigs, input.context);
  add_levels(command, input);
  command
      ->add_option_function<std::string>(
          "--threads", [&](const std::string& text) { input.threads = read_threads(text); },
          "Read large files with so many threads; the result is\n"
          "the same (one for each processor, at most 8)")
      ->type_name("N");
}

void CommandLine::settle_input(InputArguments& input) const {
  input.files.insert(input.files.end(), input.words.begin(), input.words.end());
  input.words.clear();
  bool implied =
      input.kubeconfigs.empty() && caller_.kubeconfigs.empty() && caller_.has_piped_input;
  if (input.files.empty() && implied) input.files.emplace_back("-");
  bool files = !input.files.empty();
  if (files && !input.kubeconfigs.empty()) refuse("-f and --kubeconfig: expected one of them");
  if (!files && input.kubeconfigs.empty()) input.kubeconfigs = caller_.kubeconfigs;
  if (!input.context.empty() && input.kubeconfigs.empty()) refuse("--context needs --kubeconfig");
  if (!files && input.kubeconfigs.empty()) refuse(kNoInput);
}

void CommandLine::add_cycle(CLI::App* command, CycleArguments& cycle) {
  command
      ->add_option_function<std::string>(
          "--actions", [&](const std::string& text) { cycle.actions = read_actions(text); },
          "Actions to run, in this order, instead of those in\n"
          "the configuration")
      ->type_name("A,B...");
  command
      ->add_option_function<std::string>(
          "--cycles", [&](const std::string& text) { cycle.cycles = read_cycles(text); },
          "How many cycles to run; the last is shown (1)")
      ->type_name("N");
  command
      ->add_option_function<std::string>(
          "--now", [&](const std::string& text) { cycle.now = read_now(text); },
          "The time of the first cycle (the newest timestamp in\n"
          "the input)")
      ->type_name("TIME");
  command->add_flag("--only-allocate", cycle.only_allocate,
                    "No pod and no workload moves or leaves for another:\n"
                    "neither preemption nor reclaim nor consolidation");
}

void CommandLine::add_output(CLI::App* command, OutputFormat& output, const char* formats) {
  std::string first(formats, std::strcspn(formats, "|"));
  output = read_output(first, formats);
  command
      ->add_option_function<std::string>(
          "-o,--output",
          [&output, formats](const std::string& word) { output = read_output(word, formats); },
          "How to print (" + first + ")")
      ->type_name(formats);
}

void CommandLine::add_schedule() {
  CLI::App* command =
      add_command("schedule", "Decide where the pods go, and print it", kScheduleDetails);
  add_input(command, schedule_.input);
  add_cycle(command, schedule_.cycle);
  command
      ->add_option("--save", schedule_.save_file,
                   "Write what the next cycle would read, as JSON lines\n"
                   "that -f reads")
      ->type_name("FILE");
  command->add_flag("--anonymize", schedule_.anonymize,
                    "Replace the names in what --save writes by others that\n"
                    "decide alike");
  command->add_flag("--fail-unscheduled", schedule_.fail_unscheduled,
                    "Exit with 3 when a pod stays unscheduled");
  add_rows(command, schedule_.rows);
  add_width(command, schedule_.width);
  add_output(command, schedule_.output, "table|wide|json|yaml|tree|name|csv");
  take(command, schedule_, [](const ScheduleArguments& schedule) {
    if (schedule.anonymize && schedule.save_file.empty()) refuse("--anonymize needs --save");
  });
}

// Which rows the table has.
void CommandLine::add_rows(CLI::App* command, RowSelection& rows) {
  command->add_option("-n,--namespace", rows.name_space, "Only rows of this namespace")
      ->type_name("NAME");
  command->add_option("--queue", rows.queue, "Only rows of this queue")->type_name("NAME");
  command
      ->add_option_function<std::string>(
          "--status",
          [&](const std::string& word) {
            rows.status =
                kStatusWords[read_choice("--status: ", "status", lower(word), kStatusWords)];
          },
          "Only rows with this status")
      ->type_name(kStatuses);
  command->add_flag("--pending", rows.pending, "Only what waits, as a whole or in part");
  command
      ->add_option_function<std::string>(
          "--sort",
          [&](const std::string& word) {
            rows.order = read_choice("--sort: ", "order", word, kRowOrders);
          },
          "The order of the rows (name)")
      ->type_name("name|queue|status|pods|priority|age");
  command
      ->add_option_function<std::string>(
          "--limit",
          [&](const std::string& text) { rows.limit = static_cast<size_t>(read_limit(text)); },
          "At most so many rows of gangs, and of workloads")
      ->type_name("N");
  command->add_flag("--all", rows.all, "Also what has finished, and the pods of DaemonSets");
}

void CommandLine::add_width(CLI::App* command, TableWidth& width) {
  command->add_flag_callback(
      "--wide", [&] { width = TableWidth::Whole; },
      "Whole rows, also where the terminal is narrower");
}

void CommandLine::add_report() {
  CLI::App* command = add_command("report",
                                  "Show on one screen what is used, free and stranded,\n"
                                  "and what waits and why",
                                  kReportDetails);
  add_input(command, report_.input);
  add_cycle(command, report_.cycle);
  add_width(command, report_.width);
  add_output(command, report_.output, "text|json|yaml");
  take(command, report_);
}

void CommandLine::add_queues() {
  CLI::App* command = add_command(
      "queues", "Show the queues: what they may have, have, and ask for", kQueuesDetails);
  add_input(command, queues_.input);
  add_width(command, queues_.width);
  add_output(command, queues_.output, "table|json|yaml");
  take(command, queues_);
}

void CommandLine::add_validate() {
  CLI::App* command =
      add_command("validate", "Check the input, and schedule nothing", kValidateDetails);
  add_input(command, validate_.input);
  take(command, validate_);
}

void CommandLine::add_explain() {
  CLI::App* command = add_command("explain",
                                  "Say why a pod, gang, workload or queue waits or stands\n"
                                  "where it does, and what a node or domain holds",
                                  kExplainDetails);
  command
      ->add_option_function<std::string>(
          "TARGET",
          [this](const std::string& word) {
            ExplainTarget target = read_target(word);
            explain_.question = std::move(target.question);
            explain_.owner = std::move(target.owner);
            explain_.kind_error = std::move(target.kind_error);
          },
          "pod/NAMESPACE/NAME, gang/NAMESPACE/NAME,\n"
          "workload/NAMESPACE/NAME, node/NAME, queue/NAME,\n"
          "domain/TOPOLOGY/PATH, or the owner of a gang, such as\n"
          "job/NAMESPACE/NAME or deployment/NAMESPACE/NAME. A\n"
          "part of a name that no other has will do, and of a\n"
          "gang, workload, pod or node the name alone")
      ->required()
      ->type_name("");
  add_input(command, explain_.input);
  add_cycle(command, explain_.cycle);
  add_width(command, explain_.width);
  add_output(command, explain_.output, "text|json|yaml");
  take(command, explain_);
}

void CommandLine::add_change(CLI::App* command, const char* name, std::vector<std::string>& words,
                             const char* what, const char* type) {
  command->add_option(name, words, what)->type_name(type)->allow_extra_args(false);
}

void CommandLine::add_whatif() {
  CLI::App* command =
      add_command("whatif", "Say what a change of the cluster would change", kWhatifDetails);
  add_input(command, whatif_.input);
  add_change(command, "--add", whatif_.added,
             "Objects that come, as -f takes them. May be repeated", "FILE|DIR|-");
  add_change(command, "--cordon", whatif_.change.cordoned,
             "A node, or all nodes of a domain, that takes no more\npods. May be repeated",
             "NODE|TOPOLOGY/PATH");
  add_change(command, "--drain", whatif_.change.drained,
             "The same, and its pods have to go elsewhere; pods of\n"
             "DaemonSets stay. May be repeated",
             "NODE|TOPOLOGY/PATH");
  add_change(command, "--remove", whatif_.change.removed,
             "A gang or workload that goes, with its pods, or the\n"
             "owner of pods (job/NAMESPACE/NAME, deployment/...).\nMay be repeated",
             "gang/NAMESPACE/NAME|workload/NAMESPACE/NAME|KIND/NAMESPACE/NAME");
  add_more_nodes(command);
  add_cycle(command, whatif_.cycle);
  add_width(command, whatif_.width);
  add_output(command, whatif_.output, "table|json|yaml");
  take(command, whatif_, [this](WhatifArguments& whatif) {
    PlannedChange& change = whatif.change;
    if (more_nodes_.count > 0) change.added = more_nodes_;
    check_more_nodes(more_nodes_);
    if (whatif.added.empty() && change.empty()) {
      refuse("whatif changes nothing: give --add, --cordon, --drain, --remove or --add-nodes");
    }
    for (std::string& word : change.removed) word = read_removed(word);
    for (const std::string& word : change.cordoned) check_place("--cordon", word);
    for (const std::string& word : change.drained) check_place("--drain", word);
  });
}

void CommandLine::add_more_nodes(CLI::App* command) {
  command
      ->add_option_function<std::string>(
          "--add-nodes",
          [this](const std::string& text) { more_nodes_.count = read_node_count(text); },
          "So many nodes come, each like the node of --like and\nempty")
      ->type_name("N");
  command->add_option("--like", more_nodes_.like, "The node that those of --add-nodes equal")
      ->type_name("NODE");
  command
      ->add_option("--in", more_nodes_.domain,
                   "The domain of the nodes of --add-nodes, which may be\n"
                   "new (that of the node of --like)")
      ->type_name("TOPOLOGY/PATH");
}

void CommandLine::add_fit() {
  CLI::App* command = add_command(
      "fit", "Say whether gangs would get a place, where, and what\nhinders them", kFitDetails);
  command->add_option("GANG", fit_.added, "Files with the gangs, as -f takes them")
      ->required()
      ->type_name("");
  add_cluster(command, fit_.input);
  add_cycle(command, fit_.cycle);
  add_width(command, fit_.width);
  add_output(command, fit_.output, "text|json|yaml");
  take(command, fit_);
}

void CommandLine::add_defrag() {
  CLI::App* command =
      add_command("defrag", "Plan moves of running gangs after which more fits", kDefragDetails);
  add_input(command, defrag_.input);
  add_cycle(command, defrag_.cycle);
  add_width(command, defrag_.width);
  command
      ->add_option_function<std::string>(
          "--max-moved-gpus",
          [this](const std::string& text) { defrag_.max_moved_gpus = read_moved_gpus(text); },
          "How many GPUs may move (defragmentation.\n"
          "maxMovedGPUsPerHour)")
      ->type_name("N");
  add_output(command, defrag_.output, "table|json|yaml");
  take(command, defrag_);
}

void CommandLine::add_config() {
  CLI::App* command = add_command("config", "Show the configuration", kConfigDetails);
  command->require_subcommand(1);
  CLI::App* print = command->add_subcommand("print", "Print the effective one, with comments");
  print->footer(kConfigDetails);
  print->add_option("--config", config_.config_file, "What differs from the defaults")
      ->type_name("FILE");
  take(print, config_);
}

// Generated from the commands.
void CommandLine::add_texts() {
  CLI::App* completion =
      add_command("completion", "Print the completion of a shell", kCompletionDetails);
  completion
      ->add_option_function<std::string>(
          "SHELL",
          [this](const std::string& word) {
            completion_.shell = read_choice("", "shell", word, kShells);
          },
          "Of which shell")
      ->required()
      ->type_name("bash|zsh|fish");
  take(completion, completion_);
  CLI::App* man = add_command("man", "Print the manual page of a command", kManDetails);
  man->add_option("COMMAND", man_.command, "Of which command (trellis itself)")->type_name("");
  take(man, man_, [this](const ManArguments& asked) {
    std::vector<std::string> names = command_names();
    if (asked.command.empty() || std::ranges::count(names, asked.command) > 0) return;
    refuse(unknown_word("command", asked.command,
                        std::vector<std::string_view>(names.begin(), names.end())));
  });
}

std::vector<std::string> CommandLine::command_names() const {
  std::vector<std::string> names;
  for (const CLI::App* command : app_.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

std::vector<CommandText> CommandLine::texts() const {
  std::vector<CommandText> texts = {text_of(app_)};
  for (const CLI::App* command : app_.get_subcommands({})) texts.push_back(text_of(*command));
  return texts;
}

CommandLine::Outcome CommandLine::complain(std::string message) {
  bool known = std::ranges::count(command_names(), name_) > 0;
  std::string help = caller_.name + (known ? " " + name_ : "") + " --help";
  error_ = std::move(message) + "\nSee '" + help + "'.";
  return Outcome::Wrong;
}

bool CommandLine::has_files() const {
  if (name_.empty()) return false;
  const CLI::Option* files = app_.get_subcommand(name_)->get_option_no_throw("--file");
  return files != nullptr && files->count() > 0;
}

// CLI11 would only say that the first word was not expected.
CommandLine::Outcome CommandLine::check_command(const std::vector<std::string>& words) {
  if (words.empty()) return Outcome::Help;
  if (is_option(words.front())) return Outcome::Good;
  std::vector<std::string> names = command_names();
  if (std::ranges::count(names, words.front()) == 0) {
    return complain(unknown_word("command", words.front(),
                                 std::vector<std::string_view>(names.begin(), names.end())));
  }
  name_ = words.front();
  return Outcome::Good;
}

// A word that nothing took is more likely the mistake than what is missing because of it.
CommandLine::Outcome CommandLine::complain_about_rest(const CLI::ParseError& failure) {
  std::vector<std::string> rest = app_.remaining(/*recurse=*/true);
  if (rest.empty()) {
    if (name_ == "config") return complain("expected: trellis config print");
    if (name_ == "snapshot") return complain("expected: trellis snapshot save FILE -f INPUT");
    return complain(failure.what());
  }
  std::string word = rest.front().substr(0, rest.front().find('='));
  if (!is_option(word)) {
    if (name_ == "config") {
      constexpr std::array<std::string_view, 1> verbs = {"print"};
      return complain(unknown_word("word", word, verbs));
    }
    return complain("unexpected word " + trellis::in_quotes(word) +
                    (!has_files() || name_ == "topology" ? ": name each input with -f"
                                                         : ": give -f before each input"));
  }
  bool of_commands = word == "-f" || word == "--file" || word == "--kubeconfig";
  if (name_.empty() && of_commands) {
    return complain("no command stands before " + word + ": expected one first, such as: " +
                    caller_.name + " schedule " + word + " " + rest.back());
  }
  std::vector<std::string> names;
  const CLI::App* command = name_.empty() ? &app_ : app_.get_subcommand(name_);
  if (!command->get_subcommands().empty()) command = command->get_subcommands().front();
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
