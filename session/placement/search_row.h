// What the gang search moves: pods of one class, and how many steps it may still take.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "framework/ids.h"
#include "framework/node_state.h"

namespace trellis {

class Session;

struct SearchRow {
  PodClassId pod_class;
  std::span<const PodId> pods;  // in the order to place them
};

struct SearchBudget {
  int64_t left = 0;
  bool exhausted = false;

  bool spend() {
    exhausted = exhausted || left <= 0;
    --left;
    return !exhausted;
  }
};

// Places pods of the row on the best of `nodes`, one by one, until no node takes another; gives the
// number placed.
size_t fill_nodes(Session& session, const SearchRow& row, std::span<const NodeId> nodes,
                  FitMode mode);

}  // namespace trellis
