// The members of live objects that are not read: they are left out of the text that is kept.
//
// This saves memory and protects secrets: what containers of a pod, and of the template of a
// Deployment and the like, are given (environment, command, files) is not kept, unless a Workload
// is made of the object, which repeats it. Where it is kept, /debug/snapshot never returns it
// (private_members.h).
#pragma once

#include <string_view>
#include <vector>

#include "server/document/document.h"

namespace trellis {

// The unread members of an object of this kind, at any depth, in no order.
std::vector<Value> unread_members(Value object, std::string_view api_version,
                                  std::string_view kind);

}  // namespace trellis
