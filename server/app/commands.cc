#include "server/app/commands.h"

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "server/app/arguments.h"
#include "server/app/command_line.h"
#include "server/app/completion.h"
#include "server/app/input.h"
#include "server/app/man_page.h"
#include "server/config/config_printer.h"
#include "server/version.h"

namespace trellis {
namespace {

ExitCode run(const ConfigPrintArguments& arguments, Console& console) {
  std::optional<Config> config = load_config(arguments.config_file, console);
  if (!config) return kBadInput;
  console.print(print_config(*config));
  return kDone;
}

ExitCode run(const CompletionArguments& arguments, Console& console) {
  console.out.write(completion(arguments.shell, CommandLine().texts()));
  return kDone;
}

ExitCode run(const ManArguments& arguments, Console& console) {
  std::vector<CommandText> texts = CommandLine().texts();
  const std::string& command = arguments.command;
  console.out.write(man_page(command.empty() ? texts.front().name : command, texts));
  return kDone;
}

ExitCode run(const VersionArguments& /*arguments*/, Console& console) {
  std::string text = "trellis " + std::string(kVersion);
  if (!kCommit.empty()) text += " (" + std::string(kCommit) + ")";
  console.out.write(text + "\n");
  return kDone;
}

}  // namespace

ExitCode run_program(const std::vector<std::string>& words, Console& console,
                     const Caller& caller) {
  Arguments arguments = parse_arguments(words, caller);
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
