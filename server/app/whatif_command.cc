#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "server/app/commands.h"
#include "server/app/input.h"
#include "server/compare/comparison.h"
#include "server/compare/comparison_output.h"
#include "server/compare/planned_change.h"
#include "server/document/document_output.h"
#include "server/document/json_writer.h"

namespace trellis {
namespace {

void print(const WhatifArguments& arguments, const ComparedCycle& before,
           const ComparedCycle& after, Console& console) {
  Comparison comparison = compare(before, after);
  if (arguments.output == OutputFormat::Table) {
    console.print(comparison_text(before, after, comparison, console.form(arguments.width)));
    return;
  }
  write_document(console.out, arguments.output, kRecordDepth,
                 [&](DocumentWriter& out) { write_comparison(out, before, after, comparison); });
}

}  // namespace

ExitCode run(const WhatifArguments& arguments, Console& console) {
  InputArguments changed = arguments.input;
  changed.files.insert(changed.files.end(), arguments.added.begin(), arguments.added.end());
  std::optional<InputTexts> texts = read_once(changed, console);
  if (!texts) return kBadInput;
  LoadOptions load{.texts = &*texts};
  load.change = [&](Objects& objects, TimeUs /*now*/, StringTable& strings) {
    std::string error = apply(arguments.change, objects, strings);
    if (!error.empty()) console.complain(error);
    return error.empty();
  };
  std::optional<LoadedCluster> after = load_cluster(changed, arguments.cycle, load, console);
  if (!after) return kBadInput;
  // The diagnostics were printed with the change already; the time is the same in both.
  load.listing = Listing::None;
  load.change = nullptr;
  CycleArguments cycle = arguments.cycle;
  cycle.now = after->now;
  std::optional<LoadedCluster> before = load_cluster(arguments.input, cycle, load, console);
  if (!before) return kBadInput;
  auto record_before = before->engine->run(before->now, cycle.cycles);
  auto record_after = after->engine->run(after->now, cycle.cycles);
  print(arguments, {*before->engine, *record_before}, {*after->engine, *record_after}, console);
  return after->has_errors ? kBadInput : kDone;
}

}  // namespace trellis
