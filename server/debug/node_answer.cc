#include "server/debug/node_answer.h"

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "server/debug/parameters.h"
#include "server/debug/topology_columns.h"
#include "server/document/json_writer.h"
#include "server/view/text_table.h"
#include "server/view/topology_document.h"
#include "server/wording/quantity_text.h"

namespace trellis {
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
