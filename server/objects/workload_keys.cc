#include "server/objects/workload_keys.h"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "framework/shared_value.h"
#include "server/document/quantity.h"
#include "server/objects/decode_meta.h"
#include "server/objects/decode_topology_request.h"
#include "server/objects/dependency_recorder.h"
#include "server/objects/owner_kinds.h"

namespace trellis {
namespace {

constexpr std::string_view kGroupKey = "kueue.x-k8s.io/pod-group-name";
constexpr std::string_view kGroupSizeKey = "kueue.x-k8s.io/pod-group-total-count";
constexpr std::string_view kRoleKey = "kueue.x-k8s.io/role-hash";
constexpr std::string_view kIndexLabelKey = "kueue.x-k8s.io/pod-group-pod-index-label";
constexpr std::string_view kIndexKey = "kueue.x-k8s.io/pod-group-pod-index";

StrId word(Value metadata, std::string_view key, FieldReader& fields) {
  Value value = annotation_or_label(metadata, key);
  return value.is(ValueKind::String) ? fields.intern_if(value.text()) : StrId();
}

StrId word(Value metadata, std::string_view key, KeyKind kind, FieldReader& fields) {
  Value value = annotation_or_label(metadata, key);
  return value.is(ValueKind::String) ? reference(fields, kind, value.text()) : StrId();
}

// What pods of one PodSet have in common: everything that decides where they can be placed.
std::string role_of(Value object) {
  Value annotations = object["metadata"]["annotations"];
  if (std::string_view given = annotations[kRoleKey].text(); !given.empty()) {
    return std::string(given);
  }
  std::vector<uint64_t> parts;
  Value spec = object["spec"];
  for (std::string_view list : {"initContainers", "containers"}) {
    for (Value container : spec[list].items()) {
      parts.push_back(content_hash(container["resources"]));
      parts.push_back(content_hash(container["ports"]));
    }
    parts.push_back(spec[list].size());
  }
  for (std::string_view key : {"nodeSelector", "affinity", "tolerations", "priority",
                               "priorityClassName", "topologySpreadConstraints", "overhead",
                               "resourceClaims", "resources", "runtimeClassName"}) {
    parts.push_back(content_hash(spec[key]));
  }
  for (Value::Member member : annotations.members()) {
    if (!member.key.starts_with("kueue.x-k8s.io/podset-")) continue;
    parts.push_back(XXH3_64bits(member.key.data(), member.key.size()) ^ content_hash(member.value));
  }
  uint64_t hash = XXH3_64bits(parts.data(), parts.size() * sizeof(uint64_t));
  constexpr std::string_view kDigits = "0123456789abcdef";
  constexpr int kLength = 8;
  std::string role;
  for (int i = 0; i < kLength; ++i, hash >>= 4) role += kDigits[hash & 15];
  return role;
}

void take_group_size(Value metadata, WorkloadKeys& keys, FieldReader& fields) {
  Value value = metadata["annotations"][kGroupSizeKey];
  std::string_view text = value.text();
  int64_t size = to_integer(text).value_or(0);
  if (size >= 1 && size <= INT32_MAX) {
    keys.group_size = static_cast<int32_t>(size);
    return;
  }
  std::string expected = "a whole number from 1, as a string: the pods of group ";
  expected += in_quotes(fields.vocabulary().strings.view(keys.group));
  if (!value.absent()) return fields.error(value, describe(value), std::move(expected));
  fields.error(metadata, "no annotation " + std::string(kGroupSizeKey), std::move(expected));
}

std::optional<WorkloadKeys> read_keys(Value metadata, FieldReader& fields) {
  WorkloadKeys keys;
  keys.workload = word(metadata, "kueue.x-k8s.io/workload", KeyKind::Name, fields);
  keys.pod_set = word(metadata, "kueue.x-k8s.io/podset", fields);
  keys.queue = word(metadata, kQueueNameKey, KeyKind::LocalQueue, fields);
  if (!keys.workload.valid() && !keys.pod_set.valid() && !keys.queue.valid()) return std::nullopt;
  keys.priority_class = word(metadata, "kueue.x-k8s.io/priority-class", fields);
  keys.group = word(metadata, kGroupKey, KeyKind::Name, fields);
  return keys;
}

bool owner_makes_one(Value metadata) {
  for (Value owner : metadata["ownerReferences"].items()) {
    std::string_view group = api_group(owner["apiVersion"].text());
    if (makes_workloads(group, owner["kind"].text())) return true;
  }
  return false;
}

}  // namespace

SharedValue<WorkloadKeys> decode_workload_keys(Value metadata, FieldReader& fields) {
  std::optional<WorkloadKeys> keys = read_keys(metadata, fields);
  return keys ? SharedValue<WorkloadKeys>(std::move(*keys)) : nullptr;
}

SharedValue<WorkloadKeys> decode_pod_workload_keys(Value object, FieldReader& fields) {
  Value metadata = object["metadata"];
  std::optional<WorkloadKeys> keys = read_keys(metadata, fields);
  if (!keys) return nullptr;
  bool alone = keys->queue.valid() && !owner_makes_one(metadata);
  if (alone) {
    if (keys->group.valid()) {
      take_group_size(metadata, *keys, fields);
      keys->role = role_of(object);
    }
    RequestBounds bounds{.pods = std::max(1, keys->group_size)};
    keys->request =
        decode_topology_annotations({metadata["annotations"], {}}, bounds, fields).request;
    if (keys->group.valid()) {
      StrId label = word(metadata, kIndexLabelKey, fields);
      keys->request.index_label = label.valid() ? label : fields.intern(kIndexKey);
    }
  }
  return SharedValue<WorkloadKeys>(std::move(*keys));
}

std::optional<bool> read_movable(Value metadata) {
  std::string_view word = metadata["annotations"][kMovableKey].text();
  if (word == "true") return true;
  if (word == "false") return false;
  return std::nullopt;
}

std::optional<bool> decode_movable(Value metadata, FieldReader& fields) {
  std::optional<bool> movable = read_movable(metadata);
  Value value = metadata["annotations"][kMovableKey];
  if (!movable && !value.absent()) {
    fields.error(value, describe(value), "\"true\" or \"false\"");
  }
  return movable;
}

bool makes_workloads(std::string_view group, std::string_view kind) {
  const OwnerKind* known = find_owner_kind(group, kind);
  return known != nullptr && known->queued;
}

}  // namespace trellis
