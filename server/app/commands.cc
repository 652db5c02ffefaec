#include "server/app/commands.h"

#include <optional>
#include <variant>

#include "server/app/arguments.h"
#include "server/app/input.h"
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
