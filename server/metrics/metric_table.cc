#include "server/metrics/metric_table.h"

#include <algorithm>
#include <utility>

#include "framework/time.h"

namespace trellis {
namespace {

const std::vector<double>& bounds_s() {
  static const std::vector<double> bounds = {
      1e-6, 2.5e-6, 5e-6,   1e-5, 2.5e-5, 5e-5,   1e-4, 2.5e-4, 5e-4, 1e-3, 2.5e-3,
      5e-3, 1e-2,   2.5e-2, 5e-2, 1e-1,   2.5e-1, 5e-1, 1,      2.5,  5,    10};
  return bounds;
}

}  // namespace

void Latencies::observe(const LabelValues& values, int64_t ns) {
  series_.at(values, bounds_s()).Observe(seconds(ns));
}

void Latencies::observe_all(const LabelValues& values, const std::vector<int64_t>& samples_ns) {
  const std::vector<double>& bounds = bounds_s();
  std::vector<double> counts(bounds.size() + 1, 0);
  double sum = 0;
  for (int64_t ns : samples_ns) {
    double sample = seconds(ns);
    auto bucket = std::lower_bound(bounds.begin(), bounds.end(), sample) - bounds.begin();
    counts[static_cast<size_t>(bucket)] += 1;
    sum += sample;
  }
  series_.at(values, bounds).ObserveMultiple(counts, sum);
}

Counters MetricTable::counters(std::string name, std::vector<std::string> labels,
                               std::string help) {
  auto& family = prometheus::BuildCounter().Name(name).Help(help).Register(registry_);
  Counters series(family, labels);
  if (labels.empty()) series.at({});
  entries_.push_back({std::move(name), std::move(labels), std::move(help), "counter"});
  return series;
}

Gauges MetricTable::gauges(std::string name, std::vector<std::string> labels, std::string help) {
  auto& family = prometheus::BuildGauge().Name(name).Help(help).Register(registry_);
  Gauges series(family, labels);
  if (labels.empty()) series.at({});
  entries_.push_back({std::move(name), std::move(labels), std::move(help), "gauge"});
  return series;
}

Latencies MetricTable::latencies(std::string name, std::vector<std::string> labels,
                                 std::string help) {
  auto& family = prometheus::BuildHistogram().Name(name).Help(help).Register(registry_);
  MetricSeries<prometheus::Histogram> series(family, labels);
  if (labels.empty()) series.at({}, bounds_s());
  entries_.push_back({std::move(name), std::move(labels), std::move(help), "histogram"});
  return Latencies(std::move(series));
}

}  // namespace trellis
