// The sentences that explain to users why a gang waits, which is kept for a while, and why a pod
// waits.
//
// A reason of another kind is reported at once; where only its figures changed (how many nodes lack
// what), not before kStandsUs have passed since its last report. Only the first of a gang's reasons
// is reported. Cost of a look: O(gangs that were touched, or held back until now), and a sentence
// for each that is reported again. Memory: O(gangs that wait).
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "framework/ids.h"
#include "framework/pod.h"
#include "framework/reason.h"
#include "framework/time.h"
#include "session/cluster/cluster.h"
#include "session/record/record.h"

namespace trellis {

// How gangs of several waiting pods ask an autoscaler for nodes: by the conditions of their pods,
// or together, by a ProvisioningRequest (node_requests.h). A single pod asks by its condition.
enum class CallForNodes : uint8_t { ByCondition, ByRequest };

class GangReasons {
 public:
  static constexpr TimeUs kStandsUs = 10 * kSecondUs;

  struct Explanation {
    uint64_t version = 0;  // different for each sentence; 0: the gang does not wait
    ReasonCode code = ReasonCode::None;
    bool calls_for_nodes = false;  // its pods ask for nodes that could end the wait
    std::string text;
    TimeUs since = kNoTime;  // when it began to wait for a reason of this kind
  };

  explicit GangReasons(CallForNodes by) : by_(by) {}

  // `touched`: gangs whose reasons may have changed since the last look; sorted.
  void look(const Cluster& cluster, const CycleRecord& record, std::span<const GangId> touched,
            TimeUs now);
  // Valid until the next look.
  const Explanation& of(GangId gang) const;
  bool knows(GangId gang) const { return gang.value < size_; }
  // The gangs whose explanation changed in the last look; sorted.
  std::span<const GangId> changed() const { return changed_; }
  // When the first sentence that was held back may be reported; kNoTime: none is held back.
  TimeUs next_look() const { return held_.empty() ? kNoTime : held_.begin()->first; }

 private:
  struct Known {
    uint64_t gang = 0;    // its name, hashed: another gang may take the slot
    uint64_t reason = 0;  // hashed
    TimeUs reported_at = kNoTime;
    Explanation explanation;
  };
  void look_at(const Cluster& cluster, const CycleRecord& record, GangId gang, TimeUs now);

  CallForNodes by_;
  size_t size_ = 0;                             // gangs of the record
  absl::flat_hash_map<uint32_t, Known> gangs_;  // waiting gangs; never iterated
  std::set<std::pair<TimeUs, GangId>> held_;    // held back, by the time of their next report
  std::vector<GangId> changed_;
  uint64_t versions_ = 0;
};

// Why one pod waits, as users read it: what holds the pod itself, else why its gang waits.

struct PodReason {
  uint64_t version = 0;  // different for each sentence; 0: there is no reason
  ReasonCode code = ReasonCode::None;
  bool calls_for_nodes = false;  // as of its gang
};

// REQUIRES: the pod has no node, and `reasons` has looked.
PodReason pod_reason(const GangReasons& reasons, const PodSlot& slot);

// REQUIRES: the version of pod_reason() is not 0.
std::string pod_reason_text(const Cluster& cluster, const GangReasons& reasons,
                            const PodSlot& slot);

}  // namespace trellis
