#include "server/objects/decode_meta.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <span>
#include <string>
#include <utility>

#include "framework/shared_value.h"
#include "server/document/timestamp.h"
#include "server/objects/dependency_recorder.h"
#include "server/objects/run_time.h"
#include "server/objects/workload_keys.h"
#include "server/text/nearest_word.h"

namespace trellis {
namespace {

constexpr std::string_view kGroupKey = "pod-group-name";

constexpr std::array<std::string_view, 1> kTopologyKeys = {"kai.scheduler/topology"};

// Keys of one meaning: ours and KAI's take precedence.
constexpr std::array<std::string_view, 2> kRequiredKeys = {
    "kai.scheduler/topology-required-placement", "kueue.x-k8s.io/podset-required-topology"};
constexpr std::array<std::string_view, 2> kPreferredKeys = {
    "kai.scheduler/topology-preferred-placement", "kueue.x-k8s.io/podset-preferred-topology"};
constexpr std::array<std::string_view, 2> kSegmentSizeKeys = {"kai.scheduler/segment-size",
                                                              "kueue.x-k8s.io/podset-slice-size"};
constexpr std::array<std::string_view, 2> kSegmentRequiredKeys = {
    "kai.scheduler/segment-topology-required-placement",
    "kueue.x-k8s.io/podset-slice-required-topology"};
constexpr std::array<std::string_view, 1> kSegmentPreferredKeys = {
    "kai.scheduler/segment-topology-preferred-placement"};
constexpr std::array<std::string_view, 1> kSegmentLayersKeys = {
    "kueue.x-k8s.io/podset-slice-required-topology-constraints"};
constexpr std::array<std::string_view, 1> kBalanceKeys = {"trellis.scheduler/topology-balance"};

constexpr std::array<std::string_view, 1> kPreferencesKeys = {
    "trellis.scheduler/placement-preferences"};
constexpr std::array<std::string_view, 1> kMaxPerNodeKeys = {"trellis.scheduler/max-pods-per-node"};

// Keys that have a meaning in this program, in KAI or in Kueue.
constexpr std::array<std::string_view, 42> kKnownKeys = {
    "pod-group-name",
    "gpu-fraction",
    "gpu-memory",
    "gpu-fraction-num-devices",
    "gpu-fraction-container-name",
    "kai.scheduler/queue",
    "kai.scheduler/subgroup-name",
    "kai.scheduler/node-pool",
    "kai.scheduler/task-priority",
    "kai.scheduler/preemptibility",
    "kai.scheduler/topology",
    "kai.scheduler/topology-required-placement",
    "kai.scheduler/topology-preferred-placement",
    "kai.scheduler/segment-size",
    "kai.scheduler/segment-topology-required-placement",
    "kai.scheduler/segment-topology-preferred-placement",
    "kai.scheduler/stale-podgroup-timestamp",
    "kai.scheduler/last-start-timestamp",
    "kai.scheduler/top-owner-metadata",
    "kai.scheduler/preemption-delay",
    "kueue.x-k8s.io/podset-required-topology",
    "kueue.x-k8s.io/podset-preferred-topology",
    "kueue.x-k8s.io/podset-unconstrained-topology",
    "kueue.x-k8s.io/podset-slice-required-topology",
    "kueue.x-k8s.io/podset-slice-size",
    "kueue.x-k8s.io/podset-slice-required-topology-constraints",
    "kueue.x-k8s.io/podset-group-name",
    "trellis.scheduler/placement-preferences",
    "trellis.scheduler/max-pods-per-node",
    "trellis.scheduler/topology-balance",
    "trellis.scheduler/made-for",
    "trellis.scheduler/arrival",
    "trellis.scheduler/duration",
    "trellis.scheduler/price",
    kExpectedDurationKey,
    kBackfillKey,
    kMovableKey,
    kBackgroundKey,
    kNearKey,
    kSparesKey,
    kJointGangKey,
    kPromiseKey,
};

bool owns_key(std::string_view key) {
  return key.starts_with("kai.scheduler/") || key.starts_with("trellis.scheduler/") ||
         key.starts_with("kueue.x-k8s.io/podset-") || key.starts_with("gpu-") ||
         key.starts_with("pod-group");
}

ObjectKey owner_key(Value reference, StrId name_space, FieldReader& fields) {
  ObjectKey key;
  std::string_view name = reference["name"].text();
  std::string_view kind = reference["kind"].text();
  if (name.empty() || kind.empty()) return key;
  key.group = fields.intern(api_group(reference["apiVersion"].text()));
  key.kind = fields.intern(kind);
  key.name_space = name_space;
  key.name = fields.intern(name);
  return key;
}

void refer_to_owner(const ObjectKey& owner, Value metadata, FieldReader& fields) {
  if (fields.dependencies() == nullptr || !owner.valid()) return;
  const StringTable& strings = fields.vocabulary().strings;
  fields.dependencies()->refer_to_owner(
      {strings.view(owner.group), strings.view(owner.kind), strings.view(owner.name)},
      metadata["labels"]);
}

StrId key_word(Value metadata, std::string_view key, FieldReader& fields) {
  Value value = annotation_or_label(metadata, key);
  return value.is(ValueKind::String) ? fields.intern_if(value.text()) : StrId();
}

PlacedWord key_word(Value metadata, std::span<const std::string_view> keys, FieldReader& fields) {
  PlacedWord word;
  for (std::string_view key : keys) {
    Value value = annotation_or_label(metadata, key);
    if (value.is(ValueKind::String)) word.text = fields.intern_if(value.text());
    if (!word.valid()) continue;
    word.at = fields.report().place(value);
    break;
  }
  return word;
}

SharedValue<PlacedConstraint> read_constraint(Value metadata, FieldReader& fields) {
  PlacedConstraint placed{.implied = ImpliedTopology::Only};
  auto read = [&](std::span<const std::string_view> keys, StrId& word, Place& place) {
    PlacedWord found = key_word(metadata, keys, fields);
    word = found.text;
    place = std::move(found.at);
  };
  read(kTopologyKeys, placed.constraint.topology, placed.topology);
  read(kRequiredKeys, placed.constraint.required, placed.required);
  read(kPreferredKeys, placed.constraint.preferred, placed.preferred);
  if (placed.constraint.empty()) return nullptr;
  return SharedValue<PlacedConstraint>(std::move(placed));
}

SharedValue<StructureKeys> read_structure(Value metadata, FieldReader& fields) {
  StructureKeys keys;
  keys.segment_size = key_word(metadata, kSegmentSizeKeys, fields);
  keys.segment_required = key_word(metadata, kSegmentRequiredKeys, fields);
  keys.segment_preferred = key_word(metadata, kSegmentPreferredKeys, fields);
  keys.segment_layers = key_word(metadata, kSegmentLayersKeys, fields);
  keys.balance = key_word(metadata, kBalanceKeys, fields);
  if (!keys.has_segment() && !keys.segment_layers.valid() && !keys.balance.valid()) return nullptr;
  return SharedValue<StructureKeys>(std::move(keys));
}

SharedValue<PreferenceKeys> read_preferences(Value metadata, FieldReader& fields) {
  PreferenceKeys keys;
  keys.list = key_word(metadata, kPreferencesKeys, fields);
  keys.max_per_node = key_word(metadata, kMaxPerNodeKeys, fields);
  if (!keys.list.valid() && !keys.max_per_node.valid()) return nullptr;
  return SharedValue<PreferenceKeys>(std::move(keys));
}

// `true` or `false`; unset: absent, or neither of them, which is reported if `strict`.
std::optional<bool> read_background(Value metadata, FieldReader& fields, bool strict) {
  Value value = annotation_or_label(metadata, kBackgroundKey);
  if (value.absent()) return std::nullopt;
  if (value.text() == "true") return true;
  if (value.text() == "false") return false;
  if (strict) fields.error(value, describe(value), "\"true\" or \"false\"");
  return std::nullopt;
}

// A whole number from 0 to kMostSpares; unset: absent, or no such number, which is reported if
// `strict`.
std::optional<int32_t> read_spares(Value metadata, FieldReader& fields, bool strict) {
  Value value = annotation_or_label(metadata, kSparesKey);
  if (value.absent()) return std::nullopt;
  std::string_view text = value.text();
  int32_t spares = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), spares);
  bool whole = error == std::errc() && end == text.data() + text.size() && !text.empty();
  if (whole && spares >= 0 && spares <= kMostSpares) return spares;
  if (strict) fields.error(value, describe(value), "a whole number from \"0\" to \"1024\"");
  return std::nullopt;
}

Preemptibility read_preemptibility(Value metadata, FieldReader& fields, bool strict) {
  Value value = annotation_or_label(metadata, "kai.scheduler/preemptibility");
  if (!value.is(ValueKind::String)) return Preemptibility::Unset;
  Preemptibility read = preemptibility_of(value.text());
  if (read == Preemptibility::Unset && strict) {
    fields.error(value, describe(value),
                 "\"preemptible\", \"non-preemptible\" or \"semi-preemptible\"",
                 nearest_word(value.text(), kPreemptibilityWords));
  }
  return read;
}

// Whether the key may be one of those that decode_gang_keys() looks up.
constexpr bool may_be_gang_key(std::string_view key) {
  return key.starts_with("kai.scheduler/") || key.starts_with("kueue.x-k8s.io/") ||
         key.starts_with("trellis.scheduler/") || key == kGroupKey || key == "priorityClassName";
}
static_assert(std::ranges::all_of(kRequiredKeys, may_be_gang_key));
static_assert(std::ranges::all_of(kPreferredKeys, may_be_gang_key));
static_assert(std::ranges::all_of(kSegmentSizeKeys, may_be_gang_key));
static_assert(std::ranges::all_of(kSegmentRequiredKeys, may_be_gang_key));
static_assert(std::ranges::all_of(kSegmentPreferredKeys, may_be_gang_key));
static_assert(std::ranges::all_of(kSegmentLayersKeys, may_be_gang_key));
static_assert(std::ranges::all_of(kBalanceKeys, may_be_gang_key));
static_assert(std::ranges::all_of(kPreferencesKeys, may_be_gang_key));
static_assert(std::ranges::all_of(kMaxPerNodeKeys, may_be_gang_key));

// Most pods have at most the name of their group, and each look-up searches all keys of the pod.
enum class FoundKeys : uint8_t { None, GroupAlone, Others };

FoundKeys find_gang_keys(Value metadata) {
  FoundKeys found = FoundKeys::None;
  for (Value map : {metadata["annotations"], metadata["labels"]}) {
    for (Value::Member member : map.members()) {
      if (!may_be_gang_key(member.key)) continue;
      if (member.key != kGroupKey) return FoundKeys::Others;
      found = FoundKeys::GroupAlone;
    }
  }
  return found;
}

}  // namespace

std::string_view api_group(std::string_view api_version) {
  size_t slash = api_version.find('/');
  return slash == std::string_view::npos ? "" : api_version.substr(0, slash);
}

std::string_view api_version_part(std::string_view api_version) {
  size_t slash = api_version.find('/');
  return slash == std::string_view::npos ? api_version : api_version.substr(slash + 1);
}

Meta decode_meta(Value object, std::string_view group, std::string_view kind, bool namespaced,
                 bool strict, FieldReader& fields) {
  Meta meta;
  meta.pos = fields.report().pos(object);
  meta.key.group = fields.intern(group);
  meta.key.kind = fields.intern(kind);
  meta.key.name_space = StringTable::kEmpty;
  Value metadata = strict ? fields.object(object, "metadata") : object["metadata"];
  if (namespaced) {
    std::string_view name_space =
        strict ? fields.string(metadata, "namespace") : metadata["namespace"].text();
    meta.key.name_space = fields.intern(name_space.empty() ? kDefaultNamespace : name_space);
  }
  if (strict) {
    meta.uid = fields.string(metadata, "uid");
    meta.created = fields.time(metadata, "creationTimestamp");
  } else {
    meta.uid = metadata["uid"].text();
    Value created = metadata["creationTimestamp"];
    meta.created = parse_timestamp(created.text()).value_or(kNoTime);
    fields.see_time(meta.created);
  }
  if (strict) fields.list(metadata, "ownerReferences");
  return meta;
}

ObjectKey decode_owner(Value metadata, StrId name_space, FieldReader& fields) {
  ObjectKey owner;
  for (Value reference : metadata["ownerReferences"].items()) {
    if (owner.valid() && !reference["controller"].boolean()) continue;
    owner = owner_key(reference, name_space, fields);
    if (reference["controller"].boolean()) break;
  }
  refer_to_owner(owner, metadata, fields);
  return owner;
}

std::vector<ObjectKey> decode_owners(Value metadata, StrId name_space, FieldReader& fields) {
  std::vector<ObjectKey> owners;
  for (Value reference : metadata["ownerReferences"].items()) {
    ObjectKey key = owner_key(reference, name_space, fields);
    refer_to_owner(key, metadata, fields);
    if (key.valid()) owners.push_back(key);
  }
  return owners;
}

bool check_name(Value object, std::string_view name, FieldReader& fields) {
  Value metadata = object["metadata"];
  Value at = metadata["name"];
  if (!metadata.is(ValueKind::Object)) return false;  // reported already
  if (!at.absent() && !at.is(ValueKind::String)) {
    fields.error(at, describe(at), expected_string(at));
    return false;
  }
  if (name.empty()) {
    if (at.absent()) {
      fields.missing(metadata, "name", "a name");
    } else {
      fields.error(at, describe(at), "a name");
    }
    return false;
  }
  constexpr size_t kLongest = 253;
  bool plain = std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_' || c == ':';
  });
  if (plain && name.size() <= kLongest) return true;
  fields.error(at.absent() ? metadata : at, in_quotes(name),
               "a name of at most 253 letters, digits, '-' and '.'");
  return false;
}

Preemptibility preemptibility_of(std::string_view word) {
  if (word == kPreemptibilityWords[0]) return Preemptibility::Preemptible;
  if (word == kPreemptibilityWords[1]) return Preemptibility::NonPreemptible;
  return word == kPreemptibilityWords[2] ? Preemptibility::SemiPreemptible : Preemptibility::Unset;
}

Value annotation_or_label(Value metadata, std::string_view key) {
  Value value = metadata["annotations"][key];
  return value.absent() ? metadata["labels"][key] : value;
}

GangKeys decode_gang_keys(Value metadata, FieldReader& fields, bool strict) {
  GangKeys keys;
  FoundKeys found = find_gang_keys(metadata);
  if (found == FoundKeys::None) return keys;
  Value group = annotation_or_label(metadata, kGroupKey);
  if (group.is(ValueKind::String)) {
    keys.pod_group = reference(fields, KeyKind::PodGroup, group.text());
  }
  if (found == FoundKeys::GroupAlone) return keys;
  keys.queue = key_word(metadata, "kai.scheduler/queue", fields);
  keys.priority_class = key_word(metadata, "priorityClassName", fields);
  keys.preemptibility = read_preemptibility(metadata, fields, strict);
  keys.background = read_background(metadata, fields, strict);
  Value joint = annotation_or_label(metadata, kJointGangKey);
  if (joint.is(ValueKind::String)) {
    keys.gang = reference(fields, KeyKind::PodGroup, joint.text());
  }
  keys.near = key_word(metadata, kNearKey, fields);
  keys.spares = read_spares(metadata, fields, strict);
  keys.run_time_us = read_run_time(metadata, fields, strict);
  keys.movable = strict ? decode_movable(metadata, fields) : read_movable(metadata);
  keys.topology = read_constraint(metadata, fields);
  keys.structure = read_structure(metadata, fields);
  keys.preferences = read_preferences(metadata, fields);
  if (keys.preferences && fields.dependencies() != nullptr) fields.dependencies()->prefer();
  return keys;
}

void check_annotations(Value metadata, FieldReader& fields) {
  for (Value::Member member : fields.object(metadata, "annotations").members()) {
    if (!member.value.absent() && !member.value.is(ValueKind::String)) {
      fields.error(member.value, describe(member.value), expected_string(member.value));
    }
    if (!owns_key(member.key)) continue;
    if (std::find(kKnownKeys.begin(), kKnownKeys.end(), member.key) != kKnownKeys.end()) continue;
    std::string near = nearest_word(member.key, kKnownKeys);
    if (near.empty()) continue;
    fields.report().warning(member.at_key, {"the annotation " + in_quotes(member.key),
                                            "one that means something", near});
  }
}

}  // namespace trellis
