#include "server/view/cluster_queue_output.h"

#include <algorithm>
#include <string_view>

#include "server/view/text_table.h"
#include "server/wording/names_text.h"
#include "server/wording/quantity_text.h"
#include "server/wording/reason_text.h"

namespace trellis {
namespace {

constexpr size_t kWorkloadsShown = 20;

void write_figures(DocumentWriter& out, const Cluster& cluster, const QuotaFigures& figures) {
  const ResourceTable& resources = cluster.vocabulary().resources;
  auto amount = [&](std::string_view key, int64_t value) {
    out.field(key, quantity_text(resources, figures.resource, value));
  };
  out.begin_object();
  out.field("flavor", cluster.vocabulary().strings.view(figures.flavor));
  out.field("resource", resources.name(figures.resource));
  amount("nominal", figures.nominal);
  if (figures.borrowing_limit) amount("borrowingLimit", *figures.borrowing_limit);
  if (figures.lending_limit) amount("lendingLimit", *figures.lending_limit);
  amount("used", figures.used);
  amount("borrowed", figures.borrowed);
  amount("available", figures.available);
  out.end_object();
}

// The members of an object that describes a ClusterQueue or a Cohort.
void write_line(DocumentWriter& out, const Cluster& cluster, const ClusterQueueReport& line) {
  out.field("name", line.name);
  if (!line.cohort.empty()) out.field(line.queue.valid() ? "cohort" : "parent", line.cohort);
  if (line.queue.valid()) {
    out.field("active", line.inactive.empty());
    out.field("pending", line.by_turn.size());
    out.field("holding", line.holding);
  }
  out.begin_array("quotas");
  for (const QuotaFigures& figures : line.quotas) write_figures(out, cluster, figures);
  out.end_array();
  if (!line.inactive.empty()) write_reasons(out, cluster, line.inactive);
}

TextTable workloads_table(const Cluster& cluster, const CycleRecord& record,
                          const ClusterQueueReport& line) {
  TextTable table(
      {{"#", Align::Right}, {"WORKLOAD"}, {"PRIORITY", Align::Right}, {"WAITS BECAUSE"}});
  for (size_t i = 0; i < std::min(kWorkloadsShown, line.by_turn.size()); ++i) {
    WorkloadId id = line.by_turn[i];
    const Workload& workload = cluster.workloads()[id];
    const auto& reasons = record.workloads[id].reasons;
    table.add_row({{std::to_string(i + 1)},
                   {full_name(cluster, id)},
                   {std::to_string(workload.priority)},
                   {reasons ? reasons_text(cluster, *reasons) : ""}});
  }
  return table;
}

}  // namespace

void write_cluster_queues(DocumentWriter& out, const Cluster& cluster,
                          std::span<const ClusterQueueReport> lines) {
  if (lines.empty()) return;
  auto write_kind = [&](std::string_view key, bool cohorts) {
    out.begin_array(key);
    for (const ClusterQueueReport& line : lines) {
      if (line.queue.valid() == cohorts) continue;
      out.begin_object();
      write_line(out, cluster, line);
      out.end_object();
    }
    out.end_array();
  };
  write_kind("clusterQueues", false);
  write_kind("cohorts", true);
}

std::string cluster_queues_table(const Cluster& cluster, std::span<const ClusterQueueReport> lines,
                                 TableForm form) {
  if (lines.empty()) return "";
  TextTable table({{"CLUSTERQUEUE"},
                   {"PENDING", Align::Right},
                   {"HOLDING", Align::Right},
                   {"FLAVOR"},
                   {"RESOURCE"},
                   {"NOMINAL", Align::Right},
                   {"USED", Align::Right},
                   {"BORROWED", Align::Right},
                   {"AVAILABLE", Align::Right}});
  const ResourceTable& resources = cluster.vocabulary().resources;
  for (const ClusterQueueReport& line : lines) {
    std::string name(2 * static_cast<size_t>(line.depth), ' ');
    name += (line.queue.valid() ? "" : "cohort ") + line.name;
    if (!line.inactive.empty()) name += " (inactive)";
    std::vector<QuotaFigures> quotas = line.quotas;
    if (quotas.empty()) quotas.emplace_back();
    bool first = true;
    for (const QuotaFigures& figures : quotas) {
      auto amount = [&](int64_t value) {
        bool none = !figures.resource.valid();
        return Cell{none ? "-" : people_quantity_text(value, resources.unit(figures.resource))};
      };
      auto count = [&](size_t value) {
        return Cell{first && line.queue.valid() ? std::to_string(value) : ""};
      };
      Cell borrowed = amount(figures.borrowed);
      if (figures.borrowed > 0) borrowed.style = Style::Waiting;
      bool known = figures.resource.valid();
      table.add_row({{first ? name : "", line.inactive.empty() ? Style::Plain : Style::Dim},
                     count(line.by_turn.size()),
                     count(static_cast<size_t>(line.holding)),
                     {known ? std::string(cluster.vocabulary().strings.view(figures.flavor)) : "-"},
                     {known ? resources.name(figures.resource) : "-"},
                     amount(figures.nominal),
                     amount(figures.used),
                     std::move(borrowed),
                     amount(figures.available)});
      first = false;
    }
  }
  return table.render(form);
}

void write_cluster_queue_explanation(DocumentWriter& out, const Cluster& cluster,
                                     const CycleRecord& record, const ClusterQueueReport& line) {
  out.begin_object();
  write_line(out, cluster, line);
  out.begin_array("line");
  for (WorkloadId id : line.by_turn) {
    const Workload& workload = cluster.workloads()[id];
    out.begin_object();
    out.field("namespace", cluster.vocabulary().strings.view(workload.name_space));
    out.field("name", workload.name);
    out.field("priority", workload.priority);
    const auto& reasons = record.workloads[id].reasons;
    write_reasons(out, cluster, reasons ? *reasons : std::vector<Reason>());
    out.end_object();
  }
  out.end_array();
  out.end_object();
  out.finish();
}

std::string cluster_queue_explanation_text(const Cluster& cluster, const CycleRecord& record,
                                           const ClusterQueueReport& line, TableForm form) {
  ClusterQueueReport flat = line;
  flat.depth = 0;
  std::string text = styled("ClusterQueue " + line.name, Style::Bold, form.colours);
  if (!line.cohort.empty()) text += ", cohort " + line.cohort;
  text += "\n";
  if (!line.inactive.empty()) text += "inactive: " + reasons_text(cluster, line.inactive) + "\n";
  text += "\n" + cluster_queues_table(cluster, {&flat, 1}, form);
  if (line.by_turn.empty()) return text + "\nNo workload of it waits.\n";
  text += "\n" +
          styled("Workloads that wait, in the order in which they are tried", Style::Bold,
                 form.colours) +
          "\n" + workloads_table(cluster, record, line).render(form);
  if (line.by_turn.size() <= kWorkloadsShown) return text;
  return text + std::to_string(line.by_turn.size() - kWorkloadsShown) +
         " more workloads; -o json lists them all\n";
}

}  // namespace trellis
