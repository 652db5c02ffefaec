#include "server/serve/cycle_log.h"

#include <xxhash.h>

#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "framework/time.h"
#include "server/view/gang_summary.h"
#include "server/view/workload_output.h"
#include "server/wording/names_text.h"
#include "server/wording/reason_text.h"

namespace trellis {
namespace {

// Above this, gangs are only counted in the line of the cycle.
constexpr size_t kMostGangLines = 1000;
constexpr size_t kMostInputLines = 50;

uint64_t decision_hash(uint64_t before, const Decision& decision) {
  uint64_t parts[] = {before, static_cast<uint64_t>(decision.kind), decision.pod.value,
                      decision.node.value};
  return XXH3_64bits(parts, sizeof parts);
}

void log_gang(Log& log, const Cluster& cluster, const CycleRecord& record, GangId gang,
              const GangDecisions& decided, int64_t ns) {
  std::string name = full_name(cluster, gang);
  std::string domain = placement_text(record.gangs[gang].placement);
  std::vector<LogField> fields = {{"gang", name}, {"status", to_string(record.gangs[gang].status)}};
  if (decided.bound > 0) fields.push_back({"bound", decided.bound});
  if (decided.promised > 0) fields.push_back({"promised", decided.promised});
  if (decided.evicted > 0) fields.push_back({"evicted", decided.evicted});
  if (record.gangs[gang].placement) {
    fields.push_back({"domain", domain});
  }
  fields.push_back({"seconds", seconds(ns)});
  log.event(LogLevel::Info, "gang decided", fields);
}

void log_workload(Log& log, const Cluster& cluster, const CycleRecord& record,
                  const WorkloadDecision& decision) {
  std::string name = full_name(cluster, decision.workload);
  std::string flavors = workload_flavors_text(cluster, record, decision.workload);
  std::string fate = workload_fate_text(cluster, record, decision.workload);
  std::vector<LogField> fields = {{"workload", name}, {"what", decision_text(decision.kind)}};
  if (decision.queue.valid()) {
    fields.push_back({"queue", cluster.workloads().cluster_queues()[decision.queue].name});
  }
  fields.push_back({"pods", count_pods(decision, cluster)});
  if (flavors != "-") fields.push_back({"flavors", flavors});
  if (fate != "-") fields.push_back({"fate", fate});
  log.event(LogLevel::Info, "workload decided", fields);
}

LogLevel level_of(Severity severity) {
  switch (severity) {
    case Severity::Error:
      return LogLevel::Error;
    case Severity::Warning:
      return LogLevel::Warn;
    case Severity::Note:
      return LogLevel::Info;
  }
  return LogLevel::Info;
}

}  // namespace

std::map<GangId, GangDecisions> decisions_by_gang(const CycleRecord& record,
                                                  const Cluster& cluster) {
  std::map<GangId, GangDecisions> gangs;
  for (const Decision& decision : record.decisions) {
    GangDecisions& gang = gangs[cluster.pods()[decision.pod].gang];
    gang.hash = decision_hash(gang.hash, decision);
    switch (decision.kind) {
      case Decision::Kind::Bind:
        ++gang.bound;
        break;
      case Decision::Kind::Pipeline:
        ++gang.promised;
        break;
      case Decision::Kind::Evict:
        ++gang.evicted;
        break;
    }
  }
  return gangs;
}

bool ShownDecisions::is_news(uint32_t id, uint64_t decisions) {
  now_[id] = decisions;
  auto found = before_.find(id);
  return found == before_.end() || found->second != decisions;
}

std::string_view decision_text(WorkloadDecision::Kind kind) {
  switch (kind) {
    case WorkloadDecision::Kind::Admit:
      return "admitted";
    case WorkloadDecision::Kind::Reassign:
      return "reassigned";
    case WorkloadDecision::Kind::Evict:
      return "evicted";
    case WorkloadDecision::Kind::Move:
      return "moved";
    case WorkloadDecision::Kind::Await:
    case WorkloadDecision::Kind::Promise:
      return "promised";
    case WorkloadDecision::Kind::Lapse:
      break;
  }
  return "promise lapsed";
}

uint64_t decision_hash(const WorkloadDecision& decision) {
  uint64_t parts[] = {static_cast<uint64_t>(decision.kind), decision.queue.value};
  return XXH3_64bits(parts, sizeof parts);
}

int64_t count_pods(const WorkloadDecision& decision, const Cluster& cluster) {
  const Admission* admission = decision.admission.get();
  const Workload& workload = cluster.workloads()[decision.workload];
  if (admission == nullptr && workload.admission) admission = &*workload.admission;
  if (admission == nullptr) return 0;
  int64_t pods = 0;
  for (const PodSetAdmission& set : admission->pod_sets) pods += set.count;
  return pods;
}

size_t CycleLog::log_gangs(const FinishedCycle& cycle, const Cluster& cluster,
                           std::map<GangId, GangDecisions> decided) {
  if (decisions_ == Decisions::Shown) {
    std::erase_if(decided, [&](const auto& entry) {
      return !gangs_.is_news(entry.first.value, entry.second.hash);
    });
    gangs_.end_cycle();
  }
  size_t lines = 0;
  for (const GangTime& gang : cycle.times.gangs) {
    auto found = decided.find(gang.gang);
    if (found == decided.end() || ++lines > kMostGangLines) continue;
    log_gang(log_, cluster, *cycle.record, gang.gang, found->second, gang.ns);
  }
  return decided.size();
}

size_t CycleLog::log_workloads(const CycleRecord& record, const Cluster& cluster) {
  size_t lines = 0;
  for (const WorkloadDecision& decision : record.workload_decisions) {
    if (!workloads_.is_news(decision.workload.value, decision_hash(decision))) continue;
    if (++lines <= kMostGangLines) log_workload(log_, cluster, record, decision);
  }
  workloads_.end_cycle();
  return lines;
}

void CycleLog::take(const FinishedCycle& cycle, const Cluster& cluster, const CycleTally& tally) {
  const CycleRecord& record = *cycle.record;
  std::map<GangId, GangDecisions> decided = decisions_by_gang(record, cluster);
  auto gangs = static_cast<int64_t>(decided.size());
  size_t news = log_gangs(cycle, cluster, std::move(decided));
  news += log_workloads(record, cluster);
  log_.event(news == 0 ? LogLevel::Debug : LogLevel::Info, "cycle finished",
             {{"cycle", cycle.number},
              {"gangs", gangs},
              {"workloads", static_cast<int64_t>(record.workload_decisions.size())},
              {"decisions", static_cast<int64_t>(record.decisions.size())},
              {"waiting", tally.gangs_waiting()},
              {"seconds", seconds(cycle.times.cycle_ns)}});
}

void log_cycle_failure(Log& log, const std::string& why) {
  log.event(LogLevel::Error, "cycle failed, nothing of it is carried out",
            {{"why", why}, {"input", "/debug/failed"}});
}

void log_input(Log& log, const std::vector<Diagnostic>* before,
               const std::vector<Diagnostic>& now) {
  std::set<std::string> known;
  if (before != nullptr) {
    for (const Diagnostic& diagnostic : *before) known.insert(to_string(diagnostic));
  }
  size_t lines = 0;
  for (const Diagnostic& diagnostic : now) {
    std::string text = to_string(diagnostic);
    if (known.erase(text) > 0 || ++lines > kMostInputLines) continue;
    log.event(level_of(diagnostic.severity), "input", {{"what", text}});
  }
  if (lines > kMostInputLines) {
    log.event(LogLevel::Warn, "more of the input is wrong",
              {{"lines", static_cast<int64_t>(lines - kMostInputLines)}});
  }
  for (const std::string& text : known) {
    log.event(LogLevel::Info, "input mended", {{"what", text}});
  }
}

}  // namespace trellis
