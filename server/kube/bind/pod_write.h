// One write about a pod of a live cluster (bind, evict, patch), and its API request.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "framework/result.h"
#include "framework/time.h"
#include "server/kube/client/api_request.h"

namespace trellis {

// The user's options about how decisions are carried out.

// What happens to a gang that is below its minimum because a bind of it failed for good. Refill:
// the next cycles place the missing pods. Evict: its bound pods are evicted, so that the gang can
// start again as a whole.
enum class OnFailedBind : uint8_t { Refill, Evict };

// How pods are evicted. Evict respects their PodDisruptionBudgets, Delete does not.
enum class Removal : uint8_t { Evict, Delete };

struct BindPolicy {
  OnFailedBind on_failed = OnFailedBind::Refill;
  Removal removal = Removal::Evict;
};

// The cause of an eviction: the pod's gang stayed below its minimum.
inline constexpr const char* kNotEnoughBound =
    "Evicted, as not enough pods of its gang could be bound";

// What is written to a ResourceClaim of the pod's namespace before the pod is bound.
struct ClaimGrant {
  std::string name;
  std::string allocation;  // JSON of `status.allocation`; empty: the claim is allocated already
  // Of a claim for extended resources, which is made for the pod: JSON of the claim's `spec`, and
  // of the pod's `requestMappings`.
  std::string spec;
  std::string mappings;
  // The PodGroup that it is reserved for instead of the pod; "": none.
  std::string group;
  std::string group_uid;
};

struct PodWrite {
  enum class Kind : uint8_t { Bind, Evict } kind = Kind::Bind;
  std::string name_space;
  std::string name;
  std::string uid;
  std::string node;  // of Bind
  std::string gang;  // "NAMESPACE/NAME"
  // Written to the pod together with the bind.
  std::vector<std::pair<std::string, std::string>> labels;
  std::vector<std::pair<std::string, std::string>> annotations;
  std::vector<ClaimGrant> grants;  // of Bind
  TimeUs decided = 0;
  std::string cause;     // of Evict: a sentence for the pod's users
  int64_t grace_ms = 0;  // of Evict: the time that the pod has to leave by itself
};

// The outcome of a PodWrite, for the log.
struct PodEvent {
  enum class What : uint8_t { Bound, BindFailed, Evicted, EvictionFailed } what = What::Bound;
  PodWrite write;
  std::string why;  // of failures
};

// The settings that determine the requests of a PodWrite.
struct WriteHabits {
  Removal removal = Removal::Evict;
  bool copies_labels = true;  // the API server copies a Binding's labels to its pod
};

// The request that is sent before the write itself. Of a bind: the labels that the server would not
// copy. Of a pod that is deleted: the condition DisruptionTarget, which the Eviction API writes by
// itself. nullopt: no such request is needed.
std::optional<ApiRequest> first_request(const PodWrite& order, const WriteHabits& habits);

ApiRequest write_request(const PodWrite& order, Removal removal);
ApiRequest read_request(const PodWrite& order);

// The state of a pod, as the API server returned it.
struct PodReply {
  std::string uid;
  std::string node;
  bool leaving = false;
};
Result<PodReply> read_pod_reply(const std::string& body);

}  // namespace trellis
