// When running gangs are expected to end.
//
// Words: a gang's *run time* is how long it is expected to run, from start to end: as objects state
// it, else a quantile of the past runs of its queue and namespace (queues.runTimeQuantile). A gang
// that has run for longer is expected to run twice as long, then four times, and so on.
// Guarantees: an expected end is after the context's now.
// Cost: end_of() O(pods of the gang); running() O(gangs with a run time and their pods) at the
// first call.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <string>
#include <utility>
#include <vector>

#include "framework/ids.h"
#include "framework/run_history.h"
#include "framework/time.h"
#include "session/placement/placement_context.h"

namespace trellis {

inline constexpr TimeUs kNever = INT64_MAX;

// kNever: the sum is not known.
inline TimeUs time_after(TimeUs time, TimeUs length) {
  return time == kNever || length == kNoTime || length > kNever - time ? kNever : time + length;
}

struct ExpectedEnd {
  TimeUs at = kNever;
  GangId gang;
};

class ExpectedEnds {
 public:
  // `past`: how long past gangs ran; null: not known.
  ExpectedEnds(const PlacementContext& context, const RunHistory* past);

  // Of a gang that runs; else of one that starts now. kNever: its run time is not known.
  TimeUs end_of(GangId gang) const;
  // How long a gang runs that starts now; kNoTime: not known.
  TimeUs run_time(GangId gang) const;
  // Whether any run time is known.
  bool any() const { return !past_.empty() || !context_.snapshot().timed_gangs().empty(); }

  // The gangs that have pods on nodes and whose ends are known, by end, then by name.
  const std::vector<ExpectedEnd>& running();
  // The gang has pods on nodes since the first call of running().
  void add(GangId gang);

 private:
  bool has_nodes(GangId gang) const;
  bool ends_before(const ExpectedEnd& a, const ExpectedEnd& b) const;

  const PlacementContext& context_;
  // The quantile of past runs, by queue and namespace; never iterated.
  absl::flat_hash_map<std::pair<std::string, std::string>, TimeUs> past_;
  std::vector<ExpectedEnd> running_;
  bool listed_ = false;
};

}  // namespace trellis
