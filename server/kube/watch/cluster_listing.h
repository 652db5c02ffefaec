// Reads a live cluster once: the objects of every kind that is read, as the API server has them.
//
// Guarantees: a kind is read completely, or the whole listing is an error; nothing is watched, and
// nothing is written. Cost: that of a discovery, and a request for every 500 objects of a kind.
#pragma once

#include <vector>

#include "framework/result.h"
#include "server/document/diagnostic.h"
#include "server/kube/client/cluster_access.h"
#include "server/manifest/manifest.h"

namespace trellis {

struct ClusterListing {
  std::vector<NamedText> texts;         // "pods/NAMESPACE/NAME", by kind and name
  std::vector<Diagnostic> diagnostics;  // kinds and objects that could not be read
};

Result<ClusterListing> list_cluster(ClusterAccess access);

}  // namespace trellis
