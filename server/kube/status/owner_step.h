// The next write on the way of a workload's owner to its start, or to its suspension.
//
// An API server takes another template of pods only from an owner that is suspended already; of a
// Job only once none of its pods is active, and it has no start time. So an owner is suspended
// first, and has its templates back after that. Cost: the size of the owner.
#pragma once

#include <optional>

#include "server/document/json_objects.h"
#include "server/kube/client/api_request.h"
#include "server/kube/watch/live_objects.h"

namespace trellis {

struct OwnerStep {
  std::optional<ApiRequest> request;  // none: there is nothing to write
  bool not_yet = false;               // something else must be seen first
  bool more = false;                  // once it is written
};

// `after`: the owner, `before`, as it is to be in the end.
OwnerStep next_owner_step(const LiveObject& object, const Json& before, const Json& after);

}  // namespace trellis
