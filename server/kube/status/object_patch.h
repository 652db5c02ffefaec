// Expresses a change of an object as a patch.
#pragma once

#include <optional>

#include "server/document/json_objects.h"
#include "server/kube/client/api_request.h"
#include "server/kube/status/write_key.h"
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

}  // namespace trellis
