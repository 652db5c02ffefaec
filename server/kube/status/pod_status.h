// What a pod's status says of its place: that it waits and why (condition PodScheduled), and the
// node that it was promised (nominatedNodeName).
//
// Pods of other schedulers, pods held by gates, and pods that have a node are left alone. Cost of a
// look: O(pods) comparisons of numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "framework/indexed_vector.h"
#include "server/kube/api_request.h"
#include "server/kube/status/gang_reasons.h"
#include "server/kube/status/status_view.h"
#include "server/kube/status/write_key.h"

namespace trellis {

class PodStatuses {
 public:
  // Appends those whose status may have to be written.
  void look(const StatusView& view, const GangReasons& reasons, std::vector<WriteKey>& wishes);

 private:
  struct Said {
    size_t pod = 0;  // its uid, hashed: another pod may take the slot
    uint64_t reason = 0;
    NodeId promised;
    bool operator==(const Said&) const = default;
  };
  IndexedVector<PodId, Said> said_;
};

// nullopt: its status says so already, or it is not for us to say.
std::optional<ApiRequest> pod_status_request(const StatusView& view, const GangReasons& reasons,
                                             const WriteKey& key);

}  // namespace trellis
