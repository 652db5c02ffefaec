// The election's Lease: its name, its namespace, and its content.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "framework/result.h"
#include "framework/time.h"
#include "server/kube/client/cluster_access.h"

namespace trellis {

// "trellis", and for a shard "trellis-VALUE": each shard has a leader. Characters that an object's
// name must not contain are replaced, and then a hash distinguishes values.
std::string lease_name(std::string_view shard_value);

// The namespace of the pod that this program runs in; outside of a pod, that of the control plane.
std::string lease_namespace(const std::string& folder = kServiceAccountFolder);

// The content of a coordination.k8s.io/v1 Lease: who holds it, and since when.

struct LeaseRecord {
  std::string holder;            // holderIdentity; empty: the holder gave it up
  int64_t duration_s = 0;        // leaseDurationSeconds
  std::string acquired;          // acquireTime and renewTime, as they were written: they are for
  std::string renewed;           // people, clocks of two machines are never compared
  int64_t transitions = 0;       // leaseTransitions
  std::string resource_version;  // empty: the Lease does not exist yet
  std::string labels;            // as JSON, set by others and kept; empty: none
  std::string annotations;       // as JSON, set by others and kept; empty: none
  bool operator==(const LeaseRecord&) const = default;
};

Result<LeaseRecord> parse_lease(const std::string& text);

// The Lease as JSON for the API server. It names the version that it replaces.
std::string lease_json(const LeaseRecord& record, std::string_view name_space,
                       std::string_view name);

}  // namespace trellis
