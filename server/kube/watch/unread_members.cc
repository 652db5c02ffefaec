#include "server/kube/watch/unread_members.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "server/objects/decode_meta.h"
#include "server/objects/private_members.h"
#include "server/objects/workload_keys.h"

namespace trellis {
namespace {

// Kinds that create pods and never have a workload, so that no template of theirs is repeated.
constexpr std::array<std::string_view, 4> kNeverQueued = {"CronJob", "DaemonSet", "Deployment",
                                                          "ReplicaSet"};

constexpr std::array<std::string_view, 5> kOfPodStatus = {"ephemeralContainerStatuses", "hostIP",
                                                          "hostIPs", "podIP", "podIPs"};

constexpr std::array<std::string_view, 11> kOfContainerStatus = {"allocatedResourcesStatus",
                                                                 "containerID",
                                                                 "image",
                                                                 "imageID",
                                                                 "lastState",
                                                                 "ready",
                                                                 "restartCount",
                                                                 "started",
                                                                 "stopSignal",
                                                                 "user",
                                                                 "volumeMounts"};

constexpr std::string_view kResizePending = "PodResizePending";

bool is_read(Value condition, Value pod) {
  std::string_view type = condition["type"].text();
  return type == "Ready" || type == kResizePending ||
         (type == "PodScheduled" && pod["spec"]["nodeName"].text().empty());
}

bool waits_for_resize(Value status) {
  for (Value condition : status["conditions"].items()) {
    if (condition["type"].text() == kResizePending) return true;
  }
  return false;
}

// Whether containers were given, and have, what their spec requests. They do unless they are
// resized.
bool are_as_specified(Value statuses, Value containers) {
  absl::flat_hash_map<std::string_view, uint64_t> wanted;
  for (Value container : containers.items()) {
    wanted.emplace(container["name"].text(), content_hash(container["resources"]["requests"]));
  }
  for (Value status : statuses.items()) {
    auto known = wanted.find(status["name"].text());
    for (Value amounts : {status["allocatedResources"], status["resources"]["requests"]}) {
      if (!amounts.exists()) continue;
      if (known == wanted.end() || content_hash(amounts) != known->second) return false;
    }
  }
  return true;
}

class Unread {
 public:
  template <size_t N>
  void leave_out(Value of, const std::array<std::string_view, N>& keys) {
    for (Value::Member member : of.members()) {
      if (std::find(keys.begin(), keys.end(), member.key) != keys.end()) leave_out(member.value);
    }
  }
  void leave_out(Value part) {
    if (part.exists()) found.push_back(part);
  }
  void leave_out_of_pod(Value pod) {
    Value spec = pod["spec"];
    Value status = pod["status"];
    leave_out(pod["metadata"]["generation"]);
    add_unread_of_pod_spec(spec, found);
    leave_out(status, kOfPodStatus);
    for (Value condition : status["conditions"].items()) {
      if (!is_read(condition, pod)) leave_out(condition);
    }
    leave_out_of_statuses(status["containerStatuses"], spec["containers"], status);
    leave_out_of_statuses(status["initContainerStatuses"], spec["initContainers"], status);
  }
  // Of a failed pod, keeps when its containers ended; of others, the resources they were given.
  void leave_out_of_statuses(Value statuses, Value containers, Value of_pod) {
    bool failed = of_pod["phase"].text() == "Failed";
    if (!failed && !waits_for_resize(of_pod) && are_as_specified(statuses, containers)) {
      return leave_out(statuses);
    }
    for (Value status : statuses.items()) {
      leave_out(status, kOfContainerStatus);
      if (!failed) leave_out(status["state"]);
      if (failed) leave_out(status["resources"]);
      if (failed) leave_out(status["allocatedResources"]);
    }
  }
  // Of a ResourceClaim only the status is read, without the configuration and data of its drivers.
  void leave_out_of_claim(Value claim) {
    leave_out(claim["spec"]);
    leave_out(claim["status"]["allocation"]["devices"]["config"]);
    for (Value device : claim["status"]["devices"].items()) {
      leave_out(device["data"]);
      leave_out(device["networkData"]);
    }
  }

  std::vector<Value> found;
};

}  // namespace

std::vector<Value> unread_members(Value object, std::string_view api_version,
                                  std::string_view kind) {
  Unread unread;
  Value metadata = object["metadata"];
  unread.leave_out(metadata["annotations"]["kubectl.kubernetes.io/last-applied-configuration"]);
  bool is_claim = kind == "ResourceClaim" && api_group(api_version) == "resource.k8s.io";
  if (is_claim) unread.leave_out_of_claim(object);
  bool is_repeated = annotation_or_label(metadata, kQueueNameKey).exists();
  bool never_queued =
      std::find(kNeverQueued.begin(), kNeverQueued.end(), kind) != kNeverQueued.end();
  if (never_queued && !is_repeated) return private_members(object);
  if (api_version != "v1") return unread.found;
  if (kind == "Node") unread.leave_out(object["status"]["images"]);
  if (kind == "Pod" && !is_repeated) unread.leave_out_of_pod(object);
  return unread.found;
}

}  // namespace trellis
