#include "server/serve/cycle_log.h"

#include <xxhash.h>

#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "framework/time.h"
#include "server/view/gang_summary.h"
#include "server/wording/names_text.h"
#include "server/wording/reason_text.h"

namespace trellis {
namespace {

// Above this, gangs are only counted in the line of the cycle.
constexpr size_t kMostGangLines = 1000;
constexpr size_t kMostInputLines = 50;

struct GangDecisions {
  int64_t bound = 0;
  int64_t promised = 0;
  int64_t evicted = 0;
  uint64_t hash = 0;  // of all that was decided
};

uint64_t decision_hash(uint64_t before, const Decision& decision) {
  uint64_t parts[] = {before, static_cast<uint64_t>(decision.kind), decision.pod.value,
                      decision.node.value};
  return XXH3_64bits(parts, sizeof parts);
}

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

bool ShownDecisions::is_news(GangId gang, uint64_t decisions) {
  now_[gang.value] = decisions;
  auto found = before_.find(gang.value);
  return found == before_.end() || found->second != decisions;
}

void log_cycle(Log& log, const FinishedCycle& cycle, const Cluster& cluster,
               const CycleTally& tally, ShownDecisions* shown) {
  std::map<GangId, GangDecisions> decided = decisions_by_gang(*cycle.record, cluster);
  auto gangs = static_cast<int64_t>(decided.size());
  if (shown != nullptr) {
    std::erase_if(decided, [&](const auto& entry) {
      return !shown->is_news(entry.first, entry.second.hash);
    });
    shown->end_cycle();
  }
  size_t lines = 0;
  for (const GangTime& gang : cycle.times.gangs) {
    auto found = decided.find(gang.gang);
    if (found == decided.end() || ++lines > kMostGangLines) continue;
    log_gang(log, cluster, *cycle.record, gang.gang, found->second, gang.ns);
  }
  log.event(decided.empty() ? LogLevel::Debug : LogLevel::Info, "cycle finished",
            {{"cycle", cycle.number},
             {"gangs", gangs},
             {"decisions", static_cast<int64_t>(cycle.record->decisions.size())},
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
