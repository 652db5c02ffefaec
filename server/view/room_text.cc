#include <algorithm>
#include <string_view>
#include <utility>

#include "server/view/bar.h"
#include "server/view/room_explanation.h"
#include "server/view/text_table.h"
#include "server/view/workload_output.h"
#include "server/wording/names_text.h"
#include "server/wording/quantity_text.h"
#include "server/wording/reason_parts.h"
#include "server/wording/reason_text.h"

namespace trellis {
namespace {

Style style_of(Share share) {
  if (share.used <= 0) return Style::Dim;
  return share.used >= share.total ? Style::Waiting : Style::Good;
}

Cell bar_cell(Share share, Glyphs glyphs) {
  return {bar(share, kBarWidth, glyphs), style_of(share)};
}

std::string heading(std::string_view title, TableForm form) {
  return "\n" + styled(title, Style::Bold, form.colours) + "\n";
}

std::string holds_text(const Session& session, const ResourceList& holds) {
  return people_amounts_text(session.cluster().vocabulary().resources, holds);
}

std::string rooms_table(const Session& session, const std::vector<ResourceRoom>& rooms,
                        Glyphs glyphs, TableForm form) {
  const ResourceTable& resources = session.cluster().vocabulary().resources;
  bool leaving = std::any_of(rooms.begin(), rooms.end(),
                             [](const ResourceRoom& room) { return room.later != room.now; });
  bool closed = std::any_of(rooms.begin(), rooms.end(),
                            [](const ResourceRoom& room) { return room.unavailable > 0; });
  std::vector<TextTable::Column> columns = {
      {"RESOURCE"}, {""}, {"USED", Align::Right}, {"OF", Align::Right}, {"FREE", Align::Right}};
  if (leaving) columns.push_back({"FREE LATER", Align::Right});
  if (closed) columns.push_back({"IDLE, CLOSED", Align::Right});
  TextTable table(std::move(columns));
  for (const ResourceRoom& room : rooms) {
    auto amount = [&](int64_t value) {
      return people_quantity_text(value, resources.unit(room.resource));
    };
    int64_t used = room.used();
    std::vector<Cell> row = {{resources.name(room.resource)},
                             bar_cell({used, room.allocatable}, glyphs),
                             {amount(used)},
                             {amount(room.allocatable)},
                             {amount(room.now)}};
    if (leaving) row.push_back({amount(room.later)});
    if (closed) row.push_back({amount(room.unavailable)});
    table.add_row(std::move(row));
  }
  return "\n" + table.render(form);
}

std::string devices_text(const std::vector<DeviceRoom>& devices, Glyphs glyphs, TableForm form) {
  if (devices.empty()) return "";
  TextTable table(
      {{"GPU", Align::Right}, {""}, {"FREE", Align::Right}, {"FREE LATER", Align::Right}});
  for (size_t i = 0; i < devices.size(); ++i) {
    table.add_row({{std::to_string(i)},
                   bar_cell({kMilli - devices[i].now, kMilli}, glyphs),
                   {milli_text(devices[i].now)},
                   {milli_text(devices[i].later)}});
  }
  return "\n" + table.render(form) +
         "Parts only: a pod of whole GPUs takes any that no pod shares.\n";
}

// As far as people need it: the pool of a node's own devices mostly has the node's name.
std::string stand_text(const devices::DeviceId& id, std::string_view node) {
  std::string pool = id.pool == node ? "" : id.pool + "/";
  return id.driver + "/" + pool + id.device;
}

std::string first_text(const std::vector<std::string>& names) {
  if (names.size() == 1) return names.front();
  return names.front() + " +" + std::to_string(names.size() - 1);
}

std::string device_stands_text(const std::vector<DeviceStand>& stands, std::string_view node,
                               TableForm form) {
  if (stands.empty()) return "";
  TextTable table({{"DEVICE"}, {"HELD BY"}});
  for (size_t i = 0; i < stands.size() && i < kRowsShown; ++i) {
    const DeviceStand& stand = stands[i];
    std::string holders = stand.holders.empty() ? "-" : first_text(stand.holders);
    if (!stand.overlaps.empty()) holders += ", overlaps devices of " + first_text(stand.overlaps);
    if (stand.tainted) holders += ", tainted";
    table.add_row({{stand_text(stand.id, node)},
                   {std::move(holders), stand.holders.empty() ? Style::Dim : Style::Plain}});
  }
  return "\n" + table.render(form) + more_text(stands.size(), "devices");
}

std::string pods_table(const Session& session, const CycleRecord& record,
                       const std::vector<PodHolding>& pods, TableForm form) {
  if (pods.empty()) return "";
  const Cluster& cluster = session.cluster();
  TextTable table({{"POD"}, {"GANG"}, {"STATUS"}, {"HOLDS"}});
  for (size_t i = 0; i < pods.size() && i < kRowsShown; ++i) {
    table.add_row({{full_name(cluster, pods[i].pod)},
                   {full_name(cluster, cluster.pods()[pods[i].pod].gang)},
                   {std::string(to_string(record.pods[pods[i].pod].status))},
                   {holds_text(session, pods[i].holds)}});
  }
  return "\n" + table.render(form) + more_text(pods.size(), "pods");
}

std::string gangs_table(const Session& session, const CycleRecord& record,
                        const std::vector<Holding>& gangs, TableForm form) {
  if (gangs.empty()) return "";
  TextTable table({{"GANG"}, {"STATUS"}, {"PODS HERE", Align::Right}, {"HOLDS"}});
  for (size_t i = 0; i < gangs.size() && i < kRowsShown; ++i) {
    const Holding& holding = gangs[i];
    table.add_row({{full_name(session.cluster(), holding.gang)},
                   {std::string(to_string(record.gangs[holding.gang].status))},
                   {std::to_string(holding.pods) + "/" + std::to_string(holding.all_pods)},
                   {holds_text(session, holding.holds)}});
  }
  return "\n" + table.render(form) + more_text(gangs.size(), "gangs");
}

// `default/train and 3 alike`
std::string shape_text(const Session& session, const PendingShape& shape) {
  const Cluster& cluster = session.cluster();
  std::string text =
      shape.gang.valid() ? full_name(cluster, shape.gang) : full_name(cluster, shape.workload);
  if (shape.members > 1) text += " and " + grouped_text(shape.members - 1) + " alike";
  return text;
}

// The first columns of what waits: gangs have no flavor.
enum class Waits { Gangs, Workloads };

std::vector<TextTable::Column> shape_columns(Waits kind) {
  if (kind == Waits::Gangs) return {{"WAITING GANG"}};
  return {{"WAITING WORKLOAD"}, {"FLAVOR"}};
}

std::vector<Cell> shape_cells(const Session& session, const PendingShape& shape) {
  std::vector<Cell> cells = {{shape_text(session, shape)}};
  if (shape.flavor.valid()) {
    cells.push_back({session.cluster().workloads().flavors()[shape.flavor].name});
  }
  return cells;
}

bool is_of(const PendingShape& shape, Waits kind) {
  return shape.gang.valid() == (kind == Waits::Gangs);
}

std::string later_text(int64_t now, int64_t later) {
  std::string text = std::to_string(now);
  return later == now ? text : text + ", later " + std::to_string(later);
}

std::string reasons_text(const Session& session, const std::vector<NodeReason>& reasons) {
  std::string text;
  for (const NodeReason& reason : reasons) {
    if (!text.empty()) text += "; ";
    text += reason_text(session.cluster(), reason);
  }
  return text.empty() ? "-" : text;
}

// The text for nothing that waits for nodes. Workloads may still wait: without a flavor that has a
// topology.
std::string nothing_pending(const Session& session, const CycleRecord& record, TableForm form) {
  WorkloadSummary summary = summarize_workloads(session.cluster(), record);
  int64_t waiting = summary.workloads - summary.admitted;
  std::string text = "no gang waits";
  if (waiting > 0) {
    text += ", " + grouped_text(waiting) + (waiting == 1 ? " workload does" : " workloads do");
  }
  return heading(text, form);
}

std::string pod_rooms_table(const Session& session, const NodeExplanation& explanation, Waits kind,
                            TableForm form) {
  std::vector<TextTable::Column> columns = shape_columns(kind);
  columns.push_back({"A POD ASKS"});
  columns.push_back({"PODS THAT FIT", Align::Right});
  columns.push_back({"WHY NOT"});
  TextTable table(std::move(columns));
  size_t rows = 0;
  for (const PodRoom& room : explanation.pending) {
    const PendingShape& shape = explanation.shapes[room.shape];
    if (!is_of(shape, kind) || ++rows > kRowsShown) continue;
    ResourceList asks = asked_by(session.cluster().pod_classes()[room.pod_class]);
    std::vector<Cell> cells = shape_cells(session, shape);
    cells.push_back({holds_text(session, asks)});
    cells.push_back({later_text(room.now, room.later), room.now > 0 ? Style::Good : Style::Bad});
    cells.push_back({reasons_text(session, room.reasons)});
    table.add_row(std::move(cells));
  }
  return rows == 0 ? "" : "\n" + table.render(form) + more_text(rows, "rows");
}

std::string pod_rooms_tables(const Session& session, const CycleRecord& record,
                             const NodeExplanation& explanation, TableForm form) {
  if (explanation.pending.empty()) return nothing_pending(session, record, form);
  return pod_rooms_table(session, explanation, Waits::Gangs, form) +
         pod_rooms_table(session, explanation, Waits::Workloads, form);
}

std::string children_table(const Session& session, const DomainExplanation& explanation,
                           Glyphs glyphs, TableForm form) {
  if (explanation.children.empty()) return "";
  bool gpus = ResourceTable::is_gpu(explanation.measure);
  TextTable table({{"DOMAIN"},
                   {""},
                   {gpus ? "GPUS USED" : "CPUS USED", Align::Right},
                   {"FREE", Align::Right},
                   {"NODES", Align::Right}});
  for (size_t i = 0; i < explanation.children.size() && i < kRowsShown; ++i) {
    const ChildRoom& child = explanation.children[i];
    DomainName name = name_of(session, {explanation.domain.topology, child.domain});
    Share share{child.allocatable - child.now - child.unavailable, child.allocatable};
    table.add_row({{name.path.back()},
                   bar_cell(share, glyphs),
                   {milli_text(share.used) + "/" + milli_text(share.total)},
                   {milli_text(child.now)},
                   {std::to_string(child.nodes)}});
  }
  return "\n" + table.render(form) + more_text(explanation.children.size(), "domains");
}

std::string shape_rooms_table(const Session& session, const DomainExplanation& explanation,
                              Waits kind, TableForm form) {
  std::vector<TextTable::Column> columns = shape_columns(kind);
  bool gangs = kind == Waits::Gangs;
  columns.push_back({gangs ? "MINIMUM" : "PODS", Align::Right});
  columns.push_back({"PODS THAT FIT", Align::Right});
  columns.push_back({gangs ? "GANGS, BY COUNT" : "WORKLOADS, BY COUNT", Align::Right});
  TextTable table(std::move(columns));
  size_t rows = 0;
  for (size_t i = 0; i < explanation.pending.size(); ++i) {
    const PendingShape& shape = explanation.shapes[i];
    if (!is_of(shape, kind) || ++rows > kRowsShown) continue;
    const GangRoom& room = explanation.pending[i];
    std::vector<Cell> cells = shape_cells(session, shape);
    cells.push_back({std::to_string(pods_of(shape))});
    cells.push_back({later_text(room.pods, room.later_pods)});
    cells.push_back(
        {later_text(room.gangs, room.later_gangs), room.gangs > 0 ? Style::Good : Style::Bad});
    table.add_row(std::move(cells));
  }
  return rows == 0 ? "" : "\n" + table.render(form) + more_text(rows, "rows");
}

std::string shape_rooms_tables(const Session& session, const CycleRecord& record,
                               const DomainExplanation& explanation, TableForm form) {
  if (explanation.pending.empty()) return nothing_pending(session, record, form);
  return shape_rooms_table(session, explanation, Waits::Gangs, form) +
         shape_rooms_table(session, explanation, Waits::Workloads, form);
}

std::string node_title(const Session& session, const NodeExplanation& explanation, TableForm form) {
  const Node& node = session.cluster().nodes()[explanation.node];
  std::string text = styled("node " + node.name, Style::Bold, form.colours) + ":";
  text += node.ready ? "" : " not ready,";
  text += node.unschedulable ? " unschedulable," : "";
  for (const DomainRef& domain : explanation.domains) {
    DomainName name = name_of(session, domain);
    text += " " + name.topology + (name.path.empty() ? "" : "/" + path_text(name.path)) + ",";
  }
  text.pop_back();
  return text + "\n";
}

}  // namespace

std::string node_explanation_text(const Session& session, const CycleRecord& record,
                                  const NodeExplanation& explanation, Glyphs glyphs,
                                  TableForm form) {
  return node_title(session, explanation, form) +
         rooms_table(session, explanation.resources, glyphs, form) +
         devices_text(explanation.devices, glyphs, form) +
         device_stands_text(explanation.of_drivers,
                            session.cluster().nodes()[explanation.node].name, form) +
         pods_table(session, record, explanation.pods, form) +
         pod_rooms_tables(session, record, explanation, form);
}

std::string domain_explanation_text(const Session& session, const CycleRecord& record,
                                    const DomainExplanation& explanation, Glyphs glyphs,
                                    TableForm form) {
  DomainName name = name_of(session, explanation.domain);
  std::string title = name.level.empty() ? "topology " + name.topology
                                         : std::string(short_level(name.level)) + " " +
                                               path_text(name.path) + " of " + name.topology;
  return styled(title, Style::Bold, form.colours) + ": " + grouped_text(explanation.nodes) +
         (explanation.nodes == 1 ? " node\n" : " nodes\n") +
         rooms_table(session, explanation.resources, glyphs, form) +
         children_table(session, explanation, glyphs, form) +
         gangs_table(session, record, explanation.gangs, form) +
         shape_rooms_tables(session, record, explanation, form);
}

}  // namespace trellis
