// The earliest start of a gang, and its places there: tried in the statement, once the gangs that
// are expected to end before it have left.
//
// Guarantees: a start is no later than that of any other order in which the gang could be placed
// as the gang search places it; the statement is as it was. A start is not searched for further
// than some tries, and then is not known.
// Cost: O(log ends) looks at counts, with the evictions before each undone at most once, and one
// search; O(log ends) searches where counts do not say whether the gang fits; one more for each
// time after it at which appointments are in the way.
#pragma once

#include <optional>
#include <vector>

#include "actions/backfill/room_times.h"

namespace trellis {

class StartSearch {
 public:
  StartSearch(Session& session, RoomTimes& times) : session_(session), times_(times) {}

  // A start before `before`; nullopt: there is none, or it is not known.
  std::optional<KeptStart> run(GangId gang, TimeUs before);

 private:
  static constexpr int kMostTries = 200;

  // The pods that have to be placed together, where they are equal.
  struct EqualPods {
    PodClassId pod_class;
    int64_t pods = 0;
  };

  void collect_times(TimeUs before);
  void leave_until(size_t time);
  template <class Holds>
  size_t first_time(size_t from, Holds holds);
  std::optional<EqualPods> equal_pods(GangId gang) const;
  bool may_fit(GangId gang, const EqualPods& pods);
  bool fits(GangId gang);
  bool fits_at(GangId gang);
  std::optional<KeptStart> try_at(GangId gang, TimeUs start);
  KeptStart start_of(GangId gang, TimeUs start, size_t first) const;

  Session& session_;
  RoomTimes& times_;
  std::vector<TimeUs> at_;    // times at which room becomes free
  std::vector<size_t> left_;  // of each time: how many of the running gangs have left by then
  size_t gone_ = 0;           // running gangs that have left in the statement
  int tries_ = 0;
};

}  // namespace trellis
