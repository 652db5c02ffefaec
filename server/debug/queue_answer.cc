#include "server/debug/queue_answer.h"

#include <string>
#include <vector>

#include "server/debug/parameters.h"
#include "server/document/json_writer.h"
#include "server/view/cluster_queue_output.h"
#include "server/view/queue_output.h"
#include "session/explain/queue_report.h"

namespace trellis {
namespace {}  // namespace

HttpResponse answer_queues(CycleView& view, const HttpRequest& request) {
  Parameters parameters(request);
  AnswerForm form = parameters.form(kJsonOrText);
  if (std::string error = parameters.error(); !error.empty()) return error_response(400, error);
  const Cluster& cluster = view.cluster();
  std::vector<QueueReport> queues = report_queues(view.session());
  std::vector<ClusterQueueReport> cluster_queues = report_cluster_queues(view.session());
  if (form == AnswerForm::Text) {
    std::string text = queues_table(cluster, queues, Colours::Off);
    std::string others = cluster_queues_table(cluster, cluster_queues, Colours::Off);
    return text_response(others.empty() ? text : text + "\n" + others);
  }
  StringSink sink;
  JsonWriter out(sink, kRecordDepth);
  out.begin_object();
  out.field("cycle", view.cycle().number);
  write_queues(out, cluster, queues, QueueDetail::WithGangs);
  write_cluster_queues(out, cluster, cluster_queues);
  out.end_object();
  out.finish();
  return {.body = sink.text()};
}

}  // namespace trellis
