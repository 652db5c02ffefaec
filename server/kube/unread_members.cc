#include "server/kube/unread_members.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "server/manifest/decode_meta.h"
#include "server/manifest/workload_keys.h"

namespace trellis {
namespace {

constexpr std::array<std::string_view, 18> kOfPodSpec = {"automountServiceAccountToken",
                                                         "dnsConfig",
                                                         "dnsPolicy",
                                                         "enableServiceLinks",
                                                         "ephemeralContainers",
                                                         "hostAliases",
                                                         "hostname",
                                                         "hostnameOverride",
                                                         "imagePullSecrets",
                                                         "preemptionPolicy",
                                                         "readinessGates",
                                                         "securityContext",
                                                         "serviceAccount",
                                                         "serviceAccountName",
                                                         "setHostnameAsFQDN",
                                                         "shareProcessNamespace",
                                                         "subdomain",
                                                         "terminationGracePeriodSeconds"};

constexpr std::array<std::string_view, 20> kOfContainer = {"args",
                                                           "command",
                                                           "env",
                                                           "envFrom",
                                                           "image",
                                                           "imagePullPolicy",
                                                           "lifecycle",
                                                           "livenessProbe",
                                                           "readinessProbe",
                                                           "resizePolicy",
                                                           "securityContext",
                                                           "startupProbe",
                                                           "stdin",
                                                           "stdinOnce",
                                                           "terminationMessagePath",
                                                           "terminationMessagePolicy",
                                                           "tty",
                                                           "volumeDevices",
                                                           "volumeMounts",
                                                           "workingDir"};

// Sources of volumes that keep a pod from no node.
constexpr std::array<std::string_view, 6> kOfVolume = {"configMap", "downwardAPI", "emptyDir",
                                                       "hostPath",  "projected",   "secret"};

constexpr std::array<std::string_view, 6> kOfPodStatus = {
    "ephemeralContainerStatuses", "hostIP", "hostIPs", "initContainerStatuses", "podIP", "podIPs"};

constexpr std::array<std::string_view, 9> kOfContainerStatus = {
    "allocatedResources", "containerID", "image",       "imageID", "lastState", "ready",
    "restartCount",       "started",     "volumeMounts"};

bool is_read(Value condition, Value pod) {
  std::string_view type = condition["type"].text();
  return type == "Ready" || (type == "PodScheduled" && pod["spec"]["nodeName"].text().empty());
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
    leave_out(spec, kOfPodSpec);
    leave_out(status, kOfPodStatus);
    for (Value container : spec["containers"].items()) leave_out(container, kOfContainer);
    for (Value container : spec["initContainers"].items()) leave_out(container, kOfContainer);
    for (Value volume : spec["volumes"].items()) leave_out(volume, kOfVolume);
    for (Value condition : status["conditions"].items()) {
      if (!is_read(condition, pod)) leave_out(condition);
    }
    leave_out_of_ends(status);
  }
  // When its containers ended is asked of a pod that failed.
  void leave_out_of_ends(Value status) {
    Value containers = status["containerStatuses"];
    if (status["phase"].text() != "Failed") return leave_out(containers);
    for (Value container : containers.items()) leave_out(container, kOfContainerStatus);
  }

  std::vector<Value> found;
};

}  // namespace

std::vector<Value> unread_members(Value object, std::string_view api_version,
                                  std::string_view kind) {
  Unread unread;
  Value metadata = object["metadata"];
  unread.leave_out(metadata["annotations"]["kubectl.kubernetes.io/last-applied-configuration"]);
  if (api_version != "v1") return unread.found;
  if (kind == "Node") unread.leave_out(object["status"]["images"]);
  bool is_repeated = annotation_or_label(metadata, kQueueNameKey).exists();
  if (kind == "Pod" && !is_repeated) unread.leave_out_of_pod(object);
  return unread.found;
}

}  // namespace trellis
