// Reads kubeconfigs: how to reach the cluster that one of their contexts names.
//
// Several files are merged as kubectl merges them: the first file that has an entry of a name, or a
// current-context, decides about it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "framework/result.h"
#include "server/kube/client/cluster_access.h"

namespace trellis {

// The paths of a list with colons between them, as in KUBECONFIG; each once.
std::vector<std::string> kubeconfig_paths(std::string_view list);

// Files that do not exist are skipped where another one exists. `context` empty: the
// current-context. Paths in a file are relative to it. An error gives file, line and path
// ("config:12: $.users[0].user.exec: ..."), and never quotes a secret.
Result<ClusterAccess> read_kubeconfigs(std::span<const std::string> paths,
                                       const std::string& context);

struct KubeconfigText {
  std::string file;  // what errors show and paths are relative to
  std::string text;
};
// Cost: each text is parsed up to five times.
Result<ClusterAccess> parse_kubeconfig(std::span<const KubeconfigText> files,
                                       const std::string& context);

}  // namespace trellis
