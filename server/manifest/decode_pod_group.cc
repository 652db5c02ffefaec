#include "server/manifest/decode_pod_group.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/manifest/decode_meta.h"
#include "server/manifest/timestamp.h"

namespace trellis {
namespace {

constexpr std::array<std::string_view, 16> kSpecKeys = {
    "minMember",         "minSubGroup",        "minSubGroups",        "queue",
    "priorityClassName", "preemptibility",     "preemptionDelay",     "stalenessGracePeriod",
    "parallelism",       "completions",        "backoffLimit",        "markUnschedulable",
    "schedulingBackoff", "topologyConstraint", "topologyConstraints", "subGroups"};
constexpr std::array<std::string_view, 3> kConstraintKeys = {"topology", "requiredTopologyLevel",
                                                             "preferredTopologyLevel"};
constexpr std::array<std::string_view, 6> kSubGroupKeys = {
    "name", "minMember", "minSubGroup", "minSubGroups", "parent", "topologyConstraint"};
constexpr std::array<std::string_view, 2> kPreemptibilityWords = {"preemptible", "non-preemptible"};

// `topologyConstraint`, or `topologyConstraints`: the same object, alone or as the one item of a
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

std::shared_ptr<const PlacedConstraint> read_constraint(Value constraint, FieldReader& fields) {
  if (constraint.absent()) return nullptr;
  fields.known_keys(constraint, kConstraintKeys, true);
  PlacedConstraint placed;
  auto read = [&](std::string_view key, StrId& word, Place& place) {
    word = fields.intern_if(fields.string(constraint, key));
    if (word.valid()) place = fields.report().place(constraint[key]);
  };
  read("topology", placed.constraint.topology, placed.topology);
  read("requiredTopologyLevel", placed.constraint.required, placed.required);
  read("preferredTopologyLevel", placed.constraint.preferred, placed.preferred);
  if (placed.constraint.empty()) return nullptr;
  return std::make_shared<const PlacedConstraint>(std::move(placed));
}

// Checks the subgroups, and returns how many pods their minima ask for together. The minimum of a
// subgroup that has others below it is not its own.
int64_t read_subgroups(Value spec, FieldReader& fields) {
  struct SubGroup {
    std::string_view name;
    std::string_view parent;
    Value at;
    int64_t min_member = 1;
    bool inner = false;
  };
  std::vector<SubGroup> groups;
  for (Value item : fields.list(spec, "subGroups").items()) {
    if (!item.is(ValueKind::Object)) {
      fields.error(item, describe(item), "an object with name and minMember");
      continue;
    }
    fields.known_keys(item, kSubGroupKeys);
    read_constraint(fields.object(item, "topologyConstraint"), fields);
    SubGroup group;
    group.name = fields.string(item, "name");
    group.parent = fields.string(item, "parent");
    group.at = item;
    group.min_member = fields.integer(item, "minMember", 0, INT32_MAX).value_or(1);
    if (item["name"].absent()) fields.missing(item, "name", "a name");
    groups.push_back(group);
  }
  auto by_name = [](const SubGroup& a, const SubGroup& b) { return a.name < b.name; };
  std::stable_sort(groups.begin(), groups.end(), by_name);
  for (size_t i = 1; i < groups.size(); ++i) {
    if (groups[i].name.empty() || groups[i].name != groups[i - 1].name) continue;
    fields.error(groups[i].at["name"], quoted(groups[i].name) + " a second time",
                 "each subgroup once");
  }
  for (const SubGroup& group : groups) {
    if (group.parent.empty()) continue;
    SubGroup wanted;
    wanted.name = group.parent;
    auto parent = std::lower_bound(groups.begin(), groups.end(), wanted, by_name);
    if (parent == groups.end() || parent->name != group.parent || parent->name == group.name) {
      fields.error(group.at["parent"], quoted(group.parent), "the name of another subgroup");
    } else {
      parent->inner = true;
    }
  }
  int64_t sum = 0;
  for (const SubGroup& group : groups) {
    if (!group.inner) sum = std::min<int64_t>(sum + group.min_member, INT32_MAX);
  }
  return sum;
}

}  // namespace

PodGroupRecord decode_pod_group(Value object, FieldReader& fields) {
  size_t errors = fields.report().errors();
  PodGroupRecord record;
  Value metadata = object["metadata"];
  check_annotations(metadata, fields);
  fields.labels(metadata, "labels");
  record.keys = decode_gang_keys(metadata, fields, true);
  Value start = metadata["annotations"]["kai.scheduler/last-start-timestamp"];
  if (std::optional<TimeUs> time = parse_timestamp(start.text())) {
    record.last_start = *time;
    fields.see_time(*time);
  } else if (!start.absent() && !start.text().empty()) {
    fields.error(start, describe(start), "a time such as \"2026-01-01T12:00:00Z\"");
  }

  Value spec = fields.object(object, "spec");
  fields.known_keys(spec, kSpecKeys);
  record.spec.queue = fields.intern_if(fields.string(spec, "queue"));
  record.spec.priority_class = fields.intern_if(fields.string(spec, "priorityClassName"));
  std::string_view word = spec["preemptibility"].text().empty()
                              ? fields.string(spec, "preemptibility")
                              : fields.word(spec, "preemptibility", kPreemptibilityWords);
  if (word == kPreemptibilityWords[0]) record.spec.preemptibility = Preemptibility::Preemptible;
  if (word == kPreemptibilityWords[1]) record.spec.preemptibility = Preemptibility::NonPreemptible;
  record.spec.topology = read_constraint(find_constraint(spec, fields), fields);

  int64_t in_subgroups = read_subgroups(spec, fields);
  std::optional<int64_t> min_member = fields.integer(spec, "minMember", 1, INT32_MAX);
  record.min_member = static_cast<int32_t>(min_member.value_or(std::max<int64_t>(1, in_subgroups)));
  if (spec["subGroups"].size() > 0) {
    fields.report().warning(
        spec["subGroups"],
        {"subgroups, which are not looked at yet: the gang is placed as one", "", ""});
  }
  record.broken = fields.report().errors() != errors;
  return record;
}

}  // namespace trellis
