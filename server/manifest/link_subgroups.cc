#include "server/manifest/link_subgroups.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "server/manifest/nearest_word.h"

namespace trellis {
namespace {

bool asks_level(const TopologyConstraint& constraint) {
  return constraint.required.valid() || constraint.preferred.valid();
}

bool has_finished(PodStatus status) {
  return status == PodStatus::Succeeded || status == PodStatus::Failed;
}

}  // namespace

void SubgroupLinker::link(const PodGroupRecord& group, const PlacedConstraint& around,
                          ResolvedLevels levels, Gang& gang) {
  gang.min_subgroup = group.min_subgroup;
  gang.errors.insert(gang.errors.end(), group.errors.begin(), group.errors.end());
  const TopologyConstraint& own = around.constraint;
  Around outside{own.topology, around.topology, levels.required, own.required, own.topology};
  std::vector<Around> inside;
  for (const SubgroupRecord& record : group.subgroups) {
    Subgroup subgroup = record.subgroup;
    Around here = subgroup.parent < 0 ? outside : inside[static_cast<size_t>(subgroup.parent)];
    link_topology(record, here, subgroup, gang);
    inside.push_back(std::move(here));
    gang.subgroups.push_back(std::move(subgroup));
  }
}

void SubgroupLinker::link_topology(const SubgroupRecord& record, Around& around, Subgroup& subgroup,
                                   Gang& gang) {
  if (!record.topology) return;
  PlacedConstraint wanted = *record.topology;
  TopologyConstraint& constraint = wanted.constraint;
  if (!constraint.topology.valid()) {
    constraint.topology = around.topology;
    wanted.topology = around.topology_at;
  }
  // A topology alone is there for the subgroups below.
  if (record.inner && !asks_level(constraint)) {
    around.topology = constraint.topology;
    around.topology_at = wanted.topology;
    return;
  }
  std::string_view name = fields_.vocabulary().strings.view(subgroup.name);
  size_t before = gang.errors.size();
  ResolvedLevels levels = topologies_.check(wanted, gang.errors);
  for (size_t i = before; i < gang.errors.size(); ++i) gang.errors[i].subgroup = name;
  if (asks_level(constraint)) subgroup.topology = constraint;
  check_order(wanted, levels, around, name, gang);
  around.topology = constraint.topology;
  around.topology_at = wanted.topology;
  if (levels.required < 0) return;
  around.of = constraint.topology;
  around.required = levels.required;
  around.required_word = constraint.required;
}

void SubgroupLinker::check_order(const PlacedConstraint& wanted, ResolvedLevels levels,
                                 const Around& around, std::string_view subgroup, Gang& gang) {
  if (around.required < 0 || around.of != wanted.constraint.topology) return;
  const StringTable& strings = fields_.vocabulary().strings;
  auto check = [&](int level, StrId word, const Place& at) {
    if (level < 0 || level >= around.required) return true;
    std::string_view outer = strings.view(around.required_word);
    fields_.report().error(
        at, {"the level " + quoted(strings.view(word)) + ", coarser than the level " +
                 quoted(outer) + " that is required around it",
             "that level or a finer one", ""});
    Reason reason;
    reason.code = ReasonCode::LevelOrder;
    reason.plugin = "topology";
    reason.topology = strings.view(wanted.constraint.topology);
    reason.level = outer;
    reason.subgroup = subgroup;
    reason.subject = strings.view(word);
    gang.errors.push_back(std::move(reason));
    return false;
  };
  if (check(levels.required, wanted.constraint.required, wanted.required)) {
    check(levels.preferred, wanted.constraint.preferred, wanted.preferred);
  }
}

void SubgroupLinker::check_pods(std::span<PodRecord* const> pods, Gang& gang) {
  if (gang.subgroups.empty()) {
    for (PodRecord* pod : pods) pod->object.pod.subgroup = StrId();
    return;
  }
  const StringTable& strings = fields_.vocabulary().strings;
  absl::flat_hash_map<uint32_t, bool> leaves;  // by name; false: an inner one
  for (const Subgroup& subgroup : gang.subgroups) leaves[subgroup.name.value] = true;
  for (const Subgroup& subgroup : gang.subgroups) {
    if (subgroup.parent < 0) continue;
    leaves[gang.subgroups[static_cast<size_t>(subgroup.parent)].name.value] = false;
  }
  std::vector<std::string_view> words;
  for (const Subgroup& subgroup : gang.subgroups) {
    if (leaves[subgroup.name.value]) words.push_back(strings.view(subgroup.name));
  }
  absl::flat_hash_set<uint32_t> told;
  for (const PodRecord* pod : pods) {
    StrId name = pod->object.pod.subgroup;
    auto found = leaves.find(name.value);
    bool leaf = name.valid() && found != leaves.end() && found->second;
    if (leaf || has_finished(pod->object.pod.status) || !told.insert(name.value).second) continue;
    std::string_view word = name.valid() ? strings.view(name) : "";
    Finding finding{name.valid() ? quoted(word) : "no label kai.scheduler/subgroup-name",
                    "the name of a leaf of the subgroups of " + gang.name, ""};
    if (found != leaves.end()) {
      finding.found += ", which has subgroups below it";
    } else {
      finding.nearest = nearest_word(word, words);
    }
    bool placed = name.valid() && pod->subgroup_at != nullptr;
    fields_.report().error(placed ? *pod->subgroup_at : Place{pod->meta.pos, ""},
                           std::move(finding));
    Reason reason;
    reason.code = ReasonCode::SubgroupUnknown;
    reason.subject = word;
    gang.errors.push_back(std::move(reason));
  }
}

}  // namespace trellis
