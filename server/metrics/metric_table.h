// The metrics with their names, labels and descriptions, on prometheus-cpp. A metric that is not
// registered here cannot be counted, so exactly what is exposed is documented.
//
// For one thread at a time, except for collect(), which any thread may call at any time.
#pragma once

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <map>
#include <string>
#include <vector>

namespace trellis {

using LabelValues = std::vector<std::string>;  // in the order of the metric's labels

struct MetricEntry {
  std::string name;
  std::vector<std::string> labels;
  std::string help;  // a sentence
  std::string type;  // counter, gauge, histogram
};

template <class T>
class MetricSeries {
 public:
  MetricSeries(prometheus::Family<T>& family, std::vector<std::string> labels)
      : family_(&family), labels_(std::move(labels)) {}

  template <class... Arguments>
  T& at(const LabelValues& values, const Arguments&... arguments) {
    auto [it, added] = series_.try_emplace(values, nullptr);
    if (added) it->second = &family_->Add(named(values), arguments...);
    return *it->second;
  }

  // Calls `visit` with the values and the metric of each series that `keep` does not hold.
  template <class Keep, class Visit>
  void for_each_other(const Keep& keep, Visit visit) {
    for (const auto& [values, metric] : series_) {
      if (!keep.contains(values)) visit(*metric);
    }
  }

  // Drops the series that `keep` does not hold.
  template <class Keep>
  void retain(const Keep& keep) {
    std::erase_if(series_, [&](const auto& entry) {
      if (keep.contains(entry.first)) return false;
      family_->Remove(entry.second);
      return true;
    });
  }

 private:
  prometheus::Labels named(const LabelValues& values) const {
    prometheus::Labels labels;
    for (size_t i = 0; i < labels_.size(); ++i) labels.emplace(labels_[i], values[i]);
    return labels;
  }

  prometheus::Family<T>* family_;
  std::vector<std::string> labels_;
  std::map<LabelValues, T*> series_;
};

using Counters = MetricSeries<prometheus::Counter>;
using Gauges = MetricSeries<prometheus::Gauge>;

// Observations of seconds, from 1 us to 10 s in steps of 1, 2.5 and 5.
class Latencies {
 public:
  explicit Latencies(MetricSeries<prometheus::Histogram> series) : series_(std::move(series)) {}
  void observe(const LabelValues& values, int64_t ns);
  // Cost: O(samples * log buckets), one lock.
  void observe_all(const LabelValues& values, const std::vector<int64_t>& samples_ns);

 private:
  MetricSeries<prometheus::Histogram> series_;
};

class MetricTable {
 public:
  // A metric without labels exists from the start, at 0.
  Counters counters(std::string name, std::vector<std::string> labels, std::string help);
  Gauges gauges(std::string name, std::vector<std::string> labels, std::string help);
  Latencies latencies(std::string name, std::vector<std::string> labels, std::string help);

  const std::vector<MetricEntry>& entries() const { return entries_; }
  std::vector<prometheus::MetricFamily> collect() const { return registry_.Collect(); }

 private:
  prometheus::Registry registry_{prometheus::Registry::InsertBehavior::Throw};
  std::vector<MetricEntry> entries_;
};

}  // namespace trellis
