// What a pod's status says of its place: that it waits and why (condition PodScheduled), and the
// node that it was promised (nominatedNodeName).
//
// The condition's reason is Unschedulable, which cluster autoscalers look for, only where more
// nodes could end the wait; else it is the reason's code. Pods of other schedulers, pods with
// gates, and pods that have a node are left alone. Cost of a look: O(`pods`) comparisons of
// numbers. Memory: that of those which wait.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "framework/ids.h"
#include "server/kube/client/api_request.h"
#include "server/kube/status/gang_reasons.h"
#include "server/kube/status/status_view.h"
#include "server/kube/status/write_key.h"

namespace trellis {

class PodStatuses {
 public:
  // Appends those whose status may have to be written. `pods`: of whom something may have changed
  // since the last look. REQUIRES: `reasons` has looked.
  void look(const StatusView& view, const GangReasons& reasons, std::span<const PodId> pods,
            std::vector<WriteKey>& due_writes);

 private:
  struct Written {
    size_t pod = 0;  // its uid, hashed: another pod may take the slot
    uint64_t reason = 0;
    NodeId promised;
    bool operator==(const Written&) const = default;
  };
  absl::flat_hash_map<uint32_t, Written> written_;  // by pod; never iterated
};

// nullopt: its status says so already, or it is not for us to say.
std::optional<ApiRequest> pod_status_request(const StatusView& view, const GangReasons& reasons,
                                             const WriteKey& key);

}  // namespace trellis
