// The options of `plan`.

#include <string>

#include "server/app/command_line.h"
#include "server/app/help_texts.h"
#include "server/app/option_values.h"
#include "server/document/duration.h"

namespace trellis {
namespace {

constexpr std::pair<std::string_view, PlanOutput> kPlanOutputs[] = {
    {"table", PlanOutput::Table}, {"json", PlanOutput::JsonText}, {"html", PlanOutput::Html}};

TimeUs read_wait(const std::string& text) {
  std::optional<TimeUs> wait = parse_span(text);
  if (!wait) refuse("--p95-wait: " + text + ": expected seconds or a duration such as 10m");
  return *wait;
}

}  // namespace

void CommandLine::add_plan() {
  CLI::App* command = add_command("plan",
                                  "Find the fewest or cheapest nodes with which gangs\n"
                                  "run, and the domains to put them in",
                                  kPlanDetails);
  add_input(command, plan_.input);
  add_change(command, "--shape", plan_.shapes,
             "A Node like those that may be bought, and how many at\n"
             "the most. May be repeated",
             "FILE[=MAX]");
  add_change(command, "--gang", plan_.gangs,
             "A gang that has to run, instead of all that wait. May\n"
             "be repeated",
             "NAMESPACE/NAME");
  add_planned_trace(command);
  add_width(command, plan_.width);
  command
      ->add_option_function<std::string>(
          "-o,--output",
          [this](const std::string& word) {
            plan_.output = read_choice("", "format", word, kPlanOutputs);
          },
          "How to print (table)")
      ->type_name("table|json|html");
  take(command, plan_, [](const PlanArguments& plan) {
    if (plan.shapes.empty()) refuse("plan needs --shape: a file with a Node that may be bought");
    bool by_trace = !plan.trace.empty();
    if (by_trace != plan.wait.has_value()) refuse("--trace and --p95-wait need each other");
    if (by_trace && !plan.gangs.empty()) refuse("--gang and --trace: expected one of them");
  });
}

void CommandLine::add_planned_trace(CLI::App* command) {
  command
      ->add_option("--trace", plan_.trace,
                   "Instead: the smallest cluster for a table of gangs that\n"
                   "come, as simulate reads it")
      ->type_name("FILE|-");
  command
      ->add_option_function<std::string>(
          "--trace-format",
          [this](const std::string& word) {
            plan_.format = read_choice("--trace-format: ", "format", word, kTraceFormats);
          },
          "The format of the trace (columns)")
      ->type_name("openb|philly|swf|columns");
  command
      ->add_option_function<std::string>(
          "--p95-wait", [this](const std::string& text) { plan_.wait = read_wait(text); },
          "So long 95 of 100 gangs of the trace may wait")
      ->type_name("DURATION");
}

}  // namespace trellis
