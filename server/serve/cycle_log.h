// Logs the events of a cycle and of the input, a line each.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/document/diagnostic.h"
#include "server/log/log.h"
#include "server/serve/finished_cycle.h"
#include "server/view/cycle_tally.h"
#include "session/cluster/cluster.h"

namespace trellis {

// The last logged decisions of each gang or workload. Decisions that are only shown, and promises
// that are kept, are made again each cycle, and are logged once.
class ShownDecisions {
 public:
  // Whether the decisions about the gang or workload are new since the cycle before; `decisions`: a
  // hash of them.
  bool is_news(uint32_t id, uint64_t decisions);
  void end_cycle() { before_ = std::exchange(now_, {}); }
  // Ids mean different things from now on.
  void forget() { *this = {}; }

 private:
  absl::flat_hash_map<uint32_t, uint64_t> before_;
  absl::flat_hash_map<uint32_t, uint64_t> now_;
};

struct GangDecisions {
  int64_t bound = 0;
  int64_t promised = 0;
  int64_t evicted = 0;
  uint64_t hash = 0;  // of all that was decided
};

std::map<GangId, GangDecisions> decisions_by_gang(const CycleRecord& record,
                                                  const Cluster& cluster);

// `admitted`, `evicted`: what happens to the workload.
std::string_view decision_text(WorkloadDecision::Kind kind);
// A hash of what is decided.
uint64_t decision_hash(const WorkloadDecision& decision);
// The pods that the workload gets a place for, else those that it has one for.
int64_t count_pods(const WorkloadDecision& decision, const Cluster& cluster);

class CycleLog {
 public:
  enum class Decisions : uint8_t {
    CarriedOut,
    Shown,  // nothing carries them out: the same ones come in each cycle
  };
  // REQUIRES: `log` outlives this object.
  CycleLog(Log& log, Decisions decisions) : log_(log), decisions_(decisions) {}

  // Logs each gang that was decided about, with its domain and the time it took; each workload;
  // then the cycle. REQUIRES: `tally` has taken the cycle's record.
  void take(const FinishedCycle& cycle, const Cluster& cluster, const CycleTally& tally);
  // Ids mean different things from now on.
  void forget() {
    gangs_.forget();
    workloads_.forget();
  }

 private:
  size_t log_gangs(const FinishedCycle& cycle, const Cluster& cluster,
                   std::map<GangId, GangDecisions> decided);
  size_t log_workloads(const CycleRecord& record, const Cluster& cluster);

  Log& log_;
  Decisions decisions_;
  ShownDecisions gangs_;
  ShownDecisions workloads_;
};

void log_cycle_failure(Log& log, const std::string& why);

// Logs what is wrong with the input now and was not before (null: nothing was known), and what is
// mended.
void log_input(Log& log, const std::vector<Diagnostic>* before, const std::vector<Diagnostic>& now);

}  // namespace trellis
