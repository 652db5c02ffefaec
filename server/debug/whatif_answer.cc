#include "server/debug/whatif_answer.h"

#include <string>
#include <utility>
#include <vector>

#include "server/compare/added_objects.h"
#include "server/compare/changed_cycle.h"
#include "server/compare/comparison.h"
#include "server/compare/comparison_output.h"
#include "server/compare/cycle_copy.h"
#include "server/compare/planned_change.h"
#include "server/debug/parameters.h"
#include "server/document/json_writer.h"
#include "server/serve/snapshot_text.h"

namespace trellis {

namespace {

HttpResponse answer_of(const ComparedCycle& before, const ComparedCycle& after, AnswerForm form) {
  Comparison comparison = compare(before, after);
  if (form == AnswerForm::Text) {
    return text_response(comparison_text(before, after, comparison, TableForm()));
  }
  StringSink sink;
  JsonWriter out(sink, kRecordDepth);
  write_comparison(out, before, after, comparison);
  return {.body = sink.text()};
}

// Reads the cluster again, with all that the question adds.
Result<ChangedCycle> read_and_run(CycleView& view, const PlannedChange& change,
                                  const std::string& added) {
  StringSink input;
  write_snapshot(input, {view.engine(), view.cycle(), view.texts()});
  std::vector<NamedText> texts = {{std::string_view("cycle"), StoredText(input.text())},
                                  {std::string_view("request"), StoredText(added)}};
  return run_changed(texts, change, view.engine().config());
}

Result<ChangedCycle> run(CycleView& view, const PlannedChange& change, const std::string& added) {
  const SourceTexts& texts = view.texts();
  CycleCopy copy(view.engine());
  if (!added.empty()) {
    AddedObjects objects{.text = added,
                         .far_reaching = texts.far_reaching(),
                         .settings = reading_settings(view.engine().config())};
    if (texts.hold_gpu_fractions()) objects.settings.gpu_fractions = GpuFractions::Held;
    if (texts.is_shard() || !add_objects(objects, copy)) return read_and_run(view, change, added);
  }
  std::string wrong = apply(change, copy.objects(), copy.vocabulary().strings);
  if (!wrong.empty()) return error(wrong);
  return copy.run(view.record().now);
}

}  // namespace

HttpResponse answer_whatif(CycleView& view, const HttpRequest& request) {
  Parameters parameters(request);
  AnswerForm form = parameters.form(kJsonOrText);
  PlannedChange change;
  change.removed = parameters.list("remove");
  change.cordoned = parameters.list("cordon");
  change.drained = parameters.list("drain");
  if (std::string error = parameters.error(); !error.empty()) return error_response(400, error);
  Result<ChangedCycle> changed = run(view, change, request.body);
  if (!changed) return error_response(400, changed.error().message);
  ComparedCycle before{view.engine(), view.record(), &view.summary()};
  return answer_of(before, {*changed->engine, *changed->record}, form);
}

}  // namespace trellis
