#include "server/metrics/metrics.h"

#include <prometheus/text_serializer.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <mutex>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>

#include "server/metrics/metric_table.h"
#include "server/metrics/process_metrics.h"
#include "server/version.h"

namespace trellis {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;

constexpr size_t kUnits = 4;
constexpr int64_t kNsPerMs = 1'000'000;

// How an amount is exposed: in the base unit, which the name contains.
struct ExposedUnit {
  std::string_view suffix;
  std::string_view of;
  double divisor;
};

constexpr std::array<ExposedUnit, kUnits> kExposed = {{
    {"cores", "CPU cores", 1000},                                  // Unit::MilliCpu
    {"bytes", "bytes of memory or storage", 1},                    // Unit::Bytes
    {"gpus", "GPUs", 1000},                                        // Unit::MilliGpu
    {"amount", "whole pods, or whatever the resource counts", 1},  // Unit::Count
}};

std::string kind_text(Decision::Kind kind) {
  switch (kind) {
    case Decision::Kind::Bind:
      return "bind";
    case Decision::Kind::Pipeline:
      return "pipeline";
    default:
      return "evict";
  }
}

double unix_now_s() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

template <class Value>
std::set<LabelValues> keys_of(const std::map<LabelValues, Value>& values) {
  std::set<LabelValues> keys;
  for (const auto& [key, value] : values) keys.insert(key);
  return keys;
}

}  // namespace

class Metrics::Families {
 public:
  Families() {
    build_info_.at({std::string(kVersion), std::string(kCommit)}).Set(1);
    start_time_.at({}).Set(unix_now_s());
    for (const char* outcome : {"done", "failed"}) cycles_.at({outcome});
    for (const char* kind : {"admit", "reassign", "evict", "move"}) workload_decisions_.at({kind});
    leader_.retain(std::set<LabelValues>{});  // without an election the metric is absent
    for (size_t unit = 0; unit < kUnits; ++unit) {
      allocatable_.push_back(amounts("allocatable", "can be allocated", kExposed[unit]));
      used_.push_back(amounts("used", "is allocated", kExposed[unit]));
    }
  }

  void observe(const CycleFigures& figures) {
    cycles_.at({"done"}).Increment();
    last_cycle_.at({}).Set(unix_now_s());
    cycle_latency_.observe({}, figures.cycle_ns);
    for (const NamedTime& action : figures.actions) {
      action_latency_.observe({action.name}, action.ns);
    }
    for (const NamedTime& plugin : figures.plugins) {
      plugin_latency_.observe({plugin.name}, plugin.ns);
    }
    gang_latency_.observe_all({}, figures.gang_decision_ns);
    count_decisions(figures.decisions);
    for (const auto& [kind, count] : figures.workload_decisions) {
      workload_decisions_.at({kind}).Increment(static_cast<double>(count));
    }
    set_pending(figures.pending);
    set_sizes(figures);
    files_read_.at({}).Increment(static_cast<double>(figures.files_read));
  }

  void observe_failed_cycle() { cycles_.at({"failed"}).Increment(); }
  void observe_failed_answer() { failed_answers_.at({}).Increment(); }

  void set_topology(const std::vector<LevelFigures>& levels) {
    std::set<LabelValues> known_levels;
    std::array<std::set<LabelValues>, kUnits> known;
    for (const LevelFigures& level : levels) {
      LabelValues labels = {level.topology, level.level};
      known_levels.insert(labels);
      largest_gpus_.at(labels).Set(static_cast<double>(level.largest_gang_milli) / kMilli);
      largest_nodes_.at(labels).Set(static_cast<double>(level.largest_gang_nodes));
      for (const LevelResource& resource : level.resources) {
        auto unit = static_cast<size_t>(resource.unit);
        LabelValues of = {level.topology, level.level, resource.resource};
        double divisor = kExposed[unit].divisor;
        allocatable_[unit].at(of).Set(static_cast<double>(resource.allocatable) / divisor);
        used_[unit].at(of).Set(static_cast<double>(resource.used) / divisor);
        known[unit].insert(std::move(of));
      }
    }
    largest_gpus_.retain(known_levels);
    largest_nodes_.retain(known_levels);
    for (size_t unit = 0; unit < kUnits; ++unit) {
      allocatable_[unit].retain(known[unit]);
      used_[unit].retain(known[unit]);
    }
  }

  void set_gpus(const GpuFigures& figures) {
    free_gpus_.at({}).Set(static_cast<double>(figures.free) / kMilli);
    fragmentation_.at({}).Set(figures.fragmentation);
    for (const auto& [cause, milli] : figures.stranded) {
      stranded_gpus_.at({cause}).Set(static_cast<double>(milli) / kMilli);
    }
  }

  void set_devices(const std::vector<DeviceFigures>& figures) {
    std::set<LabelValues> drivers;
    for (const DeviceFigures& driver : figures) {
      devices_.at({driver.driver}).Set(static_cast<double>(driver.devices));
      held_devices_.at({driver.driver}).Set(static_cast<double>(driver.held));
      overlapping_devices_.at({driver.driver}).Set(static_cast<double>(driver.overlapping));
      tainted_devices_.at({driver.driver}).Set(static_cast<double>(driver.tainted));
      drivers.insert({driver.driver});
    }
    for (Gauges* gauges : {&devices_, &held_devices_, &overlapping_devices_, &tainted_devices_}) {
      gauges->retain(drivers);
    }
  }

  void set_nodes_wanted(const std::vector<NodesWantedFigures>& figures) {
    std::map<LabelValues, int64_t> nodes;
    for (const NodesWantedFigures& wanted : figures) {
      nodes[{wanted.shape, wanted.domain}] += wanted.nodes;
    }
    for (const auto& [labels, count] : nodes) {
      nodes_wanted_.at(labels).Set(static_cast<double>(count));
    }
    nodes_wanted_.retain(keys_of(nodes));
  }

  void set_pending_workloads(const std::vector<std::pair<std::string, int64_t>>& counts) {
    std::map<LabelValues, int64_t> workloads;
    for (const auto& [code, count] : counts) workloads[{code}] += count;
    set_by_code(pending_workloads_, workloads);
  }

  void set_cluster(const std::vector<WatchedKindFigures>& kinds) {
    std::lock_guard lock(cluster_mutex_);
    std::set<LabelValues> known;
    for (const WatchedKindFigures& kind : kinds) {
      known.insert({kind.kind});
      cluster_objects_.at({kind.kind}).Set(static_cast<double>(kind.objects));
      raise(cluster_events_, kind.kind, kind.events);
      raise(cluster_lists_, kind.kind, kind.lists);
      raise(cluster_watches_, kind.kind, kind.watches);
      raise(cluster_failures_, kind.kind, kind.failures);
      raise(cluster_broken_, kind.kind, kind.broken);
    }
    cluster_objects_.retain(known);
  }

  void set_unknown_versions(const std::vector<std::pair<std::string, std::string>>& versions) {
    std::lock_guard lock(cluster_mutex_);
    std::set<LabelValues> known;
    for (const auto& [kind, version] : versions) {
      known.insert({kind, version});
      unknown_versions_.at({kind, version}).Set(1);
    }
    unknown_versions_.retain(known);
  }

  void set_binds(const BindFigures& figures) {
    std::lock_guard lock(cluster_mutex_);
    raise(binds_, "sent", figures.sent);
    raise(binds_, "bound", figures.bound);
    raise(binds_, "confirmed", figures.confirmed);
    raise(binds_, "failed", figures.failed);
    raise(evictions_, "sent", figures.evictions_sent);
    raise(evictions_, "evicted", figures.evicted);
    raise(evictions_, "failed", figures.evictions_failed);
    double more = static_cast<double>(figures.retried) - retries_.at({}).Value();
    if (more > 0) retries_.at({}).Increment(more);
    open_orders_.at({}).Set(static_cast<double>(figures.open));
    std::vector<int64_t> latencies_ns;
    for (int64_t ms : figures.latency_ms) latencies_ns.push_back(ms * kNsPerMs);
    bind_latency_.observe_all({}, latencies_ns);
  }

  void set_statuses(const StatusFigures& figures) {
    std::lock_guard lock(cluster_mutex_);
    raise(status_writes_, "written", figures.written);
    raise(status_writes_, "again", figures.again);
    raise(status_writes_, "refused", figures.refused);
    raise(kubernetes_events_, "written", figures.events);
    raise(kubernetes_events_, "dropped", figures.events_dropped);
  }

  void set_election(const ElectionFigures& election) {
    std::lock_guard lock(cluster_mutex_);
    leader_.at({}).Set(election.leads ? 1 : 0);
    prometheus::Counter& failures = lease_failures_.at({});
    failures.Increment(std::max(0.0, static_cast<double>(election.failures) - failures.Value()));
  }

  void set_comparison(const ComparisonCounts& counts) {
    std::lock_guard lock(cluster_mutex_);
    raise(compared_, "same", counts.same);
    raise(compared_, "elsewhere", counts.elsewhere);
    raise(compared_, "waiting", counts.waiting);
  }

  const MetricTable& table() const { return table_; }

 private:
  Gauges amounts(const std::string& what, const std::string& that, const ExposedUnit& unit) {
    return table_.gauges("trellis_topology_" + what + "_" + std::string(unit.suffix),
                         {"topology", "level", "resource"},
                         "What " + that + " of a resource below a level of a topology, in " +
                             std::string(unit.of) + ".");
  }

  void count_decisions(const std::vector<DecisionCount>& decisions) {
    for (const DecisionCount& decision : decisions) {
      auto pods = static_cast<double>(decision.pods);
      decisions_.at({decision.action, kind_text(decision.kind)}).Increment(pods);
      if (decision.kind == Decision::Kind::Evict) evicted_.at({decision.action}).Increment(pods);
    }
  }

  // A count that begins at 0 again, as of a watch that started again, is added to the counter.
  void raise(Counters& counters, const std::string& kind, int64_t to) {
    int64_t& before = raised_[{&counters, kind}];
    int64_t more = to >= before ? to - before : to;
    before = to;
    counters.at({kind}).Increment(static_cast<double>(more));
  }

  // The gauge of a code that no gang has any more is set to 0.
  void set_pending(const std::vector<PendingCount>& pending) {
    std::map<LabelValues, int64_t> gangs;
    for (const PendingCount& count : pending) gangs[{count.code}] += count.gangs;
    set_by_code(pending_, gangs);
  }

  static void set_by_code(Gauges& gauges, const std::map<LabelValues, int64_t>& counts) {
    for (const auto& [code, count] : counts) gauges.at(code).Set(static_cast<double>(count));
    gauges.for_each_other(keys_of(counts), [](prometheus::Gauge& gauge) { gauge.Set(0); });
  }

  void set_sizes(const CycleFigures& figures) {
    auto set = [](Gauges& gauge, int64_t value) { gauge.at({}).Set(static_cast<double>(value)); };
    set(gangs_, figures.gangs);
    set(pods_, figures.pods);
    set(nodes_, figures.nodes);
    set(gpus_, figures.gpus);
    set(gpus_used_, figures.gpus_used);
    set(gpus_closed_, figures.gpus_closed);
    set(input_errors_, figures.input_errors);
  }

  MetricTable table_;
  Gauges build_info_ = table_.gauges("trellis_build_info", {"version", "commit"},
                                     "Always 1; the labels say what runs.");
  Gauges start_time_ = table_.gauges("process_start_time_seconds", {},
                                     "When the process began, in seconds since 1970.");
  Counters cycles_ = table_.counters("trellis_cycles_total", {"outcome"},
                                     "Cycles that ran, by outcome: done or failed.");
  Counters failed_answers_ =
      table_.counters("trellis_failed_answers_total", {},
                      "Questions over HTTP that broke a check of the program: answered with 500.");
  Gauges last_cycle_ = table_.gauges("trellis_last_cycle_timestamp_seconds", {},
                                     "When the last cycle ended, in seconds since 1970.");
  Latencies cycle_latency_ =
      table_.latencies("trellis_e2e_scheduling_latency_seconds", {}, "Time of a whole cycle.");
  Latencies action_latency_ = table_.latencies("trellis_action_scheduling_latency_seconds",
                                               {"action"}, "Time of an action in a cycle.");
  Latencies plugin_latency_ = table_.latencies("trellis_plugin_scheduling_latency_seconds",
                                               {"plugin"}, "Time of a plugin in a cycle.");
  Latencies gang_latency_ = table_.latencies("trellis_gang_scheduling_latency_seconds", {},
                                             "Time of deciding about one gang.");
  Counters decisions_ = table_.counters("trellis_decisions_total", {"action", "kind"},
                                        "Pods decided about, by kind: bind, pipeline or evict.");
  Counters evicted_ =
      table_.counters("trellis_evicted_pods_total", {"action"}, "Pods evicted by an action.");
  Counters workload_decisions_ = table_.counters(
      "trellis_workload_decisions_total", {"kind"},
      "Workloads decided about, by kind: admit, reassign (off failed nodes), evict or move.");
  Gauges pending_workloads_ =
      table_.gauges("trellis_pending_workloads", {"code"},
                    "Workloads that wait, by the code of their first reason (docs/reasons.md).");
  Gauges pending_ = table_.gauges("trellis_pending_gangs", {"code"},
                                  "Gangs that wait, by the code of their first reason "
                                  "(docs/reasons.md).");
  Gauges gangs_ = table_.gauges("trellis_gangs", {}, "Gangs in the cluster.");
  Gauges pods_ = table_.gauges("trellis_pods", {}, "Pods in the cluster.");
  Gauges nodes_ = table_.gauges("trellis_nodes", {}, "Nodes in the cluster.");
  Gauges gpus_ = table_.gauges("trellis_gpus", {}, "GPUs in the cluster.");
  Gauges gpus_used_ = table_.gauges("trellis_used_gpus", {}, "GPUs that pods hold.");
  Gauges gpus_closed_ =
      table_.gauges("trellis_closed_gpus", {}, "Idle GPUs on nodes that take no new pods.");
  Gauges input_errors_ =
      table_.gauges("trellis_input_errors", {}, "Errors in the input that stand now.");
  std::mutex cluster_mutex_;
  // The last count that a counter of a kind received.
  std::map<std::pair<const Counters*, std::string>, int64_t> raised_;
  Gauges cluster_objects_ = table_.gauges("trellis_cluster_objects", {"kind"},
                                          "Objects of a live cluster that are read, by kind.");
  Gauges unknown_versions_ =
      table_.gauges("trellis_cluster_unknown_versions", {"kind", "version"},
                    "1 for each version of a kind that a live cluster has in versions alone of "
                    "which nothing is read.");
  Counters cluster_events_ =
      table_.counters("trellis_cluster_events_total", {"kind"},
                      "Objects that came, changed or went, as watches reported.");
  Counters cluster_lists_ = table_.counters("trellis_cluster_lists_total", {"kind"},
                                            "Lists that were read to their end.");
  Counters cluster_watches_ =
      table_.counters("trellis_cluster_watches_total", {"kind"}, "Watches that were begun.");
  Counters cluster_failures_ =
      table_.counters("trellis_cluster_failures_total", {"kind"},
                      "Lists and watches that failed, by kind, and were tried again.");
  Counters cluster_broken_ = table_.counters("trellis_cluster_broken_objects_total", {"kind"},
                                             "Objects that could not be read and were left out.");
  Counters binds_ = table_.counters("trellis_binds_total", {"outcome"},
                                    "Binds in a live cluster: sent (again, too), bound as the API "
                                    "server says, confirmed by the watch, failed for good.");
  Counters evictions_ = table_.counters("trellis_evictions_total", {"outcome"},
                                        "Evictions in a live cluster: sent (again, too), evicted "
                                        "as the API server says, failed for good.");
  Counters status_writes_ = table_.counters("trellis_status_writes_total", {"outcome"},
                                            "What was written back to objects of a live cluster: "
                                            "written, tried again, refused for good.");
  Counters kubernetes_events_ =
      table_.counters("trellis_kubernetes_events_total", {"outcome"},
                      "Events for people in a live cluster: written, or dropped under load.");
  Counters retries_ = table_.counters("trellis_bind_retries_total", {},
                                      "Binds and evictions that were sent again.");
  Gauges open_orders_ = table_.gauges("trellis_binds_open", {},
                                      "Binds and evictions that the watch has not reported yet.");
  Latencies bind_latency_ = table_.latencies("trellis_bind_latency_seconds", {},
                                             "Time from the decision about a pod to the API "
                                             "server's answer that it is bound.");
  Gauges leader_ = table_.gauges("trellis_leader", {},
                                 "1 while this service leads, 0 while it stands by; absent "
                                 "without an election.");
  Counters compared_ =
      table_.counters("trellis_dry_run_pods_total", {"outcome"},
                      "Pods that the other scheduler bound beside a dry run: on the same node, "
                      "elsewhere, or waiting by our word.");
  Counters lease_failures_ =
      table_.counters("trellis_lease_failures_total", {},
                      "Looks at the Lease of the election, and writes to it, that failed.");
  Counters files_read_ =
      table_.counters("trellis_files_read_total", {}, "Files read, for the first time or again.");
  Gauges largest_gpus_ = table_.gauges(
      "trellis_topology_largest_gang_gpus", {"topology", "level"},
      "GPUs of the largest gang of equal pods, of those that the cluster has, that one domain of a "
      "level takes; without pods that request GPUs, the most whole idle GPUs in one domain.");
  Gauges free_gpus_ = table_.gauges("trellis_free_gpus", {}, "GPUs that are free on open nodes.");
  Gauges stranded_gpus_ = table_.gauges(
      "trellis_stranded_gpus", {"cause"},
      "Free GPUs that no pod like those of the cluster can take, by what is missing.");
  Gauges fragmentation_ =
      table_.gauges("trellis_gpu_fragmentation_ratio", {},
                    "Part of the free GPUs that a pod cannot use, in the mean over the pods of the "
                    "cluster, 0 to 1.");
  Gauges devices_ = table_.gauges("trellis_devices", {"driver"},
                                  "Devices for ResourceClaims; partitions of one count each.");
  Gauges held_devices_ = table_.gauges("trellis_held_devices", {"driver"},
                                       "Devices that claims have, as a whole or in part.");
  Gauges overlapping_devices_ = table_.gauges(
      "trellis_overlapping_devices", {"driver"},
      "Devices that no claim has, and that devices which claims have exclude: parts of one GPU.");
  Gauges tainted_devices_ =
      table_.gauges("trellis_tainted_devices", {"driver"},
                    "Devices that no claim has, with a taint that pods have to tolerate.");
  Gauges nodes_wanted_ = table_.gauges(
      "trellis_gang_nodes_wanted", {"shape", "domain"},
      "Nodes that waiting gangs want, as if they were empty and like the best of the cluster, by "
      "the amounts that a pod requests and by the domain that has to take the gang.");
  Gauges largest_nodes_ = table_.gauges(
      "trellis_topology_largest_gang_nodes", {"topology", "level"},
      "Most free nodes in one domain of a level: the largest gang of whole-node pods that fits.");
  std::vector<Gauges> allocatable_;  // by unit
  std::vector<Gauges> used_;
};

Metrics::Metrics() : families_(std::make_unique<Families>()) {}
Metrics::~Metrics() = default;

void Metrics::observe(const CycleFigures& figures) { families_->observe(figures); }
void Metrics::observe_failed_cycle() { families_->observe_failed_cycle(); }
void Metrics::observe_failed_answer() { families_->observe_failed_answer(); }
void Metrics::set_unknown_versions(
    const std::vector<std::pair<std::string, std::string>>& versions) {
  families_->set_unknown_versions(versions);
}

void Metrics::set_cluster(const std::vector<WatchedKindFigures>& kinds) {
  families_->set_cluster(kinds);
}

void Metrics::set_binds(const BindFigures& figures) { families_->set_binds(figures); }
void Metrics::set_statuses(const StatusFigures& figures) { families_->set_statuses(figures); }
void Metrics::set_comparison(const ComparisonCounts& counts) { families_->set_comparison(counts); }
void Metrics::set_election(const ElectionFigures& election) { families_->set_election(election); }

void Metrics::set_topology(const std::vector<LevelFigures>& levels) {
  families_->set_topology(levels);
}

void Metrics::set_gpus(const GpuFigures& figures) { families_->set_gpus(figures); }

void Metrics::set_devices(const std::vector<DeviceFigures>& figures) {
  families_->set_devices(figures);
}

void Metrics::set_nodes_wanted(const std::vector<NodesWantedFigures>& figures) {
  families_->set_nodes_wanted(figures);
}

void Metrics::set_pending_workloads(const std::vector<std::pair<std::string, int64_t>>& counts) {
  families_->set_pending_workloads(counts);
}

std::string Metrics::exposition() const {
  std::vector<MetricFamily> families = families_->table().collect();
  for (MetricFamily& family : process_families()) families.push_back(std::move(family));
  // The library keeps series in hash maps, so they are sorted here.
  std::ranges::sort(families, {}, &MetricFamily::name);
  for (MetricFamily& family : families) std::ranges::sort(family.metric, {}, &ClientMetric::label);
  std::ostringstream out;
  prometheus::TextSerializer().Serialize(out, families);
  return std::move(out).str();
}

std::string metrics_document() {
  Metrics metrics;
  std::vector<MetricEntry> entries = metrics.families_->table().entries();
  for (MetricEntry& entry : process_entries()) entries.push_back(std::move(entry));
  std::ranges::sort(entries, {}, &MetricEntry::name);
  std::string text =
      "# Metrics\n\n"
      "What `/metrics` exposes, in Prometheus' text format.\n"
      "Names follow KAI's where they mean the same, with the base unit in the name.\n"
      "No label names a pod or a gang.\n"
      "Histograms have bounds from 1 us to 10 s, in steps of 1, 2.5 and 5.\n\n"
      "They are answered where `--listen` says, beside everything else.\n"
      "`--metrics-listen 0.0.0.0:8082` answers them, and nothing else, on a listener of its own, "
      "for a Prometheus that is not to see what `/debug` and the page show; "
      "[`deploy/`](../deploy/README.md) has it so.\n\n"
      "| metric | type | labels | meaning |\n|---|---|---|---|\n";
  for (const MetricEntry& entry : entries) {
    text += "| `" + entry.name + "` | " + entry.type + " | ";
    for (size_t i = 0; i < entry.labels.size(); ++i) {
      text += (i == 0 ? "`" : ", `") + entry.labels[i] + "`";
    }
    text += (entry.labels.empty() ? "| " : " | ") + entry.help + " |\n";
  }
  return text;
}

}  // namespace trellis
