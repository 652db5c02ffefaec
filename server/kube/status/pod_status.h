// The part of a pod's status that is about its placement: that the pod waits and why (condition
// PodScheduled), and the node that it was promised (nominatedNodeName).
//
// The condition's reason is Unschedulable, which cluster autoscalers look for, only where more
// nodes could end the wait; else it is the reason's code. Pods of other schedulers, pods with
// gates, and pods that have a node are not written. Cost of a look: O(`pods`) comparisons of
// numbers. Memory: O(waiting pods).
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "framework/ids.h"
#include "server/kube/client/api_request.h"
#include "server/kube/status/status_view.h"
#include "server/kube/status/waiting_reasons.h"
#include "server/kube/status/write_queue.h"

namespace trellis {

class PodStatuses {
 public:
  // Appends the pods whose status may have to be written. `pods`: those that may have changed since
  // the last look. REQUIRES: `reasons` has looked.
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

// nullopt: the status is up to date, or another program writes it.
std::optional<ApiRequest> pod_status_request(const StatusView& view, const GangReasons& reasons,
                                             const WriteKey& key);

}  // namespace trellis
