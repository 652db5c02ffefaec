// The Kubernetes version of an API server.
#pragma once

#include <cstdint>

#include "framework/result.h"
#include "server/kube/watch/discovery.h"

namespace trellis {

struct ServerVersion {
  int64_t major = 0;
  int64_t minor = 0;
  auto operator<=>(const ServerVersion&) const = default;
};

// Cost: one request. A vendor's suffix ("34+") is left out.
Result<ServerVersion> read_server_version(const ApiGet& get);

// Whether a server of this version copies the labels of a Binding to its pod, as it copies
// annotations (its feature PodTopologyLabelsAdmission, which is on from 1.35).
bool copies_labels_of_binds(const ServerVersion& version);

}  // namespace trellis
