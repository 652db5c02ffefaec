#include "server/app/measure_cycle.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace trellis {
namespace {

std::vector<NamedTime> named(const std::vector<PartTime>& times) {
  std::vector<NamedTime> named;
  for (const PartTime& time : times) named.push_back({std::string(time.name), time.ns});
  return named;
}

std::vector<DecisionCount> count_decisions(const CycleRecord& record) {
  std::map<std::pair<std::string_view, Decision::Kind>, int64_t> counts;
  for (const Decision& decision : record.decisions) ++counts[{decision.action, decision.kind}];
  std::vector<DecisionCount> decisions;
  for (const auto& [what, pods] : counts) {
    decisions.push_back({std::string(what.first), what.second, pods});
  }
  return decisions;
}

std::string_view counted_kind(WorkloadDecision::Kind kind) {
  switch (kind) {
    case WorkloadDecision::Kind::Admit:
      return "admit";
    case WorkloadDecision::Kind::Reassign:
      return "reassign";
    case WorkloadDecision::Kind::Evict:
      return "evict";
    case WorkloadDecision::Kind::Move:
      return "move";
    default:
      return "";
  }
}

std::vector<PendingCount> count_pending(const CycleTally& tally) {
  std::vector<PendingCount> pending;
  for (const auto& [code, gangs] : tally.waiting()) {
    if (gangs > 0) pending.push_back({std::string(to_string(code)), gangs});
  }
  return pending;
}

// Promises are made again each cycle, and are not counted.
std::vector<std::pair<std::string, int64_t>> count_workloads(const CycleRecord& record) {
  std::map<std::string_view, int64_t> counts;
  for (const WorkloadDecision& decision : record.workload_decisions) {
    if (std::string_view kind = counted_kind(decision.kind); !kind.empty()) ++counts[kind];
  }
  return {counts.begin(), counts.end()};
}

}  // namespace

CycleFigures measure_cycle(const FinishedCycle& cycle, const CycleTally& tally) {
  CycleSummary summary = tally.summary();
  CycleFigures figures;
  figures.cycle_ns = cycle.times.cycle_ns;
  figures.actions = named(cycle.times.actions);
  figures.plugins = named(cycle.times.plugins);
  for (const GangTime& gang : cycle.times.gangs) figures.gang_decision_ns.push_back(gang.ns);
  figures.decisions = count_decisions(*cycle.record);
  figures.pending = count_pending(tally);
  figures.workload_decisions = count_workloads(*cycle.record);
  figures.gangs = summary.gangs;
  figures.pods = summary.pods;
  figures.nodes = summary.nodes;
  figures.gpus = summary.gpus;
  figures.gpus_used = summary.gpus_used;
  figures.gpus_closed = summary.gpus_closed;
  figures.input_errors = std::count_if(
      cycle.diagnostics->begin(), cycle.diagnostics->end(),
      [](const Diagnostic& diagnostic) { return diagnostic.severity == Severity::Error; });
  figures.files_read = cycle.files_read;
  return figures;
}

std::vector<std::pair<std::string, std::string>> unknown_versions(const ClusterWatch& watch) {
  std::vector<std::pair<std::string, std::string>> all;
  for (const UnknownVersions& kind : watch.unknown_versions()) {
    for (const std::string& version : kind.versions) all.emplace_back(kind.name(), version);
  }
  return all;
}

std::vector<WatchedKindFigures> measure_cluster(const ClusterWatch& watch) {
  std::vector<WatchedKindFigures> kinds;
  for (const ClusterWatch::KindFigures& kind : watch.figures()) {
    const ReflectorFigures& reflector = kind.reflector;
    kinds.push_back({.kind = kind.kind,
                     .objects = kind.objects,
                     .events = reflector.events,
                     .lists = reflector.lists,
                     .watches = reflector.watches,
                     .failures = reflector.failures,
                     .broken = reflector.broken});
  }
  return kinds;
}

}  // namespace trellis
