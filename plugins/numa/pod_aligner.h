// Aligns one pod on one node: what its containers need of the zones is worked out once, then
// compared with any free cells.
//
// Guarantees: charge_alike leaves the same cells as aligning and charging pod by pod. A verdict of
// the greedy walk holds as long as what it takes is there: cells only fall, so a set that did not
// hold a container before does not hold it later.
// Cost: align and charge as in alignment.h; charge_alike that of two alignments, however many pods
// it charges.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "plugins/numa/alignment.h"
#include "plugins/numa/assignment_search.h"
#include "plugins/numa/zone_needs.h"

namespace trellis {

// How often equal pods can follow each other: each takes the same off the cells, until a cell has
// less than the pods took of it, or less than they need there.
class CellFalls {
 public:
  // `by`: what a pod takes of each cell, in all; not negative.
  CellFalls(std::span<const int64_t> before, std::span<const int64_t> by, size_t zones)
      : cells_(before.begin(), before.end()), by_(by), zones_(zones) {}

  // Follows the pod, unit by unit: it takes the needs off the zones of `set`, as take_from does.
  void take(const ZoneNeeds& needs, ZoneMask set);
  // The zones of `set` must hold the needs, which no container keeps. REQUIRES: they hold them now.
  void hold(const ZoneNeeds& needs, ZoneMask set);

  // How many more pods are given the same; at most `most`.
  int64_t repeats(int64_t most) const { return most < repeats_ ? most : repeats_; }

 private:
  void stop_below(int64_t cell, int64_t least, int64_t by);

  ZoneCells cells_;
  std::span<const int64_t> by_;
  size_t zones_;
  int64_t repeats_ = INT64_MAX;
};

class PodAligner {
 public:
  // REQUIRES: what `node` points to outlives it; node.free is not read.
  PodAligner(const NumaUnits& units, const NumaNode& node, const NumaOptions& options);

  NumaVerdict align(std::span<const int64_t> free) const;
  void charge(const NumaVerdict& verdict, std::span<int64_t> free) const;

  // Charges `free` with one pod and with the pods after it that are given the same zones, at most
  // `most`; returns how many. REQUIRES: the verdict is that of `seen`, which are the cells of
  // `free`, or fewer of them; the verdict fits; most > 0. A verdict found by search is charged
  // once.
  int32_t charge_alike(const NumaVerdict& verdict, std::span<const int64_t> seen,
                       std::span<int64_t> free, int32_t most) const;

 private:
  // What containers leave to the containers after them.
  enum class Held : uint8_t {
    Steering,    // sidecars stay, and ended init containers draw the next ones to their zones
    Sidecars,    // sidecars stay
    Containers,  // sidecars end like any init container
  };
  bool is_permanent(size_t unit, Held held) const;
  bool has(ContainerKind kind) const;
  NumaVerdict align_greedily(std::span<const int64_t> free, Held held) const;
  NumaVerdict align_by_order(std::span<const int64_t> free) const;
  bool may_search(std::span<const int64_t> free) const;
  void align_by_search(std::span<const int64_t> free, NumaVerdict& verdict) const;
  int64_t repeats_of_verdict(std::span<const int64_t> seen, std::span<const int64_t> by,
                             int64_t most) const;
  int64_t repeats_of_walk(std::span<const int64_t> seen, std::span<const int64_t> by, Held held,
                          int64_t most) const;
  // What a pod of the verdict takes: calls take(needs, set).
  template <class Take>
  void for_each_charge(const NumaVerdict& verdict, Take take) const;

  UnitNeeds needs_;
  const NumaTopology* topology_;
  NumaRules rules_;
  NumaPolicy policy_;
  NumaAlignment alignment_;
  ZoneMask counted_;
  size_t zones_;
  bool passes_;  // no zone restricts the pod
};

}  // namespace trellis
