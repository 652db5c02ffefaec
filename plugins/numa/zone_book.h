// What the pods on one node hold of its zones, as far as the agent's last report does not say it.
//
// Words: a pod is *reported* when what it holds is missing from the report's `available` already;
// else it is *charged* here. Reported pods matter only when they leave.
// Guarantees: the free cells are sums over the pods, so whatever comes and goes in whatever order,
// equal pods make equal cells: a rollback gives them back bit for bit. Cost: a change O(pods on the
// node x their cells).
#pragma once

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

struct ZoneBook {
  SharedValue<NumaTopology> report;
  NumaSettings settings;
  ZoneTrust trust = ZoneTrust::Unknown;
  SharedValue<NumaTopology> refuted;  // the report that the node's kubelet refuted
  std::vector<ZonePod> pods;

  bool active() const { return static_cast<bool>(report); }
  // Of a pod that is there; null: there is none.
  const ZonePod* find(PodId pod) const;
  ZonePod* find(PodId pod, PodClassId pod_class, Presence presence);
  // What is free, in cells as in NumaTopology. REQUIRES: it is active.
  void sum_up(std::span<int64_t> now, std::span<int64_t> future) const;
  // Forgets those that are not there.
  void purge();
};

}  // namespace trellis
