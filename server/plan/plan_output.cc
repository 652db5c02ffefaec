#include "server/plan/plan_output.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

#include "server/page/report_page.h"
#include "server/plan/html_table.h"
#include "server/plan/plan_rows.h"
#include "server/view/gang_summary.h"
#include "server/view/topology_output.h"
#include "server/wording/names_text.h"
#include "server/wording/quantity_text.h"
#include "server/wording/reason_text.h"

namespace trellis {
namespace {

constexpr size_t kPlanRowsShown = 40;

double price_number(int64_t price_micro) {
  return static_cast<double>(price_micro) / static_cast<double>(kPriceUnit);
}

void write_name(DocumentWriter& out, const Cluster& cluster, GangId gang) {
  const Gang& record = cluster.gangs()[gang];
  out.field("namespace", cluster.vocabulary().strings.view(record.name_space));
  out.field("name", record.name.view());
}

void write_shapes(DocumentWriter& out, const Engine& engine, const NodePlan& plan) {
  out.begin_array("shapes");
  for (uint32_t i = 0; i < plan.market.shapes.size(); ++i) {
    const NodeShape& shape = plan.market.shapes[i];
    out.begin_object();
    out.field("name", shape.name);
    out.field("price", price_number(shape.price_micro));
    if (shape.most != kNoMost) out.field("most", shape.most);
    out.field("count", std::ranges::count_if(plan.nodes, [&](const PlannedNode& node) {
                return plan.market.offers[node.offer].shape == i;
              }));
    ResourceList daemons = daemon_requests(plan.market, i);
    if (!daemons.empty()) {
      out.key("daemonSets");
      write_resources(out, engine.cluster().vocabulary().resources, daemons);
    }
    out.end_object();
  }
  out.end_array();
}

// A line for each shape of which DaemonSets take something.
std::string daemons_text(const Engine& engine, const NodePlan& plan) {
  const ResourceTable& resources = engine.cluster().vocabulary().resources;
  std::string text;
  for (uint32_t i = 0; i < plan.market.shapes.size(); ++i) {
    ResourceList requests = daemon_requests(plan.market, i);
    text += daemons_line(plan.market.shapes[i].name, quantities_of(resources, requests));
  }
  return text;
}

void write_node(DocumentWriter& out, const Cluster& cluster, const NodePlan& plan,
                const PlannedNode& node) {
  const NodeOffer& offer = plan.market.offers[node.offer];
  const NodeShape& shape = plan.market.shapes[offer.shape];
  out.begin_object();
  out.field("name", node.name);
  out.field("shape", shape.name);
  out.field("price", price_number(shape.price_micro));
  if (!offer.place.empty()) {
    out.field("place", offer.place);
    out.field("newDomain", offer.makes_domain);
  }
  out.begin_array("gangs");
  for (const NodeUse& use : node.users) {
    out.begin_object();
    write_name(out, cluster, use.gang);
    out.field("pods", use.pods);
    out.end_object();
  }
  out.end_array();
  out.end_object();
}

void write_gang(DocumentWriter& out, const Cluster& cluster, const NodePlan& plan, GangId gang) {
  GangSummary summary = summarize_gang(cluster, *plan.record, gang);
  out.begin_object();
  write_name(out, cluster, gang);
  out.field("pods", summary.placed);
  const std::optional<GangPlacement>& placement = plan.record->gangs[gang].placement;
  if (placement) out.field("placement", placement_text(placement));
  out.end_object();
}

// The first `most` of the names, and how many follow.
std::string joined(const std::vector<std::string>& names, size_t most) {
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), most); ++i) {
    text += (i == 0 ? "" : ", ") + names[i];
  }
  return names.size() > most ? text + " and " + std::to_string(names.size() - most) + " more"
                             : text;
}

std::string refusals_table(const std::vector<PlanRefusal>& refusals, TableForm form) {
  if (refusals.empty()) return "";
  TextTable table({{"NOT HELPED"}, {"WHY"}});
  for (size_t i = 0; i < std::min(refusals.size(), kPlanRowsShown); ++i) {
    table.add_row({{refusals[i].gang}, {refusals[i].why}});
  }
  std::string more;
  if (refusals.size() > kPlanRowsShown) {
    more = grouped_text(static_cast<int64_t>(refusals.size() - kPlanRowsShown)) +
           " more; -o json lists them all\n";
  }
  return "\n" + table.render(form) + more;
}

std::string place_text(const PlanRow& row) {
  return row.place + (row.makes_domain ? " (new)" : "");
}

}  // namespace

std::string plan_table(const Engine& engine, const NodePlan& plan, TableForm form) {
  std::vector<PlanRow> rows = plan_rows(engine, plan);
  TextTable table(
      {{"SHAPE"}, {"PLACE"}, {"NODES", Align::Right}, {"PRICE", Align::Right}, {"FOR"}});
  for (size_t i = 0; i < std::min(rows.size(), kPlanRowsShown); ++i) {
    const PlanRow& row = rows[i];
    table.add_row({{row.shape},
                   {place_text(row)},
                   {grouped_text(row.nodes)},
                   {price_text(row.price_micro)},
                   {joined(row.users, kNamesShown)}});
  }
  std::string text = rows.empty() ? "" : table.render(form);
  if (rows.size() > kPlanRowsShown) {
    text += grouped_text(static_cast<int64_t>(rows.size() - kPlanRowsShown)) +
            " more rows; -o json lists all nodes\n";
  }
  if (!rows.empty()) text += "\n";
  text += plan_summary(plan) + "\n" + daemons_text(engine, plan);
  return text + refusals_table(plan_refusals(engine, plan), form);
}

void write_plan(DocumentWriter& out, const Engine& engine, const NodePlan& plan) {
  const Cluster& cluster = engine.cluster();
  out.begin_object();
  out.field("kind", "Plan");
  out.field("price", price_number(plan.price_micro));
  out.field("lowerBound", price_number(plan.bound_micro));
  out.field("proved", plan.proved);
  write_shapes(out, engine, plan);
  out.begin_array("nodes");
  for (const PlannedNode& node : plan.nodes) write_node(out, cluster, plan, node);
  out.end_array();
  out.begin_array("gangs");
  for (GangId gang : plan.served) write_gang(out, cluster, plan, gang);
  out.end_array();
  out.begin_array("refused");
  for (GangId gang : plan.refused) {
    out.begin_object();
    write_name(out, cluster, gang);
    write_reasons(out, cluster, plan.record->gangs[gang].reasons);
    out.end_object();
  }
  out.end_array();
  out.end_object();
  out.finish();
}

void write_plan_page(ByteSink& sink, const Engine& engine, const NodePlan& plan) {
  sink.write(report_head("Plan of nodes"));
  sink.write("<main>\n<p>" + escaped_html(plan_summary(plan)) + "</p>\n");
  std::string daemons = daemons_text(engine, plan);
  if (!daemons.empty()) sink.write("<p>" + escaped_html(daemons) + "</p>\n");
  std::string rows;
  for (const PlanRow& row : plan_rows(engine, plan)) {
    rows += html_row({row.shape, place_text(row), grouped_text(row.nodes),
                      price_text(row.price_micro), joined(row.users, row.users.size())});
  }
  if (!rows.empty()) sink.write(html_table({"Shape", "Place", "Nodes", "Price", "For"}, rows));
  std::string refusals;
  for (const PlanRefusal& refusal : plan_refusals(engine, plan)) {
    refusals += html_row({refusal.gang, refusal.why});
  }
  if (!refusals.empty()) {
    sink.write("<section>\n<h3>Not helped by such nodes</h3>\n");
    sink.write(html_table({"Gang", "Why"}, refusals) + "</section>\n");
  }
  sink.write("</main>\n</body>\n</html>\n");
}

}  // namespace trellis
