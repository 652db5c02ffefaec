#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/shared_value.h"
#include "server/document/timestamp.h"
#include "server/objects/decode_meta.h"
#include "server/objects/decode_subgroups.h"
#include "server/objects/decoders.h"
#include "server/objects/dependency_recorder.h"

namespace trellis {
namespace {

constexpr std::array<std::string_view, 16> kPodGroupSpecKeys = {
    "minMember",         "minSubGroup",        "minSubGroups",        "queue",
    "priorityClassName", "preemptibility",     "preemptionDelay",     "stalenessGracePeriod",
    "parallelism",       "completions",        "backoffLimit",        "markUnschedulable",
    "schedulingBackoff", "topologyConstraint", "topologyConstraints", "subGroups"};

// `topologyConstraint` or `topologyConstraints`: the same object, alone or as the only item of a
// list.
Value find_constraint(Value spec, FieldReader& fields) {
  if (!spec["topologyConstraint"].absent()) return fields.object(spec, "topologyConstraint");
  Value plural = spec["topologyConstraints"];
  if (!plural.is(ValueKind::Array)) return fields.object(spec, "topologyConstraints");
  if (plural.size() > 1) {
    fields.error(plural, std::to_string(plural.size()) + " topology constraints", "one");
  }
  if (plural.size() != 1) return {};
  Value only = *plural.items().begin();
  if (only.is(ValueKind::Object)) return only;
  fields.error(only, describe(only), "an object");
  return {};
}

// An annotation that holds a time; an empty annotation counts as absent.
TimeUs read_time(Value metadata, std::string_view key, FieldReader& fields) {
  Value value = metadata["annotations"][key];
  if (std::optional<TimeUs> time = parse_timestamp(value.text())) {
    fields.see_time(*time);
    return *time;
  }
  if (!value.absent() && !value.text().empty()) {
    fields.error(value, describe(value), "a time such as \"2026-01-01T12:00:00Z\"");
  }
  return kNoTime;
}

constexpr std::string_view kParent = "parentCompositePodGroupName";
constexpr std::string_view kDisruptionMode = "disruptionMode";
constexpr std::string_view kCoreGroup = "scheduling.k8s.io";
constexpr int64_t kMostPriority = 1'000'000'000;
constexpr std::array<std::string_view, 10> kCoreSpecKeys = {"disruptionMode",
                                                            "parentCompositePodGroupName",
                                                            "podGroupTemplateRef",
                                                            "preemptionPolicy",
                                                            "priority",
                                                            "priorityClassName",
                                                            "resourceClaims",
                                                            "schedulingConstraints",
                                                            "schedulingPolicy",
                                                            "workloadRef"};
constexpr std::array<std::string_view, 4> kJobSchedulingKeys = {
    "schedulingPolicy", "schedulingConstraints", "disruptionMode", "resourceClaims"};
constexpr std::array<std::string_view, 2> kGroupPolicies = {"basic", "gang"};
constexpr std::array<std::string_view, 2> kDisruptionModes = {"all", "single"};
constexpr std::array<std::string_view, 2> kDisruptionWords = {"Pod", "PodGroup"};  // of v1alpha2

struct PolicyKeys {
  std::string_view policy = "schedulingPolicy";
  std::string_view count = "minCount";
};

// Exactly one of two policies: pods (or groups) one by one, or all or nothing down to a minimum.
int32_t decode_policy(Value parent, const PolicyKeys& keys, FieldReader& fields) {
  auto [key, count] = keys;
  Value policy = fields.object(parent, key);
  if (parent[key].absent()) fields.missing(parent, key, "\"basic\" or \"gang\"");
  if (policy.absent()) return 1;
  fields.slips(policy, kGroupPolicies);
  Value gang = fields.object(policy, "gang");
  bool basic = !policy["basic"].absent();
  if (basic != policy["gang"].absent()) {
    fields.error(policy, basic ? "both policies" : "no policy", "\"basic\" or \"gang\"");
  }
  if (gang.absent()) return 1;
  if (gang[count].absent()) fields.missing(gang, count, "a whole number from 1");
  return static_cast<int32_t>(fields.integer(gang, count, 1, INT32_MAX).value_or(1));
}

// Whether an eviction takes the whole group: exactly one of two modes, or a word of v1alpha2.
bool decode_leaves_whole(std::string_view version, Value spec, FieldReader& fields) {
  bool words =
      version == "v1alpha2" || (version.empty() && spec[kDisruptionMode].is(ValueKind::String));
  if (words) return fields.word(spec, kDisruptionMode, kDisruptionWords) == kDisruptionWords[1];
  if (spec[kDisruptionMode].is(ValueKind::String)) {
    fields.error(spec[kDisruptionMode], describe(spec[kDisruptionMode]),
                 "\"single: {}\" or \"all: {}\"");
    return false;
  }
  Value mode = fields.object(spec, kDisruptionMode);
  if (mode.absent()) return false;
  fields.slips(mode, kDisruptionModes);
  fields.object(mode, "single");
  fields.object(mode, "all");
  bool all = !mode["all"].absent();
  if (all != mode["single"].absent()) {
    fields.error(mode, all ? "both modes" : "no mode", "\"single\" or \"all\"");
  }
  return all;
}

// The constraint is the label of a level alone: the object does not name the topology.
SharedValue<PlacedConstraint> decode_constraints(Value spec, FieldReader& fields) {
  Value list = fields.list(fields.object(spec, "schedulingConstraints"), "topology");
  if (list.size() > 1) {
    fields.error(list, std::to_string(list.size()) + " topology constraints", "one");
  }
  if (list.size() != 1) return nullptr;
  Value only = *list.items().begin();
  PlacedConstraint placed{.implied = ImpliedTopology::First};
  placed.constraint.required = fields.intern_if(fields.string(only, "key"));
  if (!placed.constraint.required.valid()) {
    if (only["key"].absent()) fields.missing(only, "key", "the label of a topology's level");
    return nullptr;
  }
  placed.required = fields.report().place(only["key"]);
  return SharedValue<PlacedConstraint>(std::move(placed));
}

GangKeys decode_keys(Value object, FieldReader& fields) {
  Value metadata = object["metadata"];
  check_annotations(metadata, fields);
  fields.labels(metadata, "labels");
  return decode_gang_keys(metadata, fields, true);
}

std::vector<GroupClaimUse> decode_claims_of_group(Value object, FieldReader& fields) {
  std::vector<GroupClaimUse> uses;
  Value status = fields.object(object, "status");
  for (Value entry : fields.list(object["spec"], "resourceClaims").items()) {
    GroupClaimUse& use = uses.emplace_back();
    use.entry = fields.intern_if(fields.string(entry, "name"));
    std::string_view name = fields.string(entry, "resourceClaimName");
    use.of_template = fields.intern_if(fields.string(entry, "resourceClaimTemplateName"));
    for (Value made : fields.list(status, "resourceClaimStatuses").items()) {
      bool same = name.empty() && made["name"].text() == entry["name"].text();
      if (same) name = made["resourceClaimName"].text();
    }
    use.claim = reference(fields, KeyKind::ResourceClaim, name);
  }
  return uses;
}

// What PodGroups and CompositePodGroups have in common.
PodGroupRecord decode_core(NamedObject named, FieldReader& fields) {
  PodGroupRecord record{std::move(named.meta)};
  record.meta.owner = decode_owner(named.object["metadata"], record.meta.key.name_space, fields);
  record.keys = decode_keys(named.object, fields);
  Value spec = fields.object(named.object, "spec");
  fields.slips(spec, kCoreSpecKeys);
  record.spec.topology = decode_constraints(spec, fields);
  record.spec.priority_class = fields.intern_if(fields.string(spec, "priorityClassName"));
  CoreGroupSpec core;
  if (std::optional<int64_t> read = fields.integer(spec, "priority", INT32_MIN, kMostPriority)) {
    core.priority = static_cast<int32_t>(*read);
  }
  core.moves_others = decode_moves_others(spec, fields);
  core.leaves_whole =
      decode_leaves_whole(api_version_part(named.object["apiVersion"].text()), spec, fields);
  core.parent = reference(fields, KeyKind::Name, fields.string(spec, kParent));
  if (core.parent.valid()) core.parent_at = fields.report().place(spec[kParent]);
  if (core.parent.valid() && fields.object(spec, "workloadRef").absent()) {
    fields.report().warning(spec[kParent],
                            {"a parent without a workloadRef, which an API server refuses",
                             "the names of a Workload and of its template beside it", ""});
  }
  record.core = SharedValue<CoreGroupSpec>(std::move(core));
  return record;
}

}  // namespace

PodGroupRecord decode_pod_group(NamedObject named, FieldReader& fields) {
  PodGroupRecord record{std::move(named.meta)};
  Value object = named.object;
  Value metadata = object["metadata"];
  record.meta.owner = decode_owner(metadata, record.meta.key.name_space, fields);
  record.keys = decode_keys(object, fields);
  record.keys.pod_group =
      reference(fields, KeyKind::Name, metadata["annotations"][kMadeForKey].text());
  record.last_start = read_time(metadata, "kai.scheduler/last-start-timestamp", fields);
  record.stale_since = read_time(metadata, "kai.scheduler/stale-podgroup-timestamp", fields);

  fields.known_keys(object, kObjectKeys);
  Value spec = fields.object(object, "spec");
  fields.known_keys(spec, kPodGroupSpecKeys);
  record.spec.queue = fields.intern_if(fields.string(spec, "queue"));
  if (record.spec.queue.valid()) record.queue = fields.report().place(spec["queue"]);
  record.spec.priority_class = fields.intern_if(fields.string(spec, "priorityClassName"));
  std::string_view word = spec["preemptibility"].text().empty()
                              ? fields.string(spec, "preemptibility")
                              : fields.word(spec, "preemptibility", kPreemptibilityWords);
  record.spec.preemptibility = preemptibility_of(word);
  // Earlier versions had the annotation and not the field.
  Value delay = spec["preemptionDelay"];
  if (delay.absent()) delay = metadata["annotations"]["kai.scheduler/preemption-delay"];
  record.preemption_delay = fields.duration(delay, DurationSign::NotNegative);
  record.staleness_grace = fields.duration(spec["stalenessGracePeriod"], DurationSign::Any);
  record.calls_for_nodes = fields.boolean(spec, "markUnschedulable", true);
  record.spec.topology = decode_constraint(find_constraint(spec, fields), fields);

  std::vector<DeclaredSubgroup> declared = decode_subgroups(spec, fields);
  record.min_subgroup = decode_min_subgroup(spec, fields);
  std::optional<int64_t> min_member = fields.integer(spec, "minMember", 1, INT32_MAX);
  arrange_subgroups(std::move(declared), spec, record, fields);
  record.min_member = min_member ? static_cast<int32_t>(*min_member) : needed_pods(record);
  return record;
}

PodGroupRecord decode_core_pod_group(NamedObject named, FieldReader& fields) {
  Value object = named.object;
  PodGroupRecord record = decode_core(std::move(named), fields);
  record.min_member = decode_policy(object["spec"], {}, fields);
  record.core.edit().claims = decode_claims_of_group(object, fields);
  return record;
}

PodGroupRecord decode_composite_pod_group(NamedObject named, FieldReader& fields) {
  Value object = named.object;
  PodGroupRecord record = decode_core(std::move(named), fields);
  record.core.edit().inner = true;
  record.min_subgroup = decode_policy(object["spec"], {.count = "minGroupCount"}, fields);
  return record;
}

std::shared_ptr<const PodGroupRecord> decode_job_scheduling(Value spec, int64_t parallelism,
                                                            FieldReader& fields) {
  Value scheduling = fields.object(spec, "scheduling");
  if (scheduling.absent()) return nullptr;
  fields.known_keys(scheduling, kJobSchedulingKeys);
  PodGroupRecord record;
  Value policy = fields.object(scheduling, "schedulingPolicy");
  bool counts = !fields.object(policy, "gang")["minCount"].absent();
  if (!policy["gang"].absent() && !counts) {
    record.min_member = static_cast<int32_t>(std::max<int64_t>(1, parallelism));
  } else if (!policy.absent()) {
    record.min_member = decode_policy(scheduling, {}, fields);
  }
  if (counts && record.min_member > parallelism) {
    fields.error(policy["gang"]["minCount"], describe(policy["gang"]["minCount"]),
                 "at most the parallelism, " + std::to_string(parallelism));
  }
  record.spec.topology = decode_constraints(scheduling, fields);
  CoreGroupSpec core;
  core.of_job = true;
  core.leaves_whole = decode_leaves_whole("v1", scheduling, fields);
  record.core = SharedValue<CoreGroupSpec>(std::move(core));
  return std::make_shared<const PodGroupRecord>(std::move(record));
}

GroupTemplatesRecord decode_group_templates(NamedObject named, FieldReader& fields) {
  GroupTemplatesRecord record{std::move(named.meta)};
  GangKeys keys = decode_keys(named.object, fields);
  // `podGroups` is the list of v1alpha1. Later versions have templates of PodGroups instead, which
  // are not read: the PodGroups have all that counts.
  for (Value item : fields.list(fields.object(named.object, "spec"), "podGroups").items()) {
    PodGroupRecord group;
    group.keys = keys;
    group.min_member = decode_policy(item, {.policy = "policy"}, fields);
    std::string_view name = fields.string(item, "name");
    if (item["name"].absent()) fields.missing(item, "name", "the name of the group");
    if (!name.empty()) record.groups.emplace_back(fields.intern(name), std::move(group));
  }
  return record;
}

SharedValue<CoreGroupName> decode_core_group(Value metadata, Value spec, FieldReader& fields) {
  CoreGroupName name;
  std::string_view kind = "PodGroup";
  std::string full;
  if (Value group = fields.object(spec, "schedulingGroup"); !group.absent()) {
    full = fields.string(group, "podGroupName");
  } else if (Value ref = fields.object(spec, "workloadRef"); !ref.absent()) {
    kind = "Workload";
    full = fields.string(ref, "name");
    name.workload = reference(fields, KeyKind::Name, full);
    std::string_view part = fields.string(ref, "podGroup");
    name.group = fields.intern_if(part);
    if (full.empty()) fields.missing(ref, "name", "the name of a Workload");
    if (part.empty()) fields.missing(ref, "podGroup", "the name of one of its groups");
    full += "-";
    full += part;
    std::string_view copy = fields.string(ref, "podGroupReplicaKey");
    if (!copy.empty()) full += "-" + std::string(copy);
    if (!name.workload.valid() || !name.group.valid()) return nullptr;
  }
  if (full.empty()) return nullptr;
  std::string_view name_space = metadata["namespace"].text();
  name.key = {fields.intern(kCoreGroup), fields.intern(kind),
              fields.intern(name_space.empty() ? kDefaultNamespace : name_space),
              reference(fields, KeyKind::Name, full)};
  return SharedValue<CoreGroupName>(name);
}

}  // namespace trellis
