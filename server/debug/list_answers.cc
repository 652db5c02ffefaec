#include "server/debug/list_answers.h"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/debug/parameters.h"
#include "server/debug/row_search.h"
#include "server/debug/topology_answer.h"
#include "server/document/json_writer.h"
#include "server/view/cluster_queue_output.h"
#include "server/view/decisions.h"
#include "server/view/decisions_table.h"
#include "server/view/gang_summary.h"
#include "server/view/name_search.h"
#include "server/view/object_names.h"
#include "server/view/queue_output.h"
#include "server/view/row_selection.h"
#include "server/view/text_table.h"
#include "server/view/topology_output.h"
#include "server/view/waiting.h"
#include "server/wording/names_text.h"
#include "server/wording/quantity_text.h"
#include "server/wording/reason_text.h"
#include "session/explain/queue_report.h"

namespace trellis {
namespace {

// REQUIRES: the order of GangStatus.
constexpr std::string_view kGangStatuses[] = {"Running", "Scheduled", "Pipelined", "Pending",
                                              "Evicted", "Releasing", "Finished"};

class GangRows {
 public:
  explicit GangRows(const CycleView& view)
      : cluster_(view.cluster()), strings_(cluster_.vocabulary().strings), record_(view.record()) {}

  std::string_view status(GangId id) const { return to_string(record_.gangs[id].status); }
  int rank(GangId id) const { return rank_of(record_.gangs[id].status); }
  std::string_view queue(GangId id) const {
    Maybe<StrId> queue = cluster_.gangs()[id].queue;
    return queue ? strings_.view(*queue) : std::string_view();
  }
  TimeUs since(GangId id) const { return waiting_since(cluster_, record_, id); }

  std::string name(GangId id) const {
    const GangOutcome& outcome = record_.gangs[id];
    std::string text = full_name(cluster_, id);
    if (cluster_.gangs()[id].queue) text.append(" queue:").append(queue(id));
    if (outcome.placement) text += " " + placement_text(outcome.placement);
    for (const Reason& reason : outcome.reasons) text.append(" ").append(to_string(reason.code));
    return text;
  }

  // Its sentences, as they are shown.
  std::string details(GangId id) const {
    std::string text;
    for (const Reason& reason : record_.gangs[id].reasons) {
      text += reason_text(cluster_, reason) + " ";
    }
    return text;
  }

 private:
  const Cluster& cluster_;
  const StringTable& strings_;
  const CycleRecord& record_;
};

std::string gangs_json(const CycleView& view, const FoundRows<GangId>& found) {
  StringSink sink;
  JsonWriter out(sink, kRecordDepth);
  out.begin_object();
  out.field("cycle", view.cycle().number);
  out.begin_array("gangs");
  for (GangId id : found.rows) {
    GangSummary summary = summarize_gang(view.cluster(), view.record(), id);
    out.begin_object();
    write_gang(out, view.cluster(), view.record(), id);
    out.field("pods", summary.pods);
    out.field("placed", summary.placed);
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

HttpResponse answer_gangs(CycleView& view, const HttpRequest& request) {
  Parameters parameters(request);
  AnswerForm form = parameters.form(kJsonOrText);
  RowRequest rows = take_row_request(parameters, kGangStatuses);
  if (std::string error = parameters.error(); !error.empty()) return error_response(400, error);
  const Cluster& cluster = view.cluster();
  FoundRows<GangId> found = find_rows(cluster.gangs_by_name(), GangRows(view), rows);
  // Gangs may name a queue that does not exist.
  bool known = rows.queue.empty() || found.of_queue || cluster.find_queue(rows.queue).valid();
  if (!known) return error_response(404, no_such("queue", rows.queue, queue_names(cluster)));
  if (form == AnswerForm::JsonText) return {.body = gangs_json(view, found)};
  std::vector<GangSummary> gangs;
  for (GangId id : found.rows) gangs.push_back(summarize_gang(cluster, view.record(), id));
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

constexpr std::string_view kNodeStatuses[] = {"Open", "Closed"};

class NodeRows {
 public:
  explicit NodeRows(const Cluster& cluster) : cluster_(cluster) {}

  std::string_view status(NodeId id) const {
    return kNodeStatuses[is_closed(cluster_.nodes()[id]) ? 1 : 0];
  }
  int rank(NodeId) const { return 0; }
  std::string_view queue(NodeId) const { return ""; }
  TimeUs since(NodeId) const { return kNoTime; }
  std::string name(NodeId id) const { return cluster_.nodes()[id].name; }

  // Its labels.
  std::string details(NodeId id) const {
    const StringTable& strings = cluster_.vocabulary().strings;
    std::string text;
    for (const Label& label : cluster_.nodes()[id].labels) {
      text.append(strings.view(label.key)).append("=").append(strings.view(label.value));
      text += " ";
    }
    return text;
  }

 private:
  const Cluster& cluster_;
};

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
  RowRequest asked{.status = parameters.word("status", kNodeStatuses),
                   .queue = "",
                   .words = SearchWords(parameters.text("q"))};
  GroupBy by = grouping_of(parameters.word("by", kGroupings));
  bool all = form == AnswerForm::Columns;
  asked.limit = parameters.count("limit", all ? INT64_MAX : kMostRows);
  if (std::string error = parameters.error(); !error.empty()) return error_response(400, error);
  FoundRows<NodeId> found =
      find_rows(view.cluster().nodes_by_name(), NodeRows(view.cluster()), asked);
  const std::vector<NodeId>& nodes = found.rows;
  const Session& session = view.session();
  if (form == AnswerForm::Text) return text_response(nodes_table(session, nodes));
  StringSink sink;
  JsonWriter out(sink, kRecordDepth);
  out.begin_object();
  out.field("cycle", view.cycle().number);
  if (form == AnswerForm::Columns) {
    write_node_columns(out, view, nodes, by);
  } else {
    write_node_rows(out, session, nodes);
  }
  write_found(out, found.more, found.statuses);
  out.end_object();
  out.finish();
  return {.body = sink.text()};
}

}  // namespace trellis
