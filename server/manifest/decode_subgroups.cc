#include "server/manifest/decode_subgroups.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trellis {
namespace {

constexpr std::array<std::string_view, 3> kConstraintKeys = {"topology", "requiredTopologyLevel",
                                                             "preferredTopologyLevel"};
constexpr std::array<std::string_view, 6> kSubGroupKeys = {
    "name", "minMember", "minSubGroup", "minSubGroups", "parent", "topologyConstraint"};
constexpr size_t kNone = SIZE_MAX;

struct SubGroup {
  std::string_view name;
  std::string_view parent_name;
  size_t parent = kNone;  // index
  Value at;
  int64_t min_member = 1;
  bool inner = false;
};

bool by_name(const SubGroup& a, const SubGroup& b) { return a.name < b.name; }

std::vector<SubGroup> read_subgroups(Value spec, FieldReader& fields) {
  std::vector<SubGroup> groups;
  for (Value item : fields.list(spec, "subGroups").items()) {
    if (!item.is(ValueKind::Object)) {
      fields.error(item, describe(item), "an object with name and minMember");
      continue;
    }
    fields.known_keys(item, kSubGroupKeys);
    decode_constraint(fields.object(item, "topologyConstraint"), fields);
    SubGroup group;
    group.name = fields.string(item, "name");
    group.parent_name = fields.string(item, "parent");
    group.at = item;
    group.min_member = fields.integer(item, "minMember", 0, INT32_MAX).value_or(1);
    if (item["name"].absent()) fields.missing(item, "name", "a name");
    if (item["name"].is(ValueKind::String) && group.name.empty()) {
      fields.error(item["name"], "\"\"", "a name");
    }
    groups.push_back(group);
  }
  std::stable_sort(groups.begin(), groups.end(), by_name);
  return groups;
}

void find_parents(std::vector<SubGroup>& groups, FieldReader& fields) {
  for (SubGroup& group : groups) {
    if (group.parent_name.empty()) continue;
    SubGroup wanted;
    wanted.name = group.parent_name;
    auto parent = std::lower_bound(groups.begin(), groups.end(), wanted, by_name);
    bool found = parent != groups.end() && parent->name == wanted.name;
    if (!found || parent->name == group.name) {
      fields.error(group.at["parent"], quoted(group.parent_name), "the name of another subgroup");
      continue;
    }
    parent->inner = true;
    group.parent = static_cast<size_t>(parent - groups.begin());
  }
}

void report_circles(const std::vector<SubGroup>& groups, FieldReader& fields) {
  // From which start a group was first come by: meeting one's own trace closes a circle.
  std::vector<size_t> trace(groups.size(), kNone);
  for (size_t start = 0; start < groups.size(); ++start) {
    size_t at = start;
    while (at != kNone && trace[at] == kNone) {
      trace[at] = start;
      at = groups[at].parent;
    }
    if (at == kNone || trace[at] != start) continue;
    fields.error(groups[at].at["parent"],
                 quoted(groups[at].parent_name) + ", which is below this subgroup itself",
                 "a parent above it");
  }
}

}  // namespace

std::shared_ptr<const PlacedConstraint> decode_constraint(Value constraint, FieldReader& fields) {
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

int64_t check_subgroups(Value spec, FieldReader& fields) {
  std::vector<SubGroup> groups = read_subgroups(spec, fields);
  for (size_t i = 1; i < groups.size(); ++i) {
    if (groups[i].name.empty() || groups[i].name != groups[i - 1].name) continue;
    fields.error(groups[i].at["name"], quoted(groups[i].name) + " a second time",
                 "each subgroup once");
  }
  find_parents(groups, fields);
  report_circles(groups, fields);
  int64_t sum = 0;
  for (const SubGroup& group : groups) {
    if (!group.inner) sum = std::min<int64_t>(sum + group.min_member, INT32_MAX);
  }
  return sum;
}

}  // namespace trellis
