// How a pod counts on a node for other pods.
#pragma once

#include <cstdint>

#include "framework/pod.h"

namespace trellis {

enum class Presence : uint8_t {
  Stays,     // there, now and in future
  Leaves,    // there now, gone in future; it was leaving before
  Promised,  // not there yet
  Evicted,   // there now, evicted in this session
};

// REQUIRES: the pod holds a node or was promised one.
inline Presence presence_of(PodStatus status) {
  if (status == PodStatus::Pipelined) return Presence::Promised;
  if (status == PodStatus::Evicted) return Presence::Evicted;
  return status == PodStatus::Releasing ? Presence::Leaves : Presence::Stays;
}

}  // namespace trellis
