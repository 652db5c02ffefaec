#include <algorithm>
#include <string_view>
#include <utility>

#include "framework/reason_catalog.h"
#include "server/text/printable.h"
#include "server/view/cluster_queue_output.h"
#include "server/view/cluster_report.h"
#include "server/view/gpu_output.h"
#include "server/view/queue_output.h"
#include "server/wording/quantity_text.h"
#include "server/wording/reason_text.h"

namespace trellis {
namespace {

// So that the report fits one screen.
constexpr size_t kResourcesShown = 6;
constexpr size_t kDriversShown = 4;
constexpr size_t kQueuesShown = 8;
constexpr size_t kReasonsShown = 5;

std::string count_of(int64_t count, std::string_view word) {
  return grouped_text(count) + " " + std::string(word) + (count == 1 ? "" : "s");
}

std::string more(size_t all, size_t shown, std::string_view what) {
  if (all <= shown) return "";
  return grouped_text(static_cast<int64_t>(all - shown)) + " more " + std::string(what) +
         "; -o json lists them all\n";
}

std::string heading(const ClusterReport& report, Colours colours) {
  const CycleSummary& sums = report.sums;
  std::string text = count_of(sums.nodes, "node");
  if (report.closed_nodes > 0) text += ", " + grouped_text(report.closed_nodes) + " closed";
  const WorkloadSummary& workloads = report.workload_sums;
  if (workloads.workloads > 0) {
    text += "; " + grouped_text(workloads.admitted) + " of " +
            count_of(workloads.workloads, "workload") + " admitted with " +
            grouped_text(workloads.pods_admitted) + " of " + count_of(workloads.pods, "pod");
  }
  if (sums.gangs > 0 || workloads.workloads == 0) {
    text += "; " + grouped_text(sums.gangs_placed) + " of " + count_of(sums.gangs, "gang") +
            " placed, " + grouped_text(sums.pods_placed) + " of " + count_of(sums.pods, "pod");
  }
  return styled(text, Style::Bold, colours) + "\n";
}

std::string usage_table(const ResourceTable& resources, const ClusterReport& report, Glyphs glyphs,
                        TableForm form) {
  if (report.usage.empty()) return "";
  TextTable table({{"RESOURCE"},
                   {""},
                   {"USED", Align::Right},
                   {"", Align::Right},
                   {"FREE", Align::Right},
                   {"IDLE, CLOSED", Align::Right},
                   {"TOTAL", Align::Right}});
  for (size_t i = 0; i < report.usage.size() && i < kResourcesShown; ++i) {
    const ClusterUsage& usage = report.usage[i];
    auto amount = [&](int64_t value) {
      return people_quantity_text(value, resources.unit(usage.resource));
    };
    Share share{usage.allocated, usage.allocatable()};
    double part = static_cast<double>(share.used) / static_cast<double>(share.total);
    table.add_row({{resources.name(usage.resource)},
                   {bar(share, kBarWidth, glyphs)},
                   {amount(usage.allocated)},
                   {percent_text(part)},
                   {amount(usage.available)},
                   {usage.unavailable > 0 ? amount(usage.unavailable) : "-"},
                   {amount(usage.allocatable())}});
  }
  return "\n" + table.render(form) + more(report.usage.size(), kResourcesShown, "resources");
}

std::string device_counts_table(const ClusterReport& report, Glyphs glyphs, TableForm form) {
  if (report.devices.empty()) return "";
  TextTable table({{"DRIVER OF DEVICES"},
                   {""},
                   {"HELD", Align::Right},
                   {"OF", Align::Right},
                   {"OVERLAPPING", Align::Right},
                   {"TAINTED", Align::Right}});
  auto count = [](int64_t devices) {
    return devices > 0 ? grouped_text(devices) : std::string("-");
  };
  for (size_t i = 0; i < report.devices.size() && i < kDriversShown; ++i) {
    const DriverDevices& driver = report.devices[i];
    table.add_row({{driver.driver},
                   {bar({driver.held, driver.devices}, kBarWidth, glyphs)},
                   {grouped_text(driver.held)},
                   {grouped_text(driver.devices)},
                   {count(driver.overlapping)},
                   {count(driver.tainted)}});
  }
  return "\n" + table.render(form) + more(report.devices.size(), kDriversShown, "drivers");
}

std::string queues_part(const Cluster& cluster, const ClusterReport& report, TableForm form) {
  if (report.queues.empty()) return "";
  TextTable table({{"QUEUE"},
                   {"GANGS", Align::Right},
                   {"WAITING", Align::Right},
                   {"GPUS HELD", Align::Right},
                   {"FAIR SHARE", Align::Right},
                   {"REQUESTED", Align::Right}});
  for (size_t i = 0; i < report.queues.size() && i < kQueuesShown; ++i) {
    const QueueReport& line = report.queues[i];
    auto gpus = [](int64_t amount) { return queue_amount_text(QueueResource::Gpu, amount); };
    std::string indent(2 * static_cast<size_t>(line.depth), ' ');
    table.add_row({{indent + cluster.queues()[line.queue].name},
                   {grouped_text(line.gangs)},
                   {grouped_text(line.waiting)},
                   {gpus(line.allocated[QueueResource::Gpu])},
                   {line.has_figures ? gpus(line.figures.fair_share[QueueResource::Gpu]) : "-"},
                   {gpus(line.requested[QueueResource::Gpu])}});
  }
  return "\n" + table.render(form) + more(report.queues.size(), kQueuesShown, "queues");
}

std::string cluster_queues_part(const ClusterReport& report, TableForm form) {
  TextTable table({{"CLUSTERQUEUE"},
                   {"COHORT"},
                   {"WITH QUOTA", Align::Right},
                   {"WAITING", Align::Right},
                   {"STATE"}});
  size_t count = 0;
  for (const ClusterQueueReport& line : report.cluster_queues) {
    if (!line.queue.valid() || ++count > kQueuesShown) continue;
    table.add_row({{line.name},
                   {line.cohort.empty() ? "-" : line.cohort},
                   {grouped_text(line.holding)},
                   {grouped_text(static_cast<int64_t>(line.by_turn.size()))},
                   {line.inactive.empty() ? "active" : "inactive"}});
  }
  return count == 0 ? "" : "\n" + table.render(form) + more(count, kQueuesShown, "ClusterQueues");
}

std::string waiting_part(std::string_view noun, const std::vector<WaitingGroup>& groups,
                         TableForm form) {
  int64_t all = 0;
  for (const WaitingGroup& group : groups) all += group.members;
  if (all == 0) return "";
  std::string text =
      "\n" +
      styled(count_of(all, noun) + (all == 1 ? " waits:" : " wait:"), Style::Bold, form.colours) +
      "\n";
  TextTable table({{"", Align::Right}, {"PODS", Align::Right}, {"CAUSE"}, {"SUCH AS"}, {"WHY"}});
  for (size_t i = 0; i < groups.size() && i < kReasonsShown; ++i) {
    const WaitingGroup& group = groups[i];
    table.add_row({{grouped_text(group.members)},
                   {grouped_text(group.pods)},
                   {std::string(reason_entry(group.code).name)},
                   {group.example},
                   {group.sentence}});
  }
  return text + table.render(form) + more(groups.size(), kReasonsShown, "causes");
}

// "" where nothing leaves.
std::string leaving_text(const ClusterReport& report) {
  std::string text;
  if (report.leaving_gangs > 0) text = count_of(report.leaving_gangs, "gang");
  if (report.leaving_workloads > 0) {
    text += text.empty() ? "" : " and ";
    text += count_of(report.leaving_workloads, "workload");
  }
  if (text.empty()) return "";
  bool one = report.leaving_gangs + report.leaving_workloads == 1;
  return "\n" + text + (one ? " leaves\n" : " leave\n");
}

void write_device_counts(DocumentWriter& out, const std::vector<DriverDevices>& drivers) {
  out.begin_array("devices");
  for (const DriverDevices& driver : drivers) {
    out.begin_object();
    out.field("driver", driver.driver);
    out.field("devices", driver.devices);
    out.field("held", driver.held);
    out.field("overlapping", driver.overlapping);
    out.field("tainted", driver.tainted);
    out.end_object();
  }
  out.end_array();
}

void write_groups(DocumentWriter& out, std::string_view key,
                  const std::vector<WaitingGroup>& groups) {
  out.begin_array(key);
  for (const WaitingGroup& group : groups) {
    out.begin_object();
    out.field("code", reason_entry(group.code).name);
    out.field("count", group.members);
    out.field("pods", group.pods);
    out.field("example", group.example);
    out.field("message", group.sentence);
    out.end_object();
  }
  out.end_array();
}

}  // namespace

std::string cluster_report_text(const Session& session, const ClusterReport& report, Glyphs glyphs,
                                TableForm form) {
  const Cluster& cluster = session.cluster();
  std::string text = heading(report, form.colours) +
                     usage_table(cluster.vocabulary().resources, report, glyphs, form) +
                     device_counts_table(report, glyphs, form);
  std::string gpus = gpu_lines(session, report.gpus, form.colours);
  if (!gpus.empty()) text += "\n" + gpus;
  text += queues_part(cluster, report, form) + cluster_queues_part(report, form);
  std::string waiting =
      waiting_part("gang", report.gangs, form) + waiting_part("workload", report.workloads, form);
  return text + (waiting.empty() ? "\nnothing waits\n" : waiting) + leaving_text(report);
}

void write_cluster_report(DocumentWriter& out, const Session& session,
                          const ClusterReport& report) {
  const Cluster& cluster = session.cluster();
  const ResourceTable& resources = cluster.vocabulary().resources;
  out.begin_object();
  out.field("nodes", report.sums.nodes);
  out.field("closedNodes", report.closed_nodes);
  out.begin_object("gangs");
  out.field("total", report.sums.gangs);
  out.field("placed", report.sums.gangs_placed);
  out.end_object();
  out.begin_object("pods");
  out.field("total", report.sums.pods);
  out.field("placed", report.sums.pods_placed);
  out.end_object();
  out.begin_object("workloads");
  out.field("total", report.workload_sums.workloads);
  out.field("admitted", report.workload_sums.admitted);
  out.field("pods", report.workload_sums.pods);
  out.field("podsAdmitted", report.workload_sums.pods_admitted);
  out.end_object();
  write_usage(out, resources, report.usage);
  write_gpus(out, session, report.gpus);
  if (!report.devices.empty()) write_device_counts(out, report.devices);
  write_queues(out, cluster, report.queues, QueueDetail::WithGangs);
  write_cluster_queues(out, cluster, report.cluster_queues);
  out.begin_object("waiting");
  write_groups(out, "gangs", report.gangs);
  write_groups(out, "workloads", report.workloads);
  out.end_object();
  out.begin_object("leaving");
  out.field("gangs", report.leaving_gangs);
  out.field("workloads", report.leaving_workloads);
  out.end_object();
  out.end_object();
  out.finish();
}

void write_usage(DocumentWriter& out, const ResourceTable& resources,
                 const std::vector<ClusterUsage>& usage) {
  out.begin_array("resources");
  for (const ClusterUsage& one : usage) {
    auto amount = [&](std::string_view key, int64_t value) {
      out.field(key, quantity_text(resources, one.resource, value));
    };
    out.begin_object();
    out.field("name", resources.name(one.resource));
    amount("allocatable", one.allocatable());
    amount("allocated", one.allocated);
    amount("free", one.available);
    amount("closed", one.unavailable);
    out.end_object();
  }
  out.end_array();
}

}  // namespace trellis
