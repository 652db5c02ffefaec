// The condition of Kubernetes' own PodGroups: whether the group was placed once, and, until then,
// why it waits.
//
// Its type is PodGroupInitiallyScheduled, or PodGroupScheduled in v1alpha2. It never goes back from
// True. While it is False its reason is Unschedulable, which cluster autoscalers look for, only
// where more nodes could end the wait; else it is the reason's code. Other conditions are kept;
// CompositePodGroups have none. Cost of a look: O(`gangs` and their pods). Memory: 32 bytes a gang,
// and the names of the PodGroups.
#pragma once

#include <cstdint>
#include <map>
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

inline constexpr const char* kCoreGroups = "scheduling.k8s.io";

class CoreGroupStatuses {
 public:
  // Appends the PodGroups that may have to be written. `gangs`: those that may have changed since
  // the last look. REQUIRES: `reasons` has looked.
  void look(const StatusView& view, const GangReasons& reasons, std::span<const GangId> gangs,
            std::vector<WriteKey>& due_writes);

  // nullopt: there is nothing to write.
  std::optional<ApiRequest> request(const StatusView& view, const GangReasons& reasons,
                                    const WriteKey& key) const;

 private:
  struct Written {
    uint64_t hash = 0;
    std::vector<WriteKey> groups;
  };
  void forget(Written& written);

  IndexedVector<GangId, Written> written_;
  std::map<WriteKey, std::string> gang_of_;  // by PodGroup: the name of its gang
};

}  // namespace trellis
