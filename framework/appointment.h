// An appointment: the latest start of a waiting gang, and the places that are kept for it from then
// on.
//
// It holds as long as running gangs end when they are expected to. It goes by names, so that
// another scheduler can continue with it (kind Cycle, appointments).
#pragma once

#include <string>
#include <vector>

#include "framework/time.h"

namespace trellis {

struct AppointedPod {
  std::string name;
  std::string node;
  bool operator==(const AppointedPod&) const = default;
};

struct Appointment {
  std::string name_space;
  std::string gang;
  TimeUs start = 0;
  TimeUs made = 0;                 // when it was last searched for
  std::vector<AppointedPod> pods;  // in the order to place them
  bool operator==(const Appointment&) const = default;
};

using Appointments = std::vector<Appointment>;  // in the order in which they were made

}  // namespace trellis
