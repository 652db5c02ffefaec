// What an order of gangs gives: how much it places, how close together, and what it leaves.
//
// Words: the *value* of an order is, item by item: GPUs placed now, GPUs promised, pods, domains of
// preferred levels that are spanned beyond the first of each gang (fewer are better), and the free
// GPUs that are left together (the sum of their squares over nodes and domains).
// Cost: a value O(pods placed x levels); the first comparison that what is left decides O(nodes).
#pragma once

#include <absl/numeric/int128.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "framework/ids.h"
#include "session/cycle/gang_step.h"
#include "session/cycle/session.h"

namespace trellis {

// A gang's turn: its next pods, tried in the statement.
struct GangTurn {
  explicit GangTurn(GangId gang) : progress(gang) {}

  GangProgress progress;
  int64_t work = 0;  // that its search may do
  Statement::Checkpoint start;
  bool may_change = false;  // whether it may change places with others
  GangStep step;

  GangId gang() const { return progress.gang(); }
  bool placed() const { return step.result == GangStep::Result::Placed; }
  bool waits() const { return step.result == GangStep::Result::Waits; }
};

struct OrderValue {
  int64_t gpus_now = 0;  // thousandths
  int64_t gpus_later = 0;
  int64_t pods = 0;
  int64_t domains = 0;                            // beyond the first of each gang and subgroup
  std::vector<std::pair<NodeId, int64_t>> taken;  // GPUs, by node; each node once
};

class OrderValues {
 public:
  explicit OrderValues(Session& session) : session_(session) {}

  // Of the turns, which are all that the statement has.
  OrderValue of(std::span<const GangTurn> turns) const;
  // Whether `a` is better. REQUIRES: one of the two is what the statement has: `present`.
  bool better(const OrderValue& a, const OrderValue& b, const OrderValue& present);

 private:
  // Free GPUs of each node and domain before any turn.
  struct Room {
    IndexedVector<NodeId, int64_t> nodes;
    std::vector<IndexedVector<DomainId, int64_t>> domains;  // by topology
  };

  int64_t spanned(GangId gang, std::span<const Decision> decisions) const;
  void measure(const OrderValue& present);
  absl::int128 together(const OrderValue& value) const;

  Session& session_;
  bool measured_ = false;
  Room room_;
};

}  // namespace trellis
