#include "server/app/arguments.h"

#include "server/app/command_line.h"

namespace trellis {
namespace {

// `help COMMAND` is `COMMAND --help`.
std::vector<std::string> without_help(std::vector<std::string> words) {
  if (words.empty() || words.front() != "help") return words;
  words.erase(words.begin());
  words.emplace_back("--help");
  return words;
}

}  // namespace

Arguments parse_arguments(const std::vector<std::string>& words, const Caller& caller) {
  CommandLine line(caller);
  switch (line.parse(without_help(words))) {
    case CommandLine::Outcome::Help:
      return {.help = line.help()};
    case CommandLine::Outcome::Version:
      return {.command = VersionArguments()};
    case CommandLine::Outcome::Wrong:
      return {.error = line.error()};
    case CommandLine::Outcome::Good:
      break;
  }
  return {.command = line.command()};
}

}  // namespace trellis
