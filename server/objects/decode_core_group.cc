#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "server/objects/decode_meta.h"
#include "server/objects/decoders.h"

namespace trellis {
namespace {

constexpr std::string_view kParent = "parentCompositePodGroupName";
constexpr std::string_view kCoreGroup = "scheduling.k8s.io";
constexpr std::array<std::string_view, 2> kPolicies = {"basic", "gang"};

// Exactly one of two policies: pods one by one, or all or nothing down to a minimum.
int32_t decode_policy(Value parent, std::string_view key, FieldReader& fields) {
  Value policy = fields.object(parent, key);
  if (parent[key].absent()) fields.missing(parent, key, "\"basic\" or \"gang\"");
  if (policy.absent()) return 1;
  fields.slips(policy, kPolicies);
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
std::shared_ptr<const PlacedConstraint> decode_constraints(Value spec, FieldReader& fields) {
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
  return std::make_shared<const PlacedConstraint>(std::move(placed));
}

GangKeys decode_keys(Value object, FieldReader& fields) {
  Value metadata = object["metadata"];
  check_annotations(metadata, fields);
  fields.labels(metadata, "labels");
  return decode_gang_keys(metadata, fields, true);
}

}  // namespace

PodGroupRecord decode_core_pod_group(Value object, FieldReader& fields) {
  PodGroupRecord record;
  record.keys = decode_keys(object, fields);
  Value spec = fields.object(object, "spec");
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

GroupTemplatesRecord decode_group_templates(Value object, FieldReader& fields) {
  GroupTemplatesRecord record;
  GangKeys keys = decode_keys(object, fields);
  // `podGroups` is the list of v1alpha1. Later versions have templates of PodGroups instead, which
  // are not read: the PodGroups have all that counts.
  for (Value item : fields.list(fields.object(object, "spec"), "podGroups").items()) {
    PodGroupRecord group;
    group.keys = keys;
    group.min_member = decode_policy(item, "policy", fields);
    std::string_view name = fields.string(item, "name");
    if (item["name"].absent()) fields.missing(item, "name", "the name of the group");
    if (!name.empty()) record.groups.emplace_back(fields.intern(name), std::move(group));
  }
  return record;
}

std::shared_ptr<const CoreGroupName> decode_core_group(Value metadata, Value spec,
                                                       FieldReader& fields) {
  CoreGroupName name;
  std::string_view kind = "PodGroup";
  std::string full;
  if (Value group = fields.object(spec, "schedulingGroup"); !group.absent()) {
    full = fields.string(group, "podGroupName");
  } else if (Value ref = fields.object(spec, "workloadRef"); !ref.absent()) {
    kind = "Workload";
    full = fields.string(ref, "name");
    name.workload = fields.intern_if(full);
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
              fields.intern(full)};
  return std::make_shared<const CoreGroupName>(name);
}

}  // namespace trellis
