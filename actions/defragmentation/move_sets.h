// Sets of gangs that move together, tried in the session's statement.
//
// Words: a *set* leaves as a whole, then each of its gangs is placed again; its *bound* is the
// worth of the room while none of them has a place, which no places of theirs can exceed.
// Guarantees: after each call the statement is as it was, unless the set is carried out.
// Cost: a trial is one search for one gang, and O(nodes that it touches x kinds).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "actions/defragmentation/movable_gangs.h"
#include "actions/defragmentation/room_gauge.h"
#include "framework/gpu_grant.h"
#include "session/placement/gang_search.h"

namespace trellis {

struct PodMove {
  PodId pod;
  NodeId from;
  NodeId to;
};

struct GangMove {
  const MovableGang* gang = nullptr;
  std::vector<PodMove> pods;
};

// A set with the places that its gangs get.
struct PlacedSet {
  std::vector<GangMove> moves;
  int64_t gain = 0;         // of worth (RoomGauge::worth)
  int64_t moved_milli = 0;  // GPUs

  size_t size() const { return moves.size(); }
};

class MoveSets {
 public:
  using Gangs = std::vector<const MovableGang*>;
  using Nodes = std::vector<NodeId>;

  MoveSets(Session& session, RoomGauge& gauge)
      : session_(session), gauge_(gauge), search_(session, FitMode::Future) {}

  // What the set could gain at most.
  int64_t bound(const Gangs& gangs);
  // The places with the largest gain that are found off the nodes `off`. The gangs are placed one
  // after the other, those with the most GPUs first, each at a few places, those first that the
  // gang search prefers; none where the gain would not be `wanted`, which holds for all gains above
  // one for which it holds. nullopt: there is no such place.
  using Wanted = std::function<bool(int64_t gain)>;
  std::optional<PlacedSet> search(const Gangs& gangs, const Nodes& off, const Wanted& wanted);
  // The nodes of the domains with the largest gangs, once the set has left; without domains of more
  // than kMostHeld nodes.
  Nodes nodes_to_keep(const Gangs& gangs);
  // The nodes of the domains of a level where the set stands; empty where they are too many.
  Nodes nodes_around(const Gangs& gangs, size_t level) const;
  // Makes the moves in the statement. False, and nothing is done: some pod has no room where it was
  // to go.
  bool carry_out(std::span<const GangMove> moves);

  int64_t trials() const { return trials_; }

 private:
  static constexpr size_t kMostHeld = 256;      // nodes that a trial keeps free
  static constexpr size_t kMostTries = 8;       // places of a gang
  static constexpr int64_t kMostOfSearch = 64;  // trials

  // The places of one gang that were tried, the others of the set as they stand before it.
  struct Turn {
    Statement::Checkpoint start;
    size_t tries = 0;
    Nodes taken;  // the places
  };

  void make_leave(const Gangs& gangs);
  Nodes nodes_off(const MovableGang& gang, const Nodes& off, const Turn& turn) const;
  bool place_next(const MovableGang& gang, const Nodes& off, Turn& turn);
  PlacedSet read_set(const Gangs& gangs) const;
  bool put(const PodMove& move);

  Session& session_;
  RoomGauge& gauge_;
  GangSearch search_;
  int64_t trials_ = 0;
};

}  // namespace trellis
