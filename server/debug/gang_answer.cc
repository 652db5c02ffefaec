#include "server/debug/gang_answer.h"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "server/debug/parameters.h"
#include "server/document/json_writer.h"
#include "server/view/decisions.h"
#include "server/view/decisions_table.h"
#include "server/view/gang_summary.h"
#include "server/view/object_names.h"

namespace trellis {
namespace {

constexpr int64_t kMostGangs = 1000;

// REQUIRES: the order of GangStatus.
constexpr std::string_view kStatuses[] = {"Running", "Scheduled", "Pipelined", "Pending",
                                          "Evicted", "Releasing", "Finished"};

struct GangFilter {
  std::string status;  // "": any
  std::string queue;   // "": any
};

bool passes(const CycleView& view, GangId id, const GangFilter& filter) {
  Maybe<StrId> queue = view.cluster().gangs()[id].queue;
  std::string_view status = to_string(view.record().gangs[id].status);
  if (!filter.status.empty() && status != filter.status) return false;
  if (filter.queue.empty()) return true;
  return queue && view.cluster().vocabulary().strings.view(*queue) == filter.queue;
}

std::string gangs_json(const CycleView& view, std::span<const GangSummary> gangs, size_t more) {
  StringSink sink;
  JsonWriter out(sink, kRecordDepth);
  out.begin_object();
  out.field("cycle", view.cycle().number);
  out.begin_array("gangs");
  for (const GangSummary& summary : gangs) {
    out.begin_object();
    write_gang(out, view.cluster(), view.record(), summary.gang);
    out.field("pods", summary.pods);
    out.field("placed", summary.placed);
    out.end_object();
  }
  out.end_array();
  out.field("more", more);
  out.end_object();
  out.finish();
  return sink.text();
}

}  // namespace

HttpResponse answer_gangs(CycleView& view, const HttpRequest& request) {
  Parameters parameters(request);
  AnswerForm form = parameters.form(kJsonOrText);
  GangFilter filter{parameters.word("status", kStatuses), parameters.text("queue")};
  int64_t limit = parameters.count("limit", kMostGangs);
  if (std::string error = parameters.error(); !error.empty()) return error_response(400, error);
  const Cluster& cluster = view.cluster();
  std::vector<GangSummary> gangs = summarize_gangs(cluster, view.record());
  std::erase_if(gangs, [&](const GangSummary& gang) { return !passes(view, gang.gang, filter); });
  // Gangs may name a queue that does not exist.
  bool known = filter.queue.empty() || !gangs.empty() || cluster.find_queue(filter.queue).valid();
  if (!known) return error_response(404, no_such("queue", filter.queue, queue_names(cluster)));
  size_t shown = std::min(gangs.size(), static_cast<size_t>(limit));
  size_t more = gangs.size() - shown;
  gangs.resize(shown);
  if (form == AnswerForm::JsonText) return {.body = gangs_json(view, gangs, more)};
  return text_response(gangs_table(cluster, view.record(), gangs, Colours::Off));
}

}  // namespace trellis
