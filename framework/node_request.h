// A request to a cluster autoscaler for nodes that take a gang's pods together, and its answer: a
// ProvisioningRequest of autoscaling.x-k8s.io that was made for the gang.
#pragma once

#include <cstdint>
#include <string>

#include "framework/ids.h"
#include "framework/time.h"

namespace trellis {

enum class NodeRequestState : uint8_t {
  Unanswered,      // no autoscaler has seen it yet
  Accepted,        // an autoscaler knows its class
  NotProvisioned,  // there was no room; the autoscaler will try again
  Provisioned,     // the room exists, and the autoscaler keeps it for a while
  BookingExpired,  // the autoscaler keeps it no longer
  CapacityRevoked,
  Failed,  // the autoscaler has given up
};

struct NodeRequest {
  StrId name_space;
  std::string name;
  StrId gang;  // key "namespace/name"
  std::string class_name;
  NodeRequestState state = NodeRequestState::Unanswered;
  // Of the condition that the state is from, in the autoscaler's words.
  std::string reason;
  std::string message;
  TimeUs since = kNoTime;
  bool operator==(const NodeRequest&) const = default;
};

}  // namespace trellis
