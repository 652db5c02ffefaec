#include "server/metrics/process_metrics.h"

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "server/metrics/process_figures.h"

namespace trellis {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

struct ProcessMetric {
  std::string_view name;
  std::string_view help;
  MetricType type;
  double (*value)(const ProcessFigures&);
};

constexpr std::array<ProcessMetric, 5> kProcessMetrics = {{
    {"process_cpu_seconds_total", "User and system CPU time spent.", MetricType::Counter,
     [](const ProcessFigures& figures) { return figures.cpu_seconds; }},
    {"process_max_fds", "Most file descriptors that may be open.", MetricType::Gauge,
     [](const ProcessFigures& figures) { return static_cast<double>(figures.max_descriptors); }},
    {"process_open_fds", "File descriptors that are open.", MetricType::Gauge,
     [](const ProcessFigures& figures) { return static_cast<double>(figures.open_descriptors); }},
    {"process_resident_memory_bytes", "Resident memory.", MetricType::Gauge,
     [](const ProcessFigures& figures) { return static_cast<double>(figures.resident_bytes); }},
    {"process_threads", "Threads.", MetricType::Gauge,
     [](const ProcessFigures& figures) { return static_cast<double>(figures.threads); }},
}};

MetricFamily process_family(const ProcessMetric& metric, const ProcessFigures& figures) {
  MetricFamily family{
      .name = std::string(metric.name), .help = std::string(metric.help), .type = metric.type};
  ClientMetric sample;
  sample.counter.value = sample.gauge.value = metric.value(figures);
  family.metric.push_back(std::move(sample));
  return family;
}

}  // namespace

std::vector<MetricFamily> process_families() {
  ProcessFigures figures = read_process_figures();
  std::vector<MetricFamily> families;
  for (const ProcessMetric& metric : kProcessMetrics) {
    families.push_back(process_family(metric, figures));
  }
  return families;
}

std::vector<MetricEntry> process_entries() {
  std::vector<MetricEntry> entries;
  for (const ProcessMetric& metric : kProcessMetrics) {
    std::string type = metric.type == MetricType::Counter ? "counter" : "gauge";
    entries.push_back({std::string(metric.name), {}, std::string(metric.help), type});
  }
  return entries;
}

}  // namespace trellis
