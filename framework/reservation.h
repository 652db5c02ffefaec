// A reservation: nodes that are kept for some gangs, or for none, during a part of time.
#pragma once

#include <string>
#include <vector>

#include "framework/ids.h"
#include "framework/selectors.h"
#include "framework/time.h"

namespace trellis {

struct Reservation {
  std::string name;
  std::vector<std::string> nodes;  // by name
  Labels domain;                   // all nodes that have these labels, too; empty: none
  TimeUs from = 0;
  TimeUs to = 0;  // excluded
  // Those who may use the nodes then.
  std::vector<StrId> queues;
  std::vector<StrId> name_spaces;
  std::vector<std::string> gangs;  // "namespace/name"
  bool operator==(const Reservation&) const = default;
};

}  // namespace trellis
