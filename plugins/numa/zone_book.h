// The amounts that the pods on one node hold of its zones, as far as the agent's last report omits
// them.
//
// Words: a pod is *reported* when the report's `available` already lacks what it holds; else it is
// *charged* here. Reported pods matter only when they leave. What pods that are gone held (*left*)
// is free in future, until the next report.
// Guarantees: the free cells are exact sums over the pods, so in whatever order pods come and go,
// equal pods make equal cells: a rollback restores them bit for bit.
// Cost: a pod that comes or leaves O(cells); a slot O(cells) after a search that begins with the
// last slot that came.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "framework/ids.h"
#include "framework/node.h"
#include "framework/numa.h"
#include "framework/presence.h"
#include "framework/shared_value.h"
#include "plugins/numa/numa_policy.h"

namespace trellis {

struct ZoneAmount {
  uint32_t cell = 0;
  int64_t amount = 0;
};
using ZoneAmounts = boost::container::small_vector<ZoneAmount, 4>;

struct ZonePod {
  PodId pod;  // kNone: a slot of a workload
  PodClassId pod_class;
  Presence presence = Presence::Stays;
  bool there = true;           // false: the pod left, and may come back by a rollback
  bool reported = false;       // else charged
  std::vector<ZoneMask> sets;  // by unit; empty: not known
  ZoneAmounts amounts;
};

class ZoneBook {
 public:
  SharedValue<NumaTopology> report;
  NumaSettings settings;
  ZoneTrust trust = ZoneTrust::Unknown;
  SharedValue<NumaTopology> refuted;  // the report that the node's kubelet refuted

  bool active() const { return static_cast<bool>(report); }
  std::span<const ZonePod> pods() const { return pods_; }
  // Some pod that is there is not reported.
  bool has_unreported() const { return unreported_ > 0; }
  // The entry of a pod that is there; null: the pod is not there.
  const ZonePod* find(PodId pod) const;
  // The entry of a pod that was evicted and has not left; null: there is none.
  const ZonePod* find_evicted(PodId pod) const;
  // The free amounts, in cells as in NumaTopology. REQUIRES: the book is active.
  void sum_up(std::span<int64_t> now, std::span<int64_t> future) const;

  // REQUIRES: the pod is there; the pod has amounts only where the book is active.
  void add(ZonePod pod);
  // The pod left; false: no such pod was there.
  bool leave(PodId pod, PodClassId pod_class, Presence presence);
  // A pod that left with presence `left` is back with what it had; false: no such pod left.
  bool come_back(PodId pod, Presence left, Presence presence);
  // Removes the pods that are not there.
  void purge();
  // Calls read(pod) for each pod that is there; read may change what the pod takes. `left`: the
  // amounts that the report shows as used by pods that are gone. Then counts again.
  template <class Read>
  void read_all(ZoneAmounts left, Read read) {
    purge();
    left_ = std::move(left);
    for (ZonePod& pod : pods_) read(pod);
    recount();
  }
  // Some pod is gone whose zones the report shows as used.
  bool has_left() const { return !left_.empty(); }
  // Some pod is promised the node.
  bool has_promises() const { return promises_ > 0; }

 private:
  // Sums over the pods, for a cell. No number of pods saturates them.
  __extension__ using Wide = __int128;
  struct Sums {
    Wide now = 0;     // taken now, by pods that are charged
    Wide future = 0;  // taken once the leaving pods have left
    Wide freed = 0;   // of reported pods that leave or are gone
    Wide stay = 0;    // of all pods that stay
  };

  static constexpr int32_t kNoEntry = -1;

  void count(const ZonePod& pod, int64_t times);
  void recount();
  void enter(PodId pod);
  void enter_all();
  void drop_last();
  // The last entry of the pod that matches; kNoEntry: no entry matches.
  template <class Match>
  int32_t find_last(PodId pod, Match matches) const;

  std::vector<ZonePod> pods_;
  // The indexes in pods_ of a pod's entries: last_ has the last; previous_[i] is the one before
  // entry i.
  absl::flat_hash_map<PodId, int32_t> last_;
  std::vector<int32_t> previous_;
  std::vector<Sums> sums_;  // by cell
  ZoneAmounts left_;
  int64_t unreported_ = 0;
  int64_t promises_ = 0;
  int64_t gone_ = 0;  // entries of pods_ that are not there
};

}  // namespace trellis
