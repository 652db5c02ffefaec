// The writes about workloads: the Workload object itself where it is made for its owner, its
// status, the start or suspension of its owner, and the ungating of its pods.
//
// Words: to *ungate* a pod is to remove the gates that its workload holds, and to restrict the pod
// to the domain where the cycle placed it. Guarantees: nothing starts before the Workload object
// shows that it is admitted; pods that were ungated, and that the watch does not show as ungated
// yet, hold their domains: no other pod of their workload is ungated while the cycle places one of
// them elsewhere. Cost of a look: O(workloads + `pods`) comparisons, and the size of the
// admissions.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "framework/indexed_vector.h"
#include "server/kube/client/api_request.h"
#include "server/kube/status/status_view.h"
#include "server/kube/status/workload_owners.h"
#include "server/kube/status/write_queue.h"

namespace trellis {

class WorkloadWrites {
 public:
  // The least time between writes that differ in the figures of a reason alone, as in GangReasons.
  static constexpr TimeUs kStandsUs = 10 * kSecondUs;

  // `pods`: those that may have changed since the last look.
  void look(const StatusView& view, std::span<const PodId> pods, std::vector<WriteKey>& due_writes);
  TimeUs next_look() const { return next_look_; }

  struct Made {
    std::optional<ApiRequest> request;  // none: there is nothing to write
    bool not_yet = false;               // the watch must show something else first
    bool more = false;                  // another write of this object follows
  };
  Made request(const StatusView& view, const WriteKey& key);
  // Takes the server's answer; status 0: there was none.
  void done(const WriteKey& key, const ApiAnswer& answer);

 private:
  struct Written {
    StrId name_space;  // another workload may take the slot
    std::string name;
    uint64_t standing = 0;  // hash of all that its status contains, except why it waits
    SharedReasons waits;
    TimeUs since = kNoTime;
    std::vector<WriteKey> owners;
  };
  struct Ungated {
    size_t pod = 0;  // its uid, hashed
    NodeId node;
    bool operator==(const Ungated&) const = default;
  };
  // An ungated pod, and where the cycle placed it. SentPods: those of one workload, by
  // "NAMESPACE/NAME".
  struct Sent {
    std::string uid;
    std::string node;
    bool taken = false;  // accepted by the server: it will be seen, and is not sent again
  };
  using SentPods = std::map<std::string, Sent>;

  void look_at_workloads(const StatusView& view, std::vector<WriteKey>& due_writes);
  void look_at_pods(const StatusView& view, std::span<const PodId> pods,
                    std::vector<WriteKey>& due_writes);
  void add_writes(const StatusView& view, WorkloadId id, std::vector<WriteKey>& due_writes);
  void forget(const StatusView& view, Written& written);
  Made of_workload(const StatusView& view, const WriteKey& key);
  Made of_owner(const StatusView& view, const WriteKey& key);
  Made of_pod(const StatusView& view, const WriteKey& key);
  Made ungate(const StatusView& view, const WriteKey& key, PodId id);
  bool may_ungate(const StatusView& view, const std::string& pod,
                  const TopologyAssignment& assignment, SentPods& sent);

  IndexedVector<WorkloadId, Written> written_;
  absl::flat_hash_map<uint32_t, Ungated> ungated_;  // never iterated
  WorkloadOwners owners_;
  std::map<WriteKey, std::string> starts_;  // by owner: the key of the workload
  std::map<std::string, SentPods> sent_;    // by the key of the workload
  TimeUs next_look_ = kNoTime;
};

}  // namespace trellis
