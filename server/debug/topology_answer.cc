#include "server/debug/topology_answer.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/debug/parameters.h"
#include "server/document/json_writer.h"
#include "server/view/gpu_output.h"
#include "server/view/name_search.h"
#include "server/view/object_names.h"
#include "server/view/text_table.h"
#include "server/view/topology_output.h"
#include "server/wording/quantity_text.h"

namespace trellis {
namespace {

constexpr std::string_view kClasses[] = {"pending", "none"};

DomainReport node_row(CycleView& view, const TopologyRows& rows, NodeId node,
                      std::span<const PendingClass> pending) {
  Session& session = view.session();
  const TopologyTree& tree = session.snapshot().trees()[rows.topology];
  const StringTable& strings = view.cluster().vocabulary().strings;
  DomainId domain = tree.domain_of(node);
  DomainReport row;
  row.id = tree.domain_count() + tree.position(node);
  row.name = view.cluster().nodes()[node].name;
  row.level = "node";
  for (StrId value : tree.path(domain)) row.path.emplace_back(strings.view(value));
  row.path.push_back(row.name);
  row.parent = domain.value;
  row.depth = tree.level_of(domain) + 2;
  row.nodes = 1;
  for (uint32_t i = 0; i < session.snapshot().state().now.size(); ++i) {
    NodeUsage usage = measure_usage(session, ResourceId(i), node);
    row.available.add(ResourceId(i), usage.available);
    row.unavailable.add(ResourceId(i), usage.unavailable);
    row.allocated.add(ResourceId(i), usage.allocated);
  }
  for (const PendingClass& entry : pending) {
    row.allocatable_pods.push_back(
        {entry.gang, session.fits().node_fit(node, entry.pod_class, FitMode::Now)});
  }
  return row;
}

template <class Visit>
void each_row(CycleView& view, const TopologyRows& rows, std::span<const PendingClass> pending,
              Visit visit) {
  for (DomainId domain : rows.domains) {
    visit(report_domain(view.session(), rows.topology, domain, view.usage(rows.topology), pending));
  }
  for (NodeId node : rows.nodes) visit(node_row(view, rows, node, pending));
}

void write_head(DocumentWriter& out, const CycleView& view, TopologyId topology) {
  const TopologyTree& tree = view.session().snapshot().trees()[topology];
  TopologyReport head = report_head(view.session(), topology);
  out.field("name", head.name);
  out.begin_array("levels");
  for (const std::string& level : head.levels) out.text(level);
  out.end_array();
  out.field("nodes", tree.node_order().size());
  if (head.incomplete_nodes.empty()) return;
  out.begin_array("incompleteNodes");
  for (const std::string& node : head.incomplete_nodes) out.text(node);
  out.end_array();
}

void write_rows(DocumentWriter& out, CycleView& view, const TopologyRows& rows,
                std::span<const PendingClass> pending) {
  write_head(out, view, rows.topology);
  out.begin_array("domains");
  each_row(view, rows, pending, [&](const DomainReport& row) {
    write_domain(out, view.cluster().vocabulary().resources, row);
  });
  out.end_array();
}

std::string rows_table(CycleView& view, const TopologyRows& rows,
                       std::span<const PendingClass> pending) {
  const ResourceTable& resources = view.cluster().vocabulary().resources;
  std::vector<TextTable::Column> columns = {{"DOMAIN"}, {"LEVEL"}, {"NODES", Align::Right}};
  for (std::string_view name : {"GPUS USED", "FREE", "CPUS USED", "FREE"}) {
    columns.push_back({std::string(name), Align::Right});
  }
  for (const PendingClass& entry : pending) columns.push_back({entry.gang, Align::Right});
  TextTable table(std::move(columns));
  each_row(view, rows, pending, [&](const DomainReport& row) {
    std::string path;
    for (const std::string& value : row.path) path += (path.empty() ? "" : "/") + value;
    std::vector<Cell> cells = {{path.empty() ? row.name : path},
                               {row.level.empty() ? "root" : row.level},
                               {grouped_text(row.nodes)}};
    for (ResourceId resource : {kGpu, kCpu}) {
      cells.push_back({quantity_text(resources, resource, row.allocated.get(resource))});
      cells.push_back({quantity_text(resources, resource, row.available.get(resource))});
    }
    for (const ClassCount& count : row.allocatable_pods) {
      cells.push_back({grouped_text(count.count)});
    }
    table.add_row(std::move(cells));
  });
  return table.render(Colours::Off);
}

}  // namespace

HttpResponse answer_topologies(CycleView& view, const HttpRequest& request) {
  Parameters parameters(request);
  AnswerForm form = parameters.form(kJsonOrText);
  RowChoice choice{.level = parameters.text("level")};
  bool classes = parameters.word("classes", kClasses) != "none";
  if (std::string error = parameters.error(); !error.empty()) return error_response(400, error);
  if (form == AnswerForm::Text) {
    if (!choice.level.empty()) return error_response(400, "level as text needs one topology");
    std::vector<TopologyReport> topologies = report_topologies(view.engine().scheduler());
    std::string text =
        topologies.empty()
            ? cluster_line(view.cluster(), view.record(), Glyphs::Unicode, Colours::Off)
            : topology_tree(topologies, Glyphs::Unicode, Colours::Off);
    std::string gpus = gpu_lines(view.session(), view.gpus(), Colours::Off);
    return text_response(text + (gpus.empty() ? "" : "\n") + gpus);
  }
  StringSink sink;
  constexpr size_t kRowDepth = 4;
  JsonWriter out(sink, kRowDepth);
  out.begin_object();
  out.field("cycle", view.cycle().number);
  out.begin_array("topologies");
  for (const std::string& name : topology_names(view.cluster())) {
    TopologyId topology = view.cluster().find_topology(name);
    std::string error;
    TopologyRows rows = choose_rows(view, topology, choice, error);
    // A topology that does not have the requested level has no rows.
    if (!error.empty()) rows = {.topology = topology};
    out.begin_object();
    write_rows(out, view, rows,
               classes ? std::span(view.pending()) : std::span<const PendingClass>());
    out.end_object();
  }
  out.end_array();
  out.end_object();
  out.finish();
  return {.body = sink.text()};
}

HttpResponse answer_topology(CycleView& view, const HttpRequest& request) {
  const std::string& name = request.segments.back();
  TopologyId topology = view.cluster().find_topology(name);
  if (!topology.valid()) {
    return error_response(404, no_such("topology", name, topology_names(view.cluster())));
  }
  Parameters parameters(request);
  AnswerForm form = parameters.form(kJsonTextOrColumns);
  RowChoice choice{.level = parameters.text("level"), .parent = parameters.path("parent")};
  bool classes = parameters.word("classes", kClasses) != "none";
  GroupBy by = grouping_of(parameters.word("by", kGroupings));
  if (std::string error = parameters.error(); !error.empty()) return error_response(400, error);
  std::string error;
  TopologyRows rows = choose_rows(view, topology, choice, error);
  if (!error.empty()) return error_response(404, error);
  std::span<const PendingClass> pending;
  if (classes) pending = view.pending();

  if (form == AnswerForm::Text) return text_response(rows_table(view, rows, pending));
  if (form == AnswerForm::Columns && choice.level.empty() && choice.parent.empty()) {
    return error_response(400, "columns need rows of one level: give level or parent");
  }
  StringSink sink;
  // Each row, or each column, is one line.
  constexpr size_t row_depth = 2;
  constexpr size_t column_depth = 1;
  JsonWriter out(sink, form == AnswerForm::Columns ? column_depth : row_depth);
  out.begin_object();
  out.field("cycle", view.cycle().number);
  if (form == AnswerForm::Columns) {
    write_head(out, view, topology);
    write_columns(out, view, rows, pending, by);
  } else {
    write_rows(out, view, rows, pending);
  }
  out.end_object();
  out.finish();
  return {.body = sink.text()};
}

namespace {

// The resources that some node has, by name.
std::vector<ResourceId> resources_of(const Session& session) {
  const ResourceTable& table = session.cluster().vocabulary().resources;
  const NodeState& state = session.snapshot().state();
  std::vector<ResourceId> resources;
  for (uint32_t i = 0; i < state.allocatable.size(); ++i) {
    const NodeState::Column& column = state.allocatable[ResourceId(i)];
    if (std::any_of(column.begin(), column.end(), [](int64_t amount) { return amount > 0; })) {
      resources.emplace_back(i);
    }
  }
  std::sort(resources.begin(), resources.end(),
            [&](ResourceId a, ResourceId b) { return table.name(a) < table.name(b); });
  return resources;
}

template <class Rows, class Amount>
void write_usage(DocumentWriter& out, const Session& session, std::string_view key,
                 const std::vector<ResourceId>& resources, const Rows& rows, Amount amount) {
  const ResourceTable& table = session.cluster().vocabulary().resources;
  out.begin_object(key);
  for (ResourceId resource : resources) {
    out.begin_array(table.name(resource));
    for (auto row : rows) write_amount(out, table, resource, amount(resource, row));
    out.end_array();
  }
  out.end_object();
}

// The resources of which some row has an amount.
template <class Rows, class Amount>
std::vector<ResourceId> present(std::vector<ResourceId> resources, const Rows& rows,
                                Amount amount) {
  std::erase_if(resources, [&](ResourceId resource) {
    return std::none_of(rows.begin(), rows.end(),
                        [&](auto row) { return amount(resource, row) != 0; });
  });
  return resources;
}

void write_node_usage(DocumentWriter& out, const Session& session, std::span<const NodeId> nodes) {
  std::vector<ResourceId> resources = resources_of(session);
  write_usage(out, session, "available", resources, nodes, [&](ResourceId resource, NodeId node) {
    return measure_usage(session, resource, node).available;
  });
  auto unavailable = [&](ResourceId resource, NodeId node) {
    return measure_usage(session, resource, node).unavailable;
  };
  write_usage(out, session, "unavailable", present(resources, nodes, unavailable), nodes,
              unavailable);
  write_usage(out, session, "allocated", resources, nodes, [&](ResourceId resource, NodeId node) {
    return measure_usage(session, resource, node).allocated;
  });
}

void write_names(DocumentWriter& out, const Session& session, std::span<const NodeId> nodes) {
  const IndexedVector<NodeId, Node>& records = session.cluster().nodes();
  out.begin_array("names");
  for (NodeId node : nodes) out.text(records[node].name);
  out.end_array();
  out.begin_array("closed");
  for (NodeId node : nodes) out.integer(is_closed(records[node]) ? 1 : 0);
  out.end_array();
}

// The domains directly above the rows, and for each row the index of its domain among them.
void write_parents(DocumentWriter& out, const CycleView& view, const TopologyRows& rows) {
  const TopologyTree& tree = view.session().snapshot().trees()[rows.topology];
  const StringTable& strings = view.cluster().vocabulary().strings;
  std::vector<DomainId> above;
  for (DomainId domain : rows.domains) above.push_back(tree.parent(domain));
  for (NodeId node : rows.nodes) above.push_back(tree.domain_of(node));
  std::vector<int64_t> places(tree.domain_count(), -1);
  std::vector<DomainId> parents;
  for (DomainId domain : above) {
    if (!domain.valid() || places[domain.value] >= 0) continue;
    places[domain.value] = static_cast<int64_t>(parents.size());
    parents.push_back(domain);
  }
  out.begin_array("parents");
  for (DomainId parent : parents) {
    out.begin_array();
    for (StrId value : tree.path(parent)) out.text(strings.view(value));
    out.end_array();
  }
  out.end_array();
  out.begin_array("parent");
  for (DomainId domain : above) out.integer(domain.valid() ? places[domain.value] : -1);
  out.end_array();
}

void write_domain_columns(DocumentWriter& out, CycleView& view, const TopologyRows& rows) {
  const Session& session = view.session();
  const TopologyTree& tree = session.snapshot().trees()[rows.topology];
  const StringTable& strings = view.cluster().vocabulary().strings;
  out.begin_array("names");
  for (DomainId domain : rows.domains) {
    bool root = domain == tree.root();
    out.text(root ? std::string_view(view.cluster().topologies()[rows.topology].name)
                  : strings.view(tree.value(domain)));
  }
  out.end_array();
  out.begin_array("nodeCounts");
  for (DomainId domain : rows.domains) out.integer(tree.node_range(domain).size());
  out.end_array();
  const DomainUsage& usage = view.usage(rows.topology);
  std::vector<ResourceId> resources = resources_of(session);
  write_usage(
      out, session, "available", resources, rows.domains,
      [&](ResourceId resource, DomainId domain) { return usage.available[resource][domain]; });
  auto unavailable = [&](ResourceId resource, DomainId domain) {
    return usage.unavailable[resource][domain];
  };
  write_usage(out, session, "unavailable", present(resources, rows.domains, unavailable),
              rows.domains, unavailable);
  write_usage(
      out, session, "allocated", resources, rows.domains,
      [&](ResourceId resource, DomainId domain) { return usage.allocated[resource][domain]; });
}

IndexedVector<NodeId, int32_t> no_rows(const CycleView& view) {
  return IndexedVector<NodeId, int32_t>(view.cluster().nodes().size(), -1);
}

// The nodes of each row's domain.
RowsOfNodes nodes_in(const CycleView& view, const TopologyRows& rows) {
  const TopologyTree& tree = view.session().snapshot().trees()[rows.topology];
  RowsOfNodes nodes{.row = no_rows(view), .rows = rows.domains.size()};
  for (size_t i = 0; i < rows.domains.size(); ++i) {
    for (NodeId node : tree.nodes(rows.domains[i])) nodes.row[node] = static_cast<int32_t>(i);
  }
  return nodes;
}

}  // namespace

void write_amount(DocumentWriter& out, const ResourceTable& resources, ResourceId resource,
                  int64_t amount) {
  Unit unit = resources.unit(resource);
  bool milli = unit == Unit::MilliCpu || unit == Unit::MilliGpu;
  if (milli && amount % kMilli != 0) return out.real(static_cast<double>(amount) / kMilli);
  out.integer(milli ? amount / kMilli : amount);
}

void write_node_columns(DocumentWriter& out, const CycleView& view, std::span<const NodeId> nodes,
                        GroupBy by) {
  write_names(out, view.session(), nodes);
  write_node_usage(out, view.session(), nodes);
  if (by == GroupBy::None) return;
  RowsOfNodes rows{.row = no_rows(view), .rows = nodes.size()};
  for (size_t i = 0; i < nodes.size(); ++i) rows.row[nodes[i]] = static_cast<int32_t>(i);
  write_groups(out, view, by, rows);
}

void write_columns(DocumentWriter& out, CycleView& view, const TopologyRows& rows,
                   std::span<const PendingClass> pending, GroupBy by) {
  out.field("level", rows.level);
  write_parents(out, view, rows);
  if (rows.level == "node") {
    write_node_columns(out, view, rows.nodes, by);
  } else {
    write_domain_columns(out, view, rows);
    if (by != GroupBy::None) write_groups(out, view, by, nodes_in(view, rows));
  }
  out.begin_object("allocatablePods");
  for (const PendingClass& entry : pending) {
    out.begin_array(entry.gang);
    if (!rows.domains.empty()) {
      const DomainCounts& counts =
          view.session().fits().domain_counts(rows.topology, entry.pod_class, FitMode::Now);
      for (DomainId domain : rows.domains) out.integer(counts[domain]);
    }
    for (NodeId node : rows.nodes) {
      out.integer(view.session().fits().node_fit(node, entry.pod_class, FitMode::Now));
    }
    out.end_array();
  }
  out.end_object();
}

}  // namespace trellis
