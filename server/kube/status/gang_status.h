// What a PodGroup says of its gang: the status with its phase, how many pods wait and run, and why
// it waits (schedulingConditions); as annotations the domains that it stands in, and since when it
// runs, and runs below its minimum.
//
// What else stands in the status stays. Cost of a look: O(pods + gangs) comparisons of numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "framework/indexed_vector.h"
#include "server/kube/api_request.h"
#include "server/kube/status/gang_reasons.h"
#include "server/kube/status/status_view.h"
#include "server/kube/status/write_key.h"

namespace trellis {

inline constexpr const char* kPlacementAnnotation = "trellis.scheduler/placement";

struct GangPodCounts {
  int64_t pending = 0;
  int64_t running = 0;
  int64_t succeeded = 0;
  int64_t failed = 0;
  bool operator==(const GangPodCounts&) const = default;
};

class GangStatuses {
 public:
  // Appends the PodGroups that may have to be written. REQUIRES: `reasons` has looked.
  void look(const StatusView& view, const GangReasons& reasons, std::vector<WriteKey>& wishes);
  const GangPodCounts& counts(GangId gang) const { return counts_[gang]; }

 private:
  struct Said {
    size_t gang = 0;  // its uid, hashed: another gang may take the slot
    uint64_t reason = 0;
    GangPodCounts counts;
    GangStatus status = GangStatus::Pending;
    TimeUs started = kNoTime;
    TimeUs stale_since = kNoTime;
    std::optional<GangPlacement> placement;
    std::vector<std::optional<GangPlacement>> subgroups;
  };
  void count_pods(const StatusView& view);

  IndexedVector<GangId, Said> said_;
  IndexedVector<GangId, GangPodCounts> counts_;
};

// As the annotation says it; empty: nothing of it stands in a domain that it asked for.
std::string placement_json(const Cluster& cluster, const CycleRecord& record, GangId gang);

// nullopt: it says so already.
std::optional<ApiRequest> gang_status_request(const StatusView& view, const GangReasons& reasons,
                                              const GangStatuses& statuses, const WriteKey& key);

}  // namespace trellis
