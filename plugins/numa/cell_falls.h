// How often equal pods can follow each other: each takes the same off the cells, until a cell has
// less than the pods took of it, or less than they need there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "plugins/numa/zone_needs.h"

namespace trellis {

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

}  // namespace trellis
