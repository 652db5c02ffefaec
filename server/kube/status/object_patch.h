// Expresses changes of objects as patches, and the steps that start or suspend an owner.
#pragma once

#include <optional>

#include "server/document/json_objects.h"
#include "server/kube/client/api_request.h"
#include "server/kube/status/write_queue.h"
#include "server/kube/watch/live_objects.h"

namespace trellis {

// A JSON merge patch (RFC 7386) that makes `after` of `before`; an empty object: they are equal.
// Lists are replaced whole. Cost: O(both).
Json merge_patch_between(const Json& before, const Json& after);

// The condition under which the server applies a patch.
enum class Guard : uint8_t {
  SameObject,   // the object has the same uid
  SameVersion,  // and no other writer has changed it
};

// The patch of one part: the status, or all but the status. nullopt: the part does not change.
std::optional<ApiRequest> patch_request(const LiveObject& object, const Json& before,
                                        const Json& after, WritePart part, Guard guard);

// The next of the writes that start a workload's owner, or suspend it.
//
// An API server accepts a changed pod template only for an owner that is suspended already; for a
// Job only once none of its pods is active, and it has no start time. So an owner is suspended
// first, and its templates are restored after that. Cost: the size of the owner.
struct OwnerStep {
  std::optional<ApiRequest> request;  // none: there is nothing to write
  bool not_yet = false;               // the watch must show something else first
  bool more = false;                  // another step follows once it is written
};

// `before`: the owner as it is; `after`: the owner as it is to be in the end.
OwnerStep next_owner_step(const LiveObject& object, const Json& before, const Json& after);

}  // namespace trellis
