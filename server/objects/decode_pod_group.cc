#include <array>
#include <cstdint>
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
constexpr std::string_view kCoreGroup = "scheduling.k8s.io";
constexpr std::array<std::string_view, 2> kGroupPolicies = {"basic", "gang"};

// Exactly one of two policies: pods one by one, or all or nothing down to a minimum.
int32_t decode_policy(Value parent, std::string_view key, FieldReader& fields) {
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
  if (gang["minCount"].absent()) fields.missing(gang, "minCount", "a whole number from 1");
  return static_cast<int32_t>(fields.integer(gang, "minCount", 1, INT32_MAX).value_or(1));
}

// The constraint is the label of a level alone: the object does not name the topology.
SharedValue<PlacedConstraint> decode_constraints(Value spec, FieldReader& fields) {
  Value list = fields.list(fields.object(spec, "schedulingConstraints"), "topology");
  if (list.size() > 1) {
    fields.error(list, std::to_string(list.size()) + " topology constraints", "one");
  }
  if (list.size() != 1) return nullptr;
  Value only = *list.items().begin();
  PlacedConstraint placed{.implies_topology = true};
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
  if (word == kPreemptibilityWords[0]) record.spec.preemptibility = Preemptibility::Preemptible;
  if (word == kPreemptibilityWords[1]) record.spec.preemptibility = Preemptibility::NonPreemptible;
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
  PodGroupRecord record{std::move(named.meta)};
  record.meta.owner = decode_owner(named.object["metadata"], record.meta.key.name_space, fields);
  record.keys = decode_keys(named.object, fields);
  Value spec = fields.object(named.object, "spec");
  record.min_member = decode_policy(spec, "schedulingPolicy", fields);
  record.spec.topology = decode_constraints(spec, fields);
  record.spec.priority_class = fields.intern_if(fields.string(spec, "priorityClassName"));
  if (!fields.string(spec, kParent).empty()) {
    fields.report().warning(spec[kParent], {"a PodGroup below a CompositePodGroup",
                                            "one that stands alone: groups of groups are not "
                                            "looked at yet",
                                            ""});
  }
  return record;
}

GroupTemplatesRecord decode_group_templates(NamedObject named, FieldReader& fields) {
  GroupTemplatesRecord record{std::move(named.meta)};
  GangKeys keys = decode_keys(named.object, fields);
  // `podGroups` is the list of v1alpha1. Later versions have templates of PodGroups instead, which
  // are not read: the PodGroups have all that counts.
  for (Value item : fields.list(fields.object(named.object, "spec"), "podGroups").items()) {
    PodGroupRecord group;
    group.keys = keys;
    group.min_member = decode_policy(item, "policy", fields);
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
