// A change of an object as the patch that makes it.
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

// What a change is made against.
enum class Guard : uint8_t {
  SameObject,   // another of that name is left alone
  SameVersion,  // so is the same one, once another writer has changed it
};

// Of the part alone: its status, or all but that. nullopt: nothing of it changes.
std::optional<ApiRequest> patch_request(const LiveObject& object, const Json& before,
                                        const Json& after, WritePart part, Guard guard);

}  // namespace trellis
