#include "server/cli/program.h"

#include <optional>
#include <variant>

#include "server/cli/arguments.h"
#include "server/cli/explain_command.h"
#include "server/cli/input.h"
#include "server/cli/queues_command.h"
#include "server/cli/schedule_command.h"
#include "server/cli/serve_command.h"
#include "server/cli/topology_command.h"
#include "server/cli/validate_command.h"
#include "server/cli/whatif_command.h"
#include "server/config/config_printer.h"
#include "server/version.h"

namespace trellis {
namespace {

ExitCode run(const ScheduleArguments& arguments, Console& console) {
  return run_schedule(arguments, console);
}

ExitCode run(const TopologyArguments& arguments, Console& console) {
  return run_topology(arguments, console);
}

ExitCode run(const QueuesArguments& arguments, Console& console) {
  return run_queues(arguments, console);
}

ExitCode run(const ValidateArguments& arguments, Console& console) {
  return run_validate(arguments, console);
}

ExitCode run(const ExplainArguments& arguments, Console& console) {
  return run_explain(arguments, console);
}

ExitCode run(const WhatifArguments& arguments, Console& console) {
  return run_whatif(arguments, console);
}

ExitCode run(const ServeArguments& arguments, Console& console) {
  return run_serve(arguments, console);
}

ExitCode run(const ConfigPrintArguments& arguments, Console& console) {
  std::optional<Config> config = load_config(arguments.config_file, console);
  if (!config) return kBadInput;
  console.out.write(print_config(*config));
  return kDone;
}

ExitCode run(const VersionArguments& /*arguments*/, Console& console) {
  std::string text = "trellis " + std::string(kVersion);
  if (!kCommit.empty()) text += " (" + std::string(kCommit) + ")";
  console.out.write(text + "\n");
  return kDone;
}

}  // namespace

ExitCode run_program(const std::vector<std::string>& words, Console& console) {
  Arguments arguments = parse_arguments(words);
  if (!arguments.error.empty()) {
    console.complain(arguments.error);
    return kBadInput;
  }
  if (!arguments.command) {
    console.out.write(arguments.help);
    return kDone;
  }
  return std::visit([&](const auto& command) { return run(command, console); }, *arguments.command);
}

}  // namespace trellis
