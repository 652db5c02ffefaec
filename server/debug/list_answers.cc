#include "server/debug/list_answers.h"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/debug/parameters.h"
#include "server/debug/topology_answer.h"
#include "server/document/json_writer.h"
#include "server/view/cluster_queue_output.h"
#include "server/view/decisions.h"
#include "server/view/decisions_table.h"
#include "server/view/gang_summary.h"
#include "server/view/name_search.h"
#include "server/view/object_names.h"
#include "server/view/queue_output.h"
#include "server/view/text_table.h"
#include "server/view/topology_output.h"
#include "server/wording/quantity_text.h"
#include "session/explain/queue_report.h"

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

namespace {

constexpr int64_t kMostNodes = 1000;

struct NodeLists {
  ResourceList available;
  ResourceList unavailable;
  ResourceList allocated;
};

NodeLists lists_of(const Session& session, NodeId node) {
  NodeLists lists;
  for (uint32_t i = 0; i < session.snapshot().state().now.size(); ++i) {
    NodeUsage usage = measure_usage(session, ResourceId(i), node);
    lists.available.add(ResourceId(i), usage.available);
    lists.unavailable.add(ResourceId(i), usage.unavailable);
    lists.allocated.add(ResourceId(i), usage.allocated);
  }
  return lists;
}

void write_node_rows(DocumentWriter& out, const Session& session, std::span<const NodeId> nodes) {
  const Cluster& cluster = session.cluster();
  out.begin_array("nodes");
  for (NodeId node : nodes) {
    NodeLists lists = lists_of(session, node);
    out.begin_object();
    out.field("name", cluster.nodes()[node].name);
    if (is_closed(cluster.nodes()[node])) out.field("closed", true);
    out.key("available");
    write_resources(out, cluster.vocabulary().resources, lists.available);
    if (!lists.unavailable.items().empty()) {
      out.key("unavailable");
      write_resources(out, cluster.vocabulary().resources, lists.unavailable);
    }
    out.key("allocated");
    write_resources(out, cluster.vocabulary().resources, lists.allocated);
    out.end_object();
  }
  out.end_array();
}

std::string nodes_table(const Session& session, std::span<const NodeId> nodes) {
  const ResourceTable& resources = session.cluster().vocabulary().resources;
  TextTable table({{"NODE"},
                   {"GPUS USED", Align::Right},
                   {"FREE", Align::Right},
                   {"CPUS USED", Align::Right},
                   {"FREE", Align::Right}});
  for (NodeId node : nodes) {
    const Node& record = session.cluster().nodes()[node];
    std::vector<Cell> cells = {{record.name + (is_closed(record) ? " (closed)" : "")}};
    for (ResourceId resource : {kGpu, kCpu}) {
      NodeUsage usage = measure_usage(session, resource, node);
      cells.push_back({quantity_text(resources, resource, usage.allocated)});
      cells.push_back({quantity_text(resources, resource, usage.available)});
    }
    table.add_row(std::move(cells));
  }
  return table.render(Colours::Off);
}

}  // namespace

HttpResponse answer_nodes(CycleView& view, const HttpRequest& request) {
  Parameters parameters(request);
  AnswerForm form = parameters.form(kJsonTextOrColumns);
  std::vector<NodeId> all = view.cluster().nodes_by_name();
  auto count = static_cast<int64_t>(all.size());
  int64_t limit = parameters.count("limit", form == AnswerForm::Columns ? count : kMostNodes);
  if (std::string error = parameters.error(); !error.empty()) return error_response(400, error);
  std::span<const NodeId> nodes = std::span(all).first(static_cast<size_t>(std::min(limit, count)));
  const Session& session = view.session();
  if (form == AnswerForm::Text) return text_response(nodes_table(session, nodes));
  StringSink sink;
  JsonWriter out(sink, kRecordDepth);
  out.begin_object();
  out.field("cycle", view.cycle().number);
  if (form == AnswerForm::Columns) {
    write_node_columns(out, session, nodes);
  } else {
    write_node_rows(out, session, nodes);
  }
  out.field("more", all.size() - nodes.size());
  out.end_object();
  out.finish();
  return {.body = sink.text()};
}

}  // namespace trellis
