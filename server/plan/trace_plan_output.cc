#include <algorithm>
#include <string>
#include <vector>

#include "server/page/report_page.h"
#include "server/plan/html_table.h"
#include "server/plan/plan_rows.h"
#include "server/plan/trace_plan.h"
#include "server/simulate/plain_numbers.h"
#include "server/wording/quantity_text.h"

namespace trellis {
namespace {

std::string wait_text(TimeUs wait) {
  return wait == kNoTime ? "some never start" : number_text(plain_seconds(wait)) + " s";
}

TimeUs wait_with(const ShapePlan& plan) {
  auto found = std::ranges::find(plan.tried, plan.nodes, &TriedNumber::nodes);
  return found == plan.tried.end() ? kNoTime : found->wait;
}

std::vector<std::string> cells_of(const ShapePlan& plan) {
  if (plan.nodes == ShapePlan::kNone) return {plan.shape, "not enough", "-", "-"};
  return {plan.shape, grouped_text(plan.nodes), price_text(plan.nodes * plan.price_micro),
          wait_text(wait_with(plan))};
}

void write_wait(DocumentWriter& out, TimeUs wait) {
  if (wait != kNoTime) out.field("p95WaitSeconds", plain_seconds(wait));
}

}  // namespace

std::string trace_plan_table(std::span<const ShapePlan> plans, TableForm form) {
  TextTable table(
      {{"SHAPE"}, {"NODES", Align::Right}, {"PRICE", Align::Right}, {"P95 WAIT", Align::Right}});
  for (const ShapePlan& plan : plans) {
    std::vector<Cell> row;
    for (const std::string& cell : cells_of(plan)) row.push_back({cell});
    table.add_row(std::move(row));
  }
  std::string text = table.render(form) + "\n";
  std::string daemons;
  for (const ShapePlan& plan : plans) daemons += daemons_line(plan.shape, plan.daemons);
  if (!daemons.empty()) text += daemons + "\n";
  TextTable tried({{"SHAPE"}, {"TRIED", Align::Right}, {"P95 WAIT", Align::Right}});
  for (const ShapePlan& plan : plans) {
    for (const TriedNumber& number : plan.tried) {
      tried.add_row({{plan.shape}, {grouped_text(number.nodes)}, {wait_text(number.wait)}});
    }
  }
  return text + tried.render(form);
}

void write_trace_plan(DocumentWriter& out, std::span<const ShapePlan> plans) {
  out.begin_object();
  out.field("kind", "Plan");
  out.begin_array("shapes");
  for (const ShapePlan& plan : plans) {
    out.begin_object();
    out.field("name", plan.shape);
    if (plan.nodes != ShapePlan::kNone) {
      out.field("nodes", plan.nodes);
      out.field("price", static_cast<double>(plan.nodes * plan.price_micro) /
                             static_cast<double>(kPriceUnit));
      write_wait(out, wait_with(plan));
    }
    if (!plan.daemons.empty()) {
      out.key("daemonSets");
      out.begin_object();
      for (const auto& [name, amount] : plan.daemons) out.field(name, amount);
      out.end_object();
    }
    out.begin_array("tried");
    for (const TriedNumber& number : plan.tried) {
      out.begin_object();
      out.field("nodes", number.nodes);
      write_wait(out, number.wait);
      out.end_object();
    }
    out.end_array();
    out.end_object();
  }
  out.end_array();
  out.end_object();
  out.finish();
}

void write_trace_plan_page(ByteSink& sink, std::span<const ShapePlan> plans) {
  std::string best;
  std::string tried;
  for (const ShapePlan& plan : plans) {
    best += html_row(cells_of(plan));
    for (const TriedNumber& number : plan.tried) {
      tried += html_row({plan.shape, grouped_text(number.nodes), wait_text(number.wait)});
    }
  }
  sink.write(report_head("Plan of nodes for a trace"));
  sink.write("<main>\n" + html_table({"Shape", "Nodes", "Price", "Wait, p95"}, best));
  std::string daemons;
  for (const ShapePlan& plan : plans) daemons += daemons_line(plan.shape, plan.daemons);
  if (!daemons.empty()) sink.write("<p>" + escaped_html(daemons) + "</p>\n");
  sink.write("<section>\n<h3>Numbers that were tried</h3>\n");
  sink.write(html_table({"Shape", "Nodes", "Wait, p95"}, tried));
  sink.write("</section>\n</main>\n</body>\n</html>\n");
}

}  // namespace trellis
