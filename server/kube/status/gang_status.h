// The status and annotations of a gang's PodGroup. Status: its phase, how many pods wait and run,
// and why the gang waits (schedulingConditions). Annotations: the domains that the gang is in,
// since when it runs, and since when it runs below its minimum.
//
// All other content of the status is kept. Cost of a look: O(`gangs` and their pods). Memory: 16
// bytes a gang.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "framework/indexed_vector.h"
#include "server/kube/client/api_request.h"
#include "server/kube/status/status_view.h"
#include "server/kube/status/waiting_reasons.h"
#include "server/kube/status/write_queue.h"

namespace trellis {

inline constexpr const char* kPlacementAnnotation = "trellis.scheduler/placement";

class GangStatuses {
 public:
  // Appends the PodGroups that may have to be written. `gangs`: those that may have changed since
  // the last look. REQUIRES: `reasons` has looked.
  void look(const StatusView& view, const GangReasons& reasons, std::span<const GangId> gangs,
            std::vector<WriteKey>& due_writes);

 private:
  // Hashes of what was written, with the gang's uid: another gang may take the slot.
  struct Written {
    uint64_t status = 0;
    uint64_t metadata = 0;
  };

  IndexedVector<GangId, Written> written_;
};

// The annotation's text; empty: neither the gang nor a subgroup is in a domain that it requested.
std::string placement_json(const Cluster& cluster, const CycleRecord& record, GangId gang);

// nullopt: there is nothing to write.
std::optional<ApiRequest> gang_status_request(const StatusView& view, const GangReasons& reasons,
                                              const WriteKey& key);

}  // namespace trellis
