// What the pods on one node hold of its zones, as far as the agent's last report does not say it.
//
// Words: a pod is *reported* when what it holds is missing from the report's `available` already;
// else it is *charged* here. Reported pods matter only when they leave.
// Guarantees: the free cells are exact sums over the pods, so whatever comes and goes in whatever
// order, equal pods make equal cells: a rollback gives them back bit for bit.
// Cost: a pod that comes or goes O(cells); a slot, after a search that begins with the last that
// came.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <span>
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
  bool there = true;           // false: it left, and may come back by a rollback
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
  // Of a pod that is there; null: there is none.
  const ZonePod* find(PodId pod) const;
  // What is free, in cells as in NumaTopology. REQUIRES: it is active.
  void sum_up(std::span<int64_t> now, std::span<int64_t> future) const;

  // REQUIRES: the pod is there; it has amounts only where the book is active.
  void add(ZonePod pod);
  // It left; false: there was none.
  bool leave(PodId pod, PodClassId pod_class, Presence presence);
  // It left with another presence, and is back with what it had; false: there is none like that.
  bool come_back(PodId pod, Presence left, Presence presence);
  // Forgets those that are not there.
  void purge();
  // Calls read(pod) for each that is there, which may change what it takes; then counts again.
  template <class Read>
  void read_all(Read read) {
    purge();
    for (ZonePod& pod : pods_) read(pod);
    recount();
  }

 private:
  // What is taken of a cell. No number of pods saturates it.
  __extension__ using Wide = __int128;
  struct Taken {
    Wide now = 0;
    Wide future = 0;
  };

  static constexpr int32_t kNoPlace = -1;

  void count(const ZonePod& pod, int64_t times);
  void recount();
  void enter(PodId pod);
  void enter_all();
  void drop_last();
  // The last that came of those that match; kNoPlace: there is none.
  template <class Match>
  int32_t find_last(PodId pod, Match matches) const;

  std::vector<ZonePod> pods_;
  // Where a pod stands in pods_: at its last place, and before that at previous_ of it.
  absl::flat_hash_map<PodId, int32_t> last_;
  std::vector<int32_t> previous_;
  std::vector<Taken> taken_;  // by cell
  int64_t unreported_ = 0;
  int64_t gone_ = 0;  // of pods_
};

}  // namespace trellis
