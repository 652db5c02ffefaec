// The next of the writes that start a workload's owner, or suspend it.
//
// An API server accepts a changed pod template only for an owner that is suspended already; for a
// Job only once none of its pods is active, and it has no start time. So an owner is suspended
// first, and its templates are restored after that. Cost: the size of the owner.
#pragma once

#include <optional>

#include "server/document/json_objects.h"
#include "server/kube/client/api_request.h"
#include "server/kube/watch/live_objects.h"

namespace trellis {

struct OwnerStep {
  std::optional<ApiRequest> request;  // none: there is nothing to write
  bool not_yet = false;               // the watch must show something else first
  bool more = false;                  // another step follows once it is written
};

// `before`: the owner as it is; `after`: the owner as it is to be in the end.
OwnerStep next_owner_step(const LiveObject& object, const Json& before, const Json& after);

}  // namespace trellis
