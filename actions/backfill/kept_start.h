// An appointment (framework/appointment.h) by ids.
#pragma once

#include <vector>

#include "framework/ids.h"
#include "framework/time.h"

namespace trellis {

struct AppointedPlace {
  NodeId node;
  PodId pod;
  PodClassId pod_class;
};

struct KeptStart {
  GangId gang;
  TimeUs start = 0;
  TimeUs end = 0;   // expected; kNever: not known
  TimeUs made = 0;  // when it was last searched for
  std::vector<AppointedPlace> places;
  // In this cycle a gang of its queue that goes before it got places or an appointment.
  bool passed = false;

  // Whether it takes room at some time in [from, until).
  bool meets(TimeUs from, TimeUs until) const { return start < until && end > from; }
};

}  // namespace trellis
