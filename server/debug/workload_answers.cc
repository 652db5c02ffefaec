#include "server/debug/workload_answers.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "server/debug/parameters.h"
#include "server/debug/row_search.h"
#include "server/document/json_writer.h"
#include "server/view/decisions.h"
#include "server/view/name_search.h"
#include "server/view/row_selection.h"
#include "server/view/waiting.h"
#include "server/view/workload_output.h"
#include "server/wording/names_text.h"

namespace trellis {
namespace {

constexpr std::string_view kWorkloadStatuses[] = {"Pending", "QuotaReserved", "Admitted", "Evicted",
                                                  "Finished"};

class WorkloadRows {
 public:
  explicit WorkloadRows(const CycleView& view)
      : cluster_(view.cluster()), strings_(cluster_.vocabulary().strings), record_(view.record()) {}

  std::string_view status(WorkloadId id) const { return to_string(record_.workloads[id].status); }
  int rank(WorkloadId id) const { return rank_of(record_.workloads[id].status); }
  std::string_view queue(WorkloadId id) const {
    StrId queue = cluster_.workloads()[id].queue;
    return queue.valid() ? strings_.view(queue) : std::string_view();
  }
  TimeUs since(WorkloadId id) const { return waiting_since(cluster_, record_, id); }

  std::string name(WorkloadId id) const {
    std::string text = full_name(cluster_, id);
    if (std::string_view of = queue(id); !of.empty()) text.append(" queue:").append(of);
    WorkloadOutcome outcome = record_.workloads[id];
    if (!outcome.reasons) return text;
    for (const Reason& reason : *outcome.reasons) text.append(" ").append(to_string(reason.code));
    return text;
  }

  // Its flavors, and its domains or its reason, as they are shown.
  std::string details(WorkloadId id) const {
    return workload_flavors_text(cluster_, record_, id) + " " +
           workload_fate_text(cluster_, record_, id);
  }

 private:
  const Cluster& cluster_;
  const StringTable& strings_;
  const CycleRecord& record_;
};

// By name; each once, however many namespaces have it.
std::vector<std::string> local_queue_names(const Cluster& cluster) {
  const auto& queues = cluster.workloads().local_queues();
  std::vector<std::string> names;
  for (LocalQueueId id : queues.live()) names.push_back(queues[id].name);
  sort_unique(names);
  return names;
}

std::string workloads_json(const CycleView& view, const FoundRows<WorkloadId>& found) {
  const StringTable& strings = view.cluster().vocabulary().strings;
  StringSink sink;
  JsonWriter out(sink, kRecordDepth);
  out.begin_object();
  out.field("cycle", view.cycle().number);
  out.begin_array("workloads");
  for (WorkloadId id : found.rows) {
    const Workload& workload = view.cluster().workloads()[id];
    out.begin_object();
    write_workload(out, view.cluster(), view.record(), id);
    out.field("pods", count_pods(view.cluster(), view.record(), id));
    if (workload.queue.valid()) out.field("queue", strings.view(workload.queue));
    write_waiting_since(out, waiting_since(view.cluster(), view.record(), id));
    out.end_object();
  }
  out.end_array();
  write_found(out, found.more, found.statuses);
  out.end_object();
  out.finish();
  return sink.text();
}

}  // namespace

HttpResponse answer_workloads(CycleView& view, const HttpRequest& request) {
  Parameters parameters(request);
  AnswerForm form = parameters.form(kJsonOrText);
  RowRequest rows = take_row_request(parameters, kWorkloadStatuses);
  if (std::string error = parameters.error(); !error.empty()) return error_response(400, error);
  const Cluster& cluster = view.cluster();
  FoundRows<WorkloadId> found = find_rows(cluster.workloads().by_name(cluster.vocabulary().strings),
                                          WorkloadRows(view), rows);
  // Workloads may name a queue that does not exist.
  if (!rows.queue.empty() && !found.of_queue) {
    std::vector<std::string> names = local_queue_names(cluster);
    if (!std::ranges::binary_search(names, rows.queue)) {
      return error_response(404, no_such("LocalQueue", rows.queue, names));
    }
  }
  if (form == AnswerForm::JsonText) return {.body = workloads_json(view, found)};
  if (found.rows.empty()) return text_response("no workloads\n");
  return text_response(workloads_table(cluster, view.record(), found.rows, Colours::Off));
}

}  // namespace trellis
