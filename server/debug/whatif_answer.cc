#include "server/debug/whatif_answer.h"

#include <string>
#include <vector>

#include "server/compare/changed_cycle.h"
#include "server/compare/comparison.h"
#include "server/compare/comparison_output.h"
#include "server/compare/rerun.h"
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

}  // namespace

HttpResponse answer_whatif(CycleView& view, const HttpRequest& request) {
  Parameters parameters(request);
  AnswerForm form = parameters.form(kJsonOrText);
  PlannedChange change;
  change.removed = parameters.list("remove");
  change.cordoned = parameters.list("cordon");
  change.drained = parameters.list("drain");
  if (std::string error = parameters.error(); !error.empty()) return error_response(400, error);
  ComparedCycle before{view.engine(), view.record(), &view.summary()};
  if (request.body.empty()) {
    Rerun rerun(view.engine(), view.cycle().record);
    if (auto record = rerun.run(change)) {
      return answer_of(before, {view.engine(), *record}, form);
    }
  }
  StringSink input;
  write_snapshot(input, {view.engine(), view.cycle(), view.texts()});
  std::vector<NamedText> texts = {{std::string_view("cycle"), StoredText(input.text())}};
  if (!request.body.empty()) {
    texts.push_back({std::string_view("request"), StoredText(request.body)});
  }
  Result<ChangedCycle> changed = run_changed(texts, change, view.engine().config());
  if (!changed) return error_response(400, changed.error().message);
  return answer_of(before, {*changed->engine, *changed->record}, form);
}

}  // namespace trellis
