// A DaemonSet: a pod on every node that its template allows.
#pragma once

#include <string>

#include "framework/pod.h"

namespace trellis {

struct DaemonSet {
  StrId name_space;
  std::string name;
  PodSpec spec;
  Labels labels;  // of its template
  bool operator==(const DaemonSet&) const = default;
};

}  // namespace trellis
