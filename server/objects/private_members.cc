#include "server/objects/private_members.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace trellis {
namespace {

constexpr std::array<std::string_view, 17> kOfPodSpec = {"automountServiceAccountToken",
                                                         "dnsConfig",
                                                         "dnsPolicy",
                                                         "enableServiceLinks",
                                                         "ephemeralContainers",
                                                         "hostAliases",
                                                         "hostname",
                                                         "hostnameOverride",
                                                         "imagePullSecrets",
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

// Sources of volumes that do not restrict the nodes of a pod.
constexpr std::array<std::string_view, 6> kOfVolume = {"configMap", "downwardAPI", "emptyDir",
                                                       "hostPath",  "projected",   "secret"};

// Names of lists that are inputs of containers, as in a TrainJob's trainer. A label may have the
// same name, but is no list.
constexpr std::array<std::string_view, 5> kLists = {"args", "command", "env", "envFrom",
                                                    "imagePullSecrets"};

// Members of a RayJob's spec that describe what the job starts.
constexpr std::array<std::string_view, 3> kOfRay = {"entrypoint", "rayStartParams",
                                                    "runtimeEnvYAML"};

constexpr std::array<std::string_view, 3> kOfConfiguration = {"binaryData", "data", "stringData"};

constexpr std::array<std::string_view, 3> kCopies = {
    "kapp.k14s.io/original", "kubectl.kubernetes.io/last-applied-configuration",
    "objectset.rio.cattle.io/applied"};

template <size_t N>
bool is_one_of(const std::array<std::string_view, N>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

template <size_t N>
void add(Value of, const std::array<std::string_view, N>& keys, std::vector<Value>& found) {
  for (Value::Member member : of.members()) {
    if (is_one_of(keys, member.key)) found.push_back(member.value);
  }
}

bool is_container(Value value) { return value.is(ValueKind::Object) || value.is(ValueKind::Array); }

// Adds the private members of one object or list at any depth, without those of its children.
void add_of_part(Value part, std::vector<Value>& found) {
  if (part["containers"].is(ValueKind::Array)) add_unread_of_pod_spec(part, found);
  for (Value::Member member : part.members()) {
    if (member.value.is(ValueKind::Array) && is_one_of(kLists, member.key)) {
      found.push_back(member.value);
    }
    if (member.key == "annotations") add(member.value, kCopies, found);
    if (member.key == "rayStartParams") found.push_back(member.value);
  }
}

}  // namespace

void add_unread_of_pod_spec(Value spec, std::vector<Value>& unread) {
  add(spec, kOfPodSpec, unread);
  for (Value container : spec["containers"].items()) add(container, kOfContainer, unread);
  for (Value container : spec["initContainers"].items()) add(container, kOfContainer, unread);
  for (Value volume : spec["volumes"].items()) add(volume, kOfVolume, unread);
}

std::vector<Value> private_members(Value object) {
  std::vector<Value> found;
  std::string_view kind = object["kind"].text();
  if (kind == "Secret" || kind == "ConfigMap") add(object, kOfConfiguration, found);
  if (kind == "RayJob") add(object["spec"], kOfRay, found);
  std::vector<Value> parts = {object};
  while (!parts.empty()) {
    Value part = parts.back();
    parts.pop_back();
    add_of_part(part, found);
    for (Value::Member member : part.members()) {
      if (is_container(member.value)) parts.push_back(member.value);
    }
    for (Value item : part.items()) {
      if (is_container(item)) parts.push_back(item);
    }
  }
  return found;
}

}  // namespace trellis
