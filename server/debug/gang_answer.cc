#include "server/debug/gang_answer.h"

#include <string>
#include <utility>
#include <vector>

#include "server/debug/parameters.h"
#include "server/output/decisions.h"
#include "server/output/decisions_table.h"
#include "server/output/gang_summary.h"
#include "server/output/json_writer.h"

namespace trellis {
namespace {

constexpr int64_t kMostGangs = 1000;
constexpr size_t kExpandedDepth = 2;

// In the order of GangStatus.
constexpr std::string_view kStatuses[] = {"Running", "Scheduled", "Pipelined",
                                          "Pending", "Evicted",   "Releasing"};

}  // namespace

HttpResponse answer_gangs(CycleView& view, const HttpRequest& request) {
  Parameters parameters(request);
  AnswerForm form = parameters.form(kJsonOrText);
  std::string status = parameters.word("status", kStatuses);
  std::string queue = parameters.text("queue");
  int64_t limit = parameters.count("limit", kMostGangs);
  if (std::string error = parameters.error(); !error.empty()) return error_response(400, error);
  const Cluster& cluster = view.cluster();
  if (form == AnswerForm::Text) {
    return text_response(decisions_table(cluster, view.record(), Colours::Off));
  }
  StringSink sink;
  JsonWriter out(sink, kExpandedDepth);
  out.begin_object();
  out.field("cycle", view.cycle().number);
  out.begin_array("gangs");
  int64_t more = 0;
  for (const GangSummary& summary : summarize_gangs(cluster, view.record())) {
    const Gang& gang = cluster.gangs()[summary.gang];
    const GangOutcome& outcome = view.record().gangs[summary.gang];
    if (!status.empty() && to_string(outcome.status) != status) continue;
    if (!queue.empty() && cluster.vocabulary().strings.find(queue) != gang.queue) continue;
    if (limit == 0) {
      ++more;
      continue;
    }
    --limit;
    out.begin_object();
    write_gang(out, cluster, view.record(), summary.gang);
    out.field("pods", summary.pods);
    out.field("placed", summary.placed);
    out.end_object();
  }
  out.end_array();
  out.field("more", more);
  out.end_object();
  out.finish();
  return {.body = sink.text()};
}

}  // namespace trellis
