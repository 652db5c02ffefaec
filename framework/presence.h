// How a pod counts on a node for other pods.
#pragma once

#include <cstdint>

#include "framework/pod.h"

namespace trellis {

enum class Presence : uint8_t {
  Stays,     // on the node, now and in future
  Leaves,    // on the node now, not in future; it was already leaving
  Promised,  // not on the node yet
  Evicted,   // on the node now, evicted in this session
  Spare,     // not on the node: room is kept there for a pod that may never come
};

// REQUIRES: the pod holds a node or was promised one.
inline Presence presence_of(PodStatus status) {
  if (status == PodStatus::Pipelined) return Presence::Promised;
  if (status == PodStatus::Evicted) return Presence::Evicted;
  return status == PodStatus::Releasing ? Presence::Leaves : Presence::Stays;
}

}  // namespace trellis
