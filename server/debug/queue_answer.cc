#include "server/debug/queue_answer.h"

#include <string>
#include <vector>

#include "server/debug/parameters.h"
#include "server/output/json_writer.h"
#include "server/output/queue_output.h"
#include "session/explain/queue_report.h"

namespace trellis {
namespace {

constexpr size_t kExpandedDepth = 2;

}  // namespace

HttpResponse answer_queues(CycleView& view, const HttpRequest& request) {
  Parameters parameters(request);
  AnswerForm form = parameters.form(kJsonOrText);
  if (std::string error = parameters.error(); !error.empty()) return error_response(400, error);
  const Cluster& cluster = view.cluster();
  std::vector<QueueLine> lines = report_queues(view.session());
  if (form == AnswerForm::Text) return text_response(queues_table(cluster, lines, Colours::Off));
  StringSink sink;
  JsonWriter out(sink, kExpandedDepth);
  out.begin_object();
  out.field("cycle", view.cycle().number);
  out.begin_array("queues");
  for (const QueueLine& line : lines) {
    out.begin_object();
    write_queue(out, cluster, line, QueueDetail::WithGangs);
    out.end_object();
  }
  out.end_array();
  out.end_object();
  out.finish();
  return {.body = sink.text()};
}

}  // namespace trellis
