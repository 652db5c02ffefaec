// The owner that an object refers to.
#pragma once

#include <string>
#include <string_view>

#include "server/document/json_objects.h"

namespace trellis {

// The reference to its controller, else to its first owner; null: the object has no owner.
Json owner_reference(const Json& object);

// "batch" of "batch/v1"; "" of "v1".
std::string group_of(std::string_view api_version);

}  // namespace trellis
