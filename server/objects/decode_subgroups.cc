#include "server/objects/decode_subgroups.h"

#include <absl/container/flat_hash_set.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/shared_value.h"
#include "server/document/object_error.h"

namespace trellis {
namespace {

constexpr std::array<std::string_view, 3> kConstraintKeys = {"topology", "requiredTopologyLevel",
                                                             "preferredTopologyLevel"};
constexpr std::array<std::string_view, 6> kSubGroupKeys = {
    "name", "minMember", "minSubGroup", "minSubGroups", "parent", "topologyConstraint"};
constexpr size_t kNone = SIZE_MAX;

// Positions in the declared list, by name.
class Names {
 public:
  explicit Names(const std::vector<DeclaredSubgroup>& declared) : declared_(declared) {
    for (size_t i = 0; i < declared.size(); ++i) order_.push_back(i);
    std::sort(order_.begin(), order_.end(),
              [&](size_t a, size_t b) { return declared[a].name < declared[b].name; });
  }

  size_t find(std::string_view name) const {
    auto before = [&](size_t i, std::string_view word) { return declared_[i].name < word; };
    auto found = std::lower_bound(order_.begin(), order_.end(), name, before);
    return found == order_.end() || declared_[*found].name != name ? kNone : *found;
  }

 private:
  const std::vector<DeclaredSubgroup>& declared_;
  std::vector<size_t> order_;
};

void fail(const DeclaredSubgroup& at, PodGroupRecord& record) {
  Reason reason;
  reason.code = ReasonCode::SubgroupTree;
  reason.subgroup = at.name;
  reason.subject = at.parent_name;
  record.errors.push_back(std::move(reason));
}

// `what`: "levels", or "" for the number of subgroups.
void exceed(std::string_view what, size_t found, size_t most, PodGroupRecord& record) {
  Reason reason;
  reason.code = ReasonCode::SubgroupLimit;
  reason.subject = what;
  reason.found = static_cast<int64_t>(found);
  reason.needed = static_cast<int64_t>(most);
  record.errors.push_back(std::move(reason));
}

std::vector<size_t> find_parents(const std::vector<DeclaredSubgroup>& declared,
                                 PodGroupRecord& record, FieldReader& fields) {
  Names names(declared);
  std::vector<size_t> parents(declared.size(), kNone);
  std::vector<std::string_view> words;
  for (const DeclaredSubgroup& one : declared) words.push_back(one.name);
  for (size_t i = 0; i < declared.size(); ++i) {
    const DeclaredSubgroup& one = declared[i];
    if (one.parent_name.empty()) continue;
    parents[i] = names.find(one.parent_name);
    if (parents[i] != kNone && one.parent_name != one.name) continue;
    parents[i] = kNone;
    fields.error(
        one.at["parent"], in_quotes(one.parent_name), "the name of another subgroup",
        one.parent_name == one.name ? "" : fields.report().nearest(one.parent_name, words));
    fail(one, record);
  }
  return parents;
}

// Removes the parent of one subgroup of each circle: the one where the circle was found.
void open_circles(const std::vector<DeclaredSubgroup>& declared, std::vector<size_t>& parents,
                  PodGroupRecord& record, FieldReader& fields) {
  // By subgroup: the start of the walk that reached it first. A walk that meets its own trace has
  // found a circle.
  std::vector<size_t> trace(declared.size(), kNone);
  for (size_t start = 0; start < declared.size(); ++start) {
    size_t at = start;
    while (at != kNone && trace[at] == kNone) {
      trace[at] = start;
      at = parents[at];
    }
    if (at == kNone || trace[at] != start) continue;
    fields.error(declared[at].at["parent"],
                 in_quotes(declared[at].parent_name) + ", which is below this subgroup itself",
                 "a parent above it");
    fail(declared[at], record);
    parents[at] = kNone;
  }
}

// By subgroup: the number of subgroups from it, included, up to the gang. REQUIRES: no circles.
std::vector<size_t> find_depths(const std::vector<size_t>& parents) {
  std::vector<size_t> depths(parents.size(), 0);
  std::vector<size_t> above;
  for (size_t i = 0; i < parents.size(); ++i) {
    for (size_t at = i; at != kNone && depths[at] == 0; at = parents[at]) above.push_back(at);
    for (; !above.empty(); above.pop_back()) {
      size_t parent = parents[above.back()];
      depths[above.back()] = parent == kNone ? 1 : depths[parent] + 1;
    }
  }
  return depths;
}

// Whether the tree has too many levels. The gang then has no subgroups, and waits.
bool too_deep(const std::vector<DeclaredSubgroup>& declared, const std::vector<size_t>& parents,
              PodGroupRecord& record, FieldReader& fields) {
  std::vector<size_t> depths = find_depths(parents);
  auto deepest = std::max_element(depths.begin(), depths.end());
  if (deepest == depths.end() || *deepest <= kMostSubgroupLevels) return false;
  const DeclaredSubgroup& one = declared[static_cast<size_t>(deepest - depths.begin())];
  fields.error(one.at["parent"], std::to_string(*deepest) + " subgroups inside each other",
               "at most " + std::to_string(kMostSubgroupLevels));
  exceed("levels", *deepest, kMostSubgroupLevels, record);
  return true;
}

// Reports a minSubGroup that is larger than the number of children, or that has no children.
void check_min_subgroup(int32_t& min_subgroup, int64_t children, Value holder,
                        std::string_view name, PodGroupRecord& record, FieldReader& fields) {
  if (min_subgroup == Subgroup::kAll || min_subgroup <= children) return;
  Value at = holder[holder["minSubGroup"].absent() ? "minSubGroups" : "minSubGroup"];
  Finding finding{describe(at),
                  children == 0 ? "nothing, as no subgroup is below"
                                : "at most " + std::to_string(children) + ", as many as are below",
                  ""};
  Reason reason = invalid_value(at.path(), finding);
  reason.subgroup = name;
  record.errors.push_back(std::move(reason));
  fields.report().error(at, std::move(finding));
  min_subgroup = Subgroup::kAll;
}

}  // namespace

SharedValue<PlacedConstraint> decode_constraint(Value constraint, FieldReader& fields) {
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
  return SharedValue<PlacedConstraint>(std::move(placed));
}

int32_t decode_min_subgroup(Value holder, FieldReader& fields) {
  std::string_view key = holder["minSubGroup"].absent() ? "minSubGroups" : "minSubGroup";
  return static_cast<int32_t>(fields.integer(holder, key, 1, INT32_MAX).value_or(Subgroup::kAll));
}

std::vector<DeclaredSubgroup> decode_subgroups(Value spec, FieldReader& fields) {
  std::vector<DeclaredSubgroup> declared;
  Value list = fields.list(spec, "subGroups");
  if (list.size() > kMostSubgroups) return declared;
  absl::flat_hash_set<std::string> names;
  for (Value item : list.items()) {
    if (!item.is(ValueKind::Object)) {
      fields.error(item, describe(item), "an object with name and minMember");
      continue;
    }
    fields.known_keys(item, kSubGroupKeys);
    DeclaredSubgroup one;
    one.at = item;
    one.record.topology = decode_constraint(fields.object(item, "topologyConstraint"), fields);
    one.name = fields.string(item, "name");
    one.parent_name = fields.string(item, "parent");
    Subgroup& subgroup = one.record.subgroup;
    subgroup.name = fields.intern_if(one.name);
    subgroup.min_member =
        static_cast<int32_t>(fields.integer(item, "minMember", 0, INT32_MAX).value_or(1));
    subgroup.min_subgroup = decode_min_subgroup(item, fields);
    if (item["name"].absent()) fields.missing(item, "name", "a name");
    if (item["name"].is(ValueKind::String) && one.name.empty()) {
      fields.error(item["name"], "\"\"", "a name");
    }
    bool again = !one.name.empty() && !names.insert(std::string(one.name)).second;
    if (again) {
      fields.error(item["name"], in_quotes(one.name) + " a second time", "each subgroup once");
    }
    if (!one.name.empty() && !again) declared.push_back(std::move(one));
  }
  return declared;
}

void arrange_subgroups(std::vector<DeclaredSubgroup> declared, Value spec, PodGroupRecord& record,
                       FieldReader& fields) {
  Value list = spec["subGroups"];
  if (list.size() > kMostSubgroups) {
    fields.error(list, std::to_string(list.size()) + " subgroups",
                 "at most " + std::to_string(kMostSubgroups));
    exceed({}, list.size(), kMostSubgroups, record);
    return;
  }
  std::vector<size_t> parents = find_parents(declared, record, fields);
  open_circles(declared, parents, record, fields);
  if (too_deep(declared, parents, record, fields)) return;
  std::vector<int64_t> children(declared.size(), 0);
  int64_t top = 0;
  for (size_t parent : parents) ++(parent == kNone ? top : children[parent]);
  std::vector<size_t> place(declared.size(), kNone);
  std::vector<size_t> above;
  for (size_t i = 0; i < declared.size(); ++i) {
    above.clear();
    for (size_t at = i; at != kNone && place[at] == kNone; at = parents[at]) above.push_back(at);
    for (; !above.empty(); above.pop_back()) {
      size_t at = above.back();
      place[at] = record.subgroups.size();
      SubgroupRecord& one = declared[at].record;
      if (parents[at] != kNone) one.subgroup.parent = static_cast<int32_t>(place[parents[at]]);
      one.inner = children[at] > 0;
      check_min_subgroup(one.subgroup.min_subgroup, children[at], declared[at].at,
                         declared[at].name, record, fields);
      record.subgroups.push_back(std::move(one));
    }
  }
  check_min_subgroup(record.min_subgroup, top, spec, "", record, fields);
}

int32_t needed_pods(const PodGroupRecord& record) {
  size_t count = record.subgroups.size();
  // By subgroup: the needs of its children. The last entry is the gang itself.
  std::vector<std::vector<int64_t>> below(count + 1);
  auto smallest = [](std::vector<int64_t>& needs, int32_t min_subgroup) {
    std::sort(needs.begin(), needs.end());
    size_t wanted =
        min_subgroup == Subgroup::kAll ? needs.size() : static_cast<size_t>(min_subgroup);
    int64_t sum = 0;
    for (size_t i = 0; i < std::min(wanted, needs.size()); ++i) sum += needs[i];
    return sum;
  };
  for (size_t i = count; i-- > 0;) {
    const SubgroupRecord& one = record.subgroups[i];
    int64_t needs = one.inner ? smallest(below[i], one.subgroup.min_subgroup)
                              : int64_t{one.subgroup.min_member};
    int32_t parent = one.subgroup.parent;
    below[parent < 0 ? count : static_cast<size_t>(parent)].push_back(needs);
  }
  int64_t needs = smallest(below[count], record.min_subgroup);
  return static_cast<int32_t>(std::clamp<int64_t>(needs, 1, INT32_MAX));
}

}  // namespace trellis
