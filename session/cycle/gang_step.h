// Places a gang step by step, as allocate does: first the rest of its minimum at once, then the
// pods above it: pod by pod, by segments, or subgroup by subgroup.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "framework/queue_amounts.h"
#include "framework/reason.h"
#include "session/cycle/session.h"
#include "session/placement/gang_needs.h"
#include "session/placement/gang_search.h"
#include "session/placement/pod_rows.h"

namespace trellis {

// Whether the gang is in a queue that it counts for.
inline bool counts_for_queue(const PlacementContext& context, GangId gang) {
  return !context.cluster().gangs()[gang].background &&
         context.snapshot().queues().queue_of_gang()[gang].valid();
}

// Why the gang may not take `need` on top of what its queue has; code None when it may, as where no
// plugin has rules for queues, or the gang is in no queue.
inline Reason may_take(const PlacementContext& context, GangId gang, const QueueAmounts& need) {
  const QueueRules* rules = context.hooks().queue_rules;
  bool bound = rules != nullptr && counts_for_queue(context, gang);
  return bound ? rules->may_take(gang, need) : Reason();
}

// Whether pods that come later find devices beside pods that are bound now.
inline bool promises_hold(const PlacementContext& context) {
  const DeviceAllocator* devices = context.hooks().device_allocator;
  return devices == nullptr || devices->promises_hold();
}

// Why the gang may not keep what it has taken; code None when it may.
inline Reason may_keep(const PlacementContext& context, GangId gang) {
  const QueueRules* rules = context.hooks().queue_rules;
  bool bound = rules != nullptr && counts_for_queue(context, gang);
  return bound ? rules->may_keep(gang) : Reason();
}

struct GangStep {
  enum class Result : uint8_t {
    Placed,   // in the session's statement, not committed
    Waits,    // nothing placed; `code` says why
    Nothing,  // no pod waits
  } result = Result::Nothing;
  ReasonCode code = ReasonCode::None;  // with Waits
  Reason refusal;                      // with Waits: of its queue, or that pods are missing
  int64_t needed = 0;                  // pods that had to be placed together
  int64_t work = 0;                    // with Waits: work that the search did
  bool ran_out = false;                // the search exhausted the work that it may do
};

// Why the gang may not be tried at all; none when it may.
std::vector<Reason> gang_refusals(const Session& session, GangId gang);

// Whether the places of the gang's pods depend on the time since earlier events, as preferences do.
bool depends_on_time(const Session& session, GangId gang);

// The progress of one gang; valid as long as nothing but its own steps moves its pods. All its
// steps share the work of one search.
class GangProgress {
 public:
  explicit GangProgress(GangId gang) : gang_(gang) {}
  // `work`: used instead of what the session allows.
  GangProgress(GangId gang, int64_t work) : gang_(gang), work_(work) {}

  GangId gang() const { return gang_; }
  GangStep next(Session& session, GangSearch& search);
  // REQUIRES: next() was called.
  int64_t work_left() const { return *work_; }

 private:
  GangStep search_next(Session& session, GangSearch& search);
  GangStep place_first(Session& session, GangSearch& search, const GangNeeds& needs);
  bool allows(Reason verdict);
  // Rolls back what the gang's queue may not keep.
  SearchResult keep(Session& session, Statement::Checkpoint start, SearchResult result);
  GangStep place_minimum(Session& session, GangSearch& search);
  GangStep grow_parts(Session& session, GangSearch& search);
  GangStep grow(Session& session, GangSearch& search);
  GangStep grow_further(Session& session, GangSearch& search);
  void begin_growing(const Session& session);

  GangId gang_;
  std::optional<int64_t> work_;  // left
  Reason refusal_;               // the first of the step
  // True: pods above the minimum are only promised places, as the minimum was; unset: not searched
  // yet.
  std::optional<bool> grows_later_;
  bool growing_ = false;
  std::vector<RowPods> rows_;                 // above the minimum: pods that still wait
  std::vector<size_t> taken_;                 // of each row
  std::vector<std::vector<uint32_t>> turns_;  // of each row's pods
  // Rows that still have pods, by the position of the next pod.
  std::set<std::pair<uint32_t, size_t>> next_;
  std::vector<NodeId> placed_;  // nodes of the gang's pods
};

}  // namespace trellis
