// Logs the events of a cycle and of the input, a line each.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "server/document/diagnostic.h"
#include "server/log/log.h"
#include "server/serve/finished_cycle.h"
#include "server/view/cycle_tally.h"
#include "session/cluster/cluster.h"

namespace trellis {

// The last logged decisions of each gang. Decisions that are only shown are made again each cycle,
// and are logged once.
class ShownDecisions {
 public:
  // Whether the gang's decisions are new since the cycle before; `decisions`: a hash of them.
  bool is_news(GangId gang, uint64_t decisions);
  void end_cycle() { before_ = std::exchange(now_, {}); }

 private:
  absl::flat_hash_map<uint32_t, uint64_t> before_;
  absl::flat_hash_map<uint32_t, uint64_t> now_;
};

// Logs each gang that was decided about, with its domain and the time it took; then the cycle.
// `shown` null: decisions are carried out, and each is logged. REQUIRES: `tally` has taken the
// cycle's record.
void log_cycle(Log& log, const FinishedCycle& cycle, const Cluster& cluster,
               const CycleTally& tally, ShownDecisions* shown);

void log_cycle_failure(Log& log, const std::string& why);

// Logs what is wrong with the input now and was not before (null: nothing was known), and what is
// mended.
void log_input(Log& log, const std::vector<Diagnostic>* before, const std::vector<Diagnostic>& now);

}  // namespace trellis
