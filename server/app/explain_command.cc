#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "server/app/commands.h"
#include "server/app/input.h"
#include "server/explain/explain_answer.h"
#include "server/explain/named_question.h"

namespace trellis {

ExitCode run(const ExplainArguments& arguments, Console& console) {
  std::optional<LoadedCluster> loaded =
      load_cluster(arguments.input, arguments.cycle, KeepRaw::No, console);
  if (!loaded) return kBadInput;
  Engine& engine = *loaded->engine;
  std::shared_ptr<const CycleRecord> record = engine.run(loaded->now, arguments.cycle.cycles);
  AnswerStyle style{arguments.output, console.glyphs, console.form(arguments.width)};
  bool of_any_kind = !arguments.kind_error.empty();
  CompletedQuestion asked = of_any_kind
                                ? complete_any(arguments.question.name, engine)
                                : complete(arguments.question, arguments.owner, engine, *record);
  if (of_any_kind && asked.error.empty() && asked.question.name.empty()) {
    asked.error = arguments.kind_error;
  }
  if (!asked.note.empty()) console.complain(asked.note);
  std::string error = std::move(asked.error);
  if (error.empty()) error = explain(asked.question, engine, *record, style, console.out);
  if (!error.empty()) console.complain(error);
  return loaded->has_errors || !error.empty() ? kBadInput : kDone;
}

}  // namespace trellis
