// The room of nodes over time, as far as appointments, Reservations and expected ends determine it.
//
// Words: the *held* room of a node is the part of its free room that a gang must leave, so that
// every appointment which it meets finds its room.
// Guarantees: amounts are exact; a pod that shares GPUs holds its node as a whole.
// Cost: held() O(pods on the nodes of the appointments that the gang meets); has_room() O(pods on
// its own nodes).
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <cstdint>
#include <span>
#include <vector>

#include "actions/backfill/kept_start.h"
#include "actions/backfill/reserved_nodes.h"
#include "session/cycle/session.h"
#include "session/statement/statement.h"
#include "session/times/expected_ends.h"

namespace trellis {

// The time in which a gang would run.
struct RunWindow {
  TimeUs from = 0;
  TimeUs until = kNever;
};

class RoomTimes {
 public:
  RoomTimes(Session& session, ExpectedEnds& ends);

  ExpectedEnds& ends() { return ends_; }
  const ReservedNodes& reserved() const { return reserved_; }
  // By the order in which they were made.
  const std::vector<KeptStart>& starts() const { return starts_; }
  const KeptStart* start_of(GangId gang) const;
  void keep(KeptStart start);
  void drop(GangId gang);
  // The gang has new pods on nodes.
  void placed(GangId gang);

  // When the gang would run if it started now; pods above a minimum end with their gang.
  RunWindow window_of(GangId gang) const { return {session_.now(), ends_.end_of(gang)}; }
  // The same of a gang that runs, and would start over.
  RunWindow window_again(GangId gang) const {
    return {session_.now(), time_after(session_.now(), ends_.run_time(gang))};
  }

  // Fixes which appointments hold against the gang, until the next call: once the statement gives
  // places, the order of gangs inside a queue is another one. kNone: of no gang.
  void serve(GangId gang);
  // Whether the appointment holds against the gang: it is another's, which is not behind it in its
  // own queue; or the gang has an appointment itself, beside which the other one was made. All hold
  // against what is no gang (kNone).
  bool binds(const KeptStart& start, GangId gang) const {
    return gang == served_ ? start.gang != gang && !behind_.contains(start.gang)
                           : binds_now(start, gang);
  }
  // Whether the appointment is of another queue, or before the gang in its own.
  bool goes_before(const KeptStart& start, GangId gang) const;
  // The appointment does not hold against the served gang.
  void let_pass(GangId appointed) { behind_.insert(appointed); }
  // This gang is served after others that are behind it: all appointments hold against it. kNone:
  // no gang is.
  void set_late(GangId gang) { late_ = gang; }
  // Appends the room that the gang has to leave in the window. Appointments that have begun when
  // the window begins, and after now, are expected to be placed in the statement.
  void held(GangId gang, const RunWindow& window, std::vector<HeldRoom>& rooms) const;
  // The first appointment that the gang meets on one of the nodes; null: none.
  const KeptStart* met(GangId gang, const RunWindow& window, std::span<const NodeId> nodes) const;
  // The first Reservation that does not name the gang and that it meets on one of the nodes.
  const Reservation* met_reservation(GangId gang, const RunWindow& window,
                                     std::span<const NodeId> nodes) const;

  // Whether the places of the appointment have room for it from its start on until its end.
  // REQUIRES: it starts now or later; its pods wait.
  bool has_room(const KeptStart& start) const;

 private:
  // Room that is taken (-1) or becomes free (1).
  struct Event {
    TimeUs at = 0;
    int32_t sign = 0;
    PodClassId pod_class;
  };
  struct Taker {
    size_t start = 0;  // in starts_
    PodClassId pod_class;
  };
  static constexpr int32_t kFrees = 1;
  static constexpr int32_t kTakes = -1;

  bool binds_now(const KeptStart& start, GangId gang) const {
    return start.gang != gang && (!gang.valid() || goes_before(start, gang) || gang == late_ ||
                                  start_of(gang) != nullptr);
  }
  void collect_ends(NodeId node, std::vector<Event>& events) const;
  template <class Counts>
  void collect_starts(NodeId node, const RunWindow& window, Counts counts,
                      std::vector<Event>& events) const;
  void hold_node(NodeId node, GangId gang, const RunWindow& window,
                 std::vector<HeldRoom>& rooms) const;
  bool has_room_on(NodeId node, std::span<const AppointedPlace> places,
                   const KeptStart& start) const;
  const PodSpec& spec_of(PodClassId pod_class) const {
    return session_.cluster().pod_classes()[pod_class];
  }
  void index();
  // Drops appointments on these nodes that gangs before them have passed, and that have no room any
  // more: they are in the way of no other.
  void drop_displaced(std::span<const NodeId> nodes);
  // The gang has more, now or later: what is behind it in its queue may have to wait.
  void pass(GangId gang);

  Session& session_;
  ExpectedEnds& ends_;
  ReservedNodes reserved_;
  std::vector<KeptStart> starts_;
  GangId late_;
  GangId served_;
  absl::flat_hash_set<GangId> behind_;  // gangs whose appointments do not bind the served one
  absl::flat_hash_map<NodeId, std::vector<Taker>> takers_;     // by node; never iterated
  absl::flat_hash_map<NodeId, std::vector<PodId>> newcomers_;  // of this cycle; never iterated
};

}  // namespace trellis
