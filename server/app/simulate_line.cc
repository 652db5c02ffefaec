// The options of `simulate`.

#include <charconv>
#include <string>
#include <utility>

#include "server/app/command_line.h"
#include "server/app/help_texts.h"
#include "server/app/option_values.h"

namespace trellis {
namespace {

constexpr std::pair<std::string_view, SimulationOutput> kSimulationOutputs[] = {
    {"table", SimulationOutput::Table},
    {"json", SimulationOutput::JsonText},
    {"csv", SimulationOutput::Csv},
    {"html", SimulationOutput::Html}};

uint64_t read_whole(const std::string& option, const std::string& text, uint64_t most) {
  uint64_t number = 0;
  auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc() || end != text.data() + text.size() || number > most) {
    refuse(option + ": " + text + ": expected a whole number up to " + std::to_string(most));
  }
  return number;
}

}  // namespace

void CommandLine::add_simulate() {
  CLI::App* command = add_command("simulate",
                                  "Run gangs with their times through the cycles, in virtual\n"
                                  "time, under one or several configurations",
                                  kSimulateDetails);
  command->add_option("FILE", simulate_.input.words, "As -f takes them")->type_name("");
  add_file_option(command, simulate_.input);
  add_kubeconfig(command, simulate_.input.kubeconfigs, simulate_.input.context);
  add_levels(command, simulate_.input);
  add_trace(command);
  command
      ->add_option("--config", simulate_.configs,
                   "A configuration to simulate (the default one). May be\n"
                   "repeated: they are compared")
      ->type_name("FILE")
      ->allow_extra_args(false);
  command
      ->add_option_function<std::string>(
          "--threads", [this](const std::string& text) { simulate_.threads = read_threads(text); },
          "Simulate so many configurations at once; the result is\n"
          "the same (one for each processor)")
      ->type_name("N");
  add_simulated_output(command);
  take(command, simulate_, [](const SimulateArguments& simulate) {
    if (simulate.arrive_percent > 0 && simulate.trace.empty()) refuse("--arrive needs --trace");
    if (simulate.expect_durations && simulate.trace.empty()) {
      refuse("--expect-durations needs --trace");
    }
  });
}

void CommandLine::add_trace(CLI::App* command) {
  command
      ->add_option("--trace", simulate_.trace, "A table of gangs that come, on the cluster of -f")
      ->type_name("FILE|-");
  command
      ->add_option_function<std::string>(
          "--trace-format",
          [this](const std::string& word) {
            simulate_.format = read_choice("--trace-format: ", "format", word, kTraceFormats);
          },
          "The format of the trace (columns)")
      ->type_name("openb|philly|swf|columns");
  command->add_flag("--expect-durations", simulate_.expect_durations,
                    "The scheduler knows how long the trace's gangs run");
  command
      ->add_option_function<std::string>(
          "--arrive",
          [this](const std::string& text) {
            constexpr uint64_t kMostPercent = 100'000;
            simulate_.arrive_percent = read_whole("--arrive", text, kMostPercent);
          },
          "Instead of the trace's times: its gangs come one by\n"
          "one, drawn by --seed, until they request so many\n"
          "percent of the GPUs; each stays, or is turned away")
      ->type_name("PERCENT");
  command
      ->add_option_function<std::string>(
          "--seed",
          [this](const std::string& text) {
            simulate_.seed = read_whole("--seed", text, UINT64_MAX);
          },
          "Of what is drawn (1)")
      ->type_name("N");
}

void CommandLine::add_simulated_output(CLI::App* command) {
  command
      ->add_option("--gangs", simulate_.gangs_file, "Write what became of each gang, as JSON lines")
      ->type_name("FILE");
  command
      ->add_option("--series", simulate_.series_file,
                   "Write the GPUs in use and what waits over time, as CSV")
      ->type_name("FILE");
  command
      ->add_option("--checkpoint", simulate_.checkpoint_file,
                   "Write there every ten seconds how far it is, and go on\n"
                   "from there; at the end the file is removed")
      ->type_name("FILE");
  add_width(command, simulate_.width);
  command
      ->add_option_function<std::string>(
          "-o,--output",
          [this](const std::string& word) {
            simulate_.output = read_choice("", "format", word, kSimulationOutputs);
          },
          "How to print (table)")
      ->type_name("table|json|csv|html");
}

}  // namespace trellis
