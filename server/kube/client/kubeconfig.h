// Reads kubeconfigs: how to reach the cluster that one of their contexts names.
//
// Several files are merged as kubectl merges them: the first file that has an entry of a name, or a
// current-context, decides about it.
#pragma once

#include <span>
#include <string>

#include "framework/result.h"
#include "server/kube/client/cluster_access.h"

namespace trellis {

// `files`: one path, or several with a colon between them, as in KUBECONFIG. Files that do not
// exist are skipped where another one exists. `context` empty: the current-context. Paths in a file
// are relative to it. An error gives file, line and path ("config:12: $.users[0].user.exec: ..."),
// and never quotes a secret.
Result<ClusterAccess> read_kubeconfig(const std::string& files, const std::string& context);

struct KubeconfigText {
  std::string file;  // what errors show and paths are relative to
  std::string text;
};
// Cost: each text is parsed up to five times.
Result<ClusterAccess> parse_kubeconfig(std::span<const KubeconfigText> files,
                                       const std::string& context);

}  // namespace trellis
