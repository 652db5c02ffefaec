// What a coordination.k8s.io/v1 Lease says: who holds it, and since when it says nothing new.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "framework/result.h"
#include "framework/time.h"

namespace trellis {

struct LeaseRecord {
  std::string holder;            // holderIdentity; empty: it was given up
  int64_t duration_s = 0;        // leaseDurationSeconds
  std::string acquired;          // acquireTime and renewTime, as they were written: they are for
  std::string renewed;           // people, clocks of two machines are never compared
  int64_t transitions = 0;       // leaseTransitions
  std::string resource_version;  // empty: it is not there yet
  std::string labels;            // of others, as JSON: kept; empty: none
  std::string annotations;       // likewise
  bool operator==(const LeaseRecord&) const = default;
};

Result<LeaseRecord> parse_lease(const std::string& text);

// As the API server takes it; with the version that it replaces.
std::string lease_json(const LeaseRecord& record, std::string_view name_space,
                       std::string_view name);

}  // namespace trellis
