// What became of a request for nodes, as users read it.
#pragma once

#include <string>
#include <string_view>

#include "framework/node_request.h"

namespace trellis {

// The name of the state: "Provisioned".
std::string_view to_string(NodeRequestState state);

// "ProvisioningRequest NAME has found no room yet: MESSAGE"
std::string node_request_text(const NodeRequest& request);

}  // namespace trellis
