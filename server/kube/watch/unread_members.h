// Members of live objects that are not read: left out of the text that is kept of it.
//
// For the sake of memory, and of secrets: what containers of a pod, and of the template of a
// Deployment and the like, are given (environment, command, files) is not kept, unless a Workload
// is made of it, which repeats it. What is kept never leaves by /debug/snapshot
// (private_members.h).
#pragma once

#include <string_view>
#include <vector>

#include "server/document/document.h"

namespace trellis {

// Of an object of this kind, at any depth, in no order.
std::vector<Value> unread_members(Value object, std::string_view api_version,
                                  std::string_view kind);

}  // namespace trellis
