// Reads a kubeconfig: how to reach the cluster that one of its contexts names.
#pragma once

#include <string>

#include "framework/result.h"
#include "server/kube/client/cluster_access.h"

namespace trellis {

// `context` empty: the current-context. Paths in the file are relative to it. An error gives file,
// line and path ("config:12: $.users[0].user.exec: ..."), and never quotes a secret.
Result<ClusterAccess> read_kubeconfig(const std::string& file, const std::string& context);

// Parses the text of a kubeconfig. `file` is what errors show and paths are relative to.
Result<ClusterAccess> parse_kubeconfig(const std::string& file, const std::string& text,
                                       const std::string& context);

}  // namespace trellis
