// What a PodGroup says of its gang: the status with its phase, how many pods wait and run, and why
// it waits (schedulingConditions); as annotations the domains that it stands in, and since when it
// runs, and runs below its minimum.
//
// What else stands in the status stays. Cost of a look: O(`gangs` and their pods). Memory: 16 bytes
// a gang.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "framework/indexed_vector.h"
#include "server/kube/client/api_request.h"
#include "server/kube/status/gang_reasons.h"
#include "server/kube/status/status_view.h"
#include "server/kube/status/write_key.h"

namespace trellis {

inline constexpr const char* kPlacementAnnotation = "trellis.scheduler/placement";

class GangStatuses {
 public:
  // Appends the PodGroups that may have to be written. `gangs`: of whom something may have changed
  // since the last look. REQUIRES: `reasons` has looked.
  void look(const StatusView& view, const GangReasons& reasons, std::span<const GangId> gangs,
            std::vector<WriteKey>& due_writes);

 private:
  // Each hashed, with the gang's uid: another gang may take the slot.
  struct Written {
    uint64_t status = 0;
    uint64_t metadata = 0;
  };

  IndexedVector<GangId, Written> written_;
};

// As the annotation says it; empty: nothing of it stands in a domain that it asked for.
std::string placement_json(const Cluster& cluster, const CycleRecord& record, GangId gang);

// nullopt: it says so already.
std::optional<ApiRequest> gang_status_request(const StatusView& view, const GangReasons& reasons,
                                              const WriteKey& key);

}  // namespace trellis
