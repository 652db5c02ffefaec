// The Events of a finished cycle: pods that were bound, that wait (once for each kind of reason),
// and that were evicted; gangs that wait, or run below their minimum.
//
// "Scheduled" is sent once the pod's object has its node, not before. Pods that were bound before
// the first look, and gangs that ran below their minimum before it, are not reported. Cost of a
// look: O(`gangs` and `pods`) comparisons of numbers, and what changed.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "framework/indexed_vector.h"
#include "server/kube/status/event_book.h"
#include "server/kube/status/status_view.h"
#include "server/kube/status/waiting_reasons.h"

namespace trellis {

// The Events of the pods that the cycle evicts, made when it ends: later cycles may give the ids to
// other objects. O(decisions).
std::vector<ClusterEvent> eviction_events(const Cluster& cluster, const CycleRecord& record);

class CycleEvents {
 public:
  // `gangs` and `pods`: what may have changed since the last look. REQUIRES: `reasons` has looked.
  std::vector<ClusterEvent> look(const StatusView& view, const GangReasons& reasons,
                                 std::span<const GangId> gangs, std::span<const PodId> pods);

 private:
  enum class Place : uint8_t { Unknown, Nowhere, Decided, There };
  struct Seen {
    size_t pod = 0;  // its uid, hashed: another pod may take the slot
    Place place = Place::Unknown;
    ReasonCode reported = ReasonCode::None;
  };
  void look_at_pod(const StatusView& view, const GangReasons& reasons, PodId id,
                   std::vector<ClusterEvent>& events);
  void report_bound(const StatusView& view, std::vector<ClusterEvent>& events);
  void report_stale_gangs(const StatusView& view, std::span<const GangId> gangs,
                          std::vector<ClusterEvent>& events);

  bool looked_ = false;
  IndexedVector<PodId, Seen> seen_;
  IndexedVector<GangId, uint8_t> stale_;  // whether it runs below its minimum
  std::vector<PodId> decided_;            // whose objects do not show their node yet
};

}  // namespace trellis
