#include "server/debug/workload_answers.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "server/debug/parameters.h"
#include "server/document/json_writer.h"
#include "server/view/decisions.h"
#include "server/view/workload_output.h"

namespace trellis {
namespace {

constexpr int64_t kMostWorkloads = 1000;

constexpr std::string_view kWorkloadStatuses[] = {"Pending", "QuotaReserved", "Admitted", "Evicted",
                                                  "Finished"};

struct WorkloadFilter {
  std::string status;  // "": any
  std::string queue;   // the LocalQueue; "": any
};

bool passes(const CycleView& view, WorkloadId id, const WorkloadFilter& filter) {
  const Workload& workload = view.cluster().workloads()[id];
  const StringTable& strings = view.cluster().vocabulary().strings;
  bool has_status =
      filter.status.empty() || to_string(view.record().workloads[id].status) == filter.status;
  bool is_of_queue = filter.queue.empty() ||
                     (workload.queue.valid() && strings.view(workload.queue) == filter.queue);
  return has_status && is_of_queue;
}

std::string workloads_json(const CycleView& view, std::span<const WorkloadId> ids, size_t more) {
  const StringTable& strings = view.cluster().vocabulary().strings;
  StringSink sink;
  JsonWriter out(sink, kRecordDepth);
  out.begin_object();
  out.field("cycle", view.cycle().number);
  out.begin_array("workloads");
  for (WorkloadId id : ids) {
    const Workload& workload = view.cluster().workloads()[id];
    out.begin_object();
    write_workload(out, view.cluster(), view.record(), id);
    out.field("pods", count_pods(view.cluster(), view.record(), id));
    if (workload.queue.valid()) out.field("queue", strings.view(workload.queue));
    out.end_object();
  }
  out.end_array();
  out.field("more", more);
  out.end_object();
  out.finish();
  return sink.text();
}

}  // namespace

HttpResponse answer_workloads(CycleView& view, const HttpRequest& request) {
  Parameters parameters(request);
  AnswerForm form = parameters.form(kJsonOrText);
  WorkloadFilter filter{parameters.word("status", kWorkloadStatuses), parameters.text("queue")};
  int64_t limit = parameters.count("limit", kMostWorkloads);
  if (std::string error = parameters.error(); !error.empty()) return error_response(400, error);
  const Cluster& cluster = view.cluster();
  std::vector<WorkloadId> ids = cluster.workloads().by_name(cluster.vocabulary().strings);
  std::erase_if(ids, [&](WorkloadId id) { return !passes(view, id, filter); });
  size_t more = ids.size() - std::min(ids.size(), static_cast<size_t>(limit));
  ids.resize(ids.size() - more);
  if (form == AnswerForm::JsonText) return {.body = workloads_json(view, ids, more)};
  if (ids.empty()) return text_response("no workloads\n");
  return text_response(workloads_table(cluster, view.record(), ids, Colours::Off));
}

}  // namespace trellis
