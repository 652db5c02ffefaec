#include "server/grouping/link_subgroups.h"

#include <absl/container/flat_hash_set.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "server/grouping/gang_request.h"

namespace trellis {
void SubgroupLinker::link(const PodGroupRecord& group, const TopologyAround& around,
                          const StructureKeys& structure, const LeafKeys& leaf_keys, Gang& gang) {
  gang.min_subgroup = group.min_subgroup;
  gang.errors.insert(gang.errors.end(), group.errors.begin(), group.errors.end());
  std::vector<TopologyAround> inside;
  for (const SubgroupRecord& record : group.subgroups) {
    Subgroup subgroup = record.subgroup;
    TopologyAround here =
        subgroup.parent < 0 ? around : inside[static_cast<size_t>(subgroup.parent)];
    if (record.inner) {
      link_inner(record, here, subgroup, gang);
    } else {
      link_leaf(record, structure, leaf_keys, here, subgroup, gang);
    }
    inside.push_back(std::move(here));
    gang.subgroups.push_back(std::move(subgroup));
  }
}

void SubgroupLinker::imply_topology(PlacedConstraint& wanted, const TopologyAround& around) {
  TopologyConstraint& constraint = wanted.constraint;
  bool first = wanted.implied == ImpliedTopology::First && constraint.required.valid();
  if (!first || constraint.topology.valid()) return;
  constraint.topology = topologies_.any_with(constraint, around.topology);
}

void SubgroupLinker::link_inner(const SubgroupRecord& record, TopologyAround& around,
                                Subgroup& subgroup, Gang& gang) {
  if (!record.topology) return;
  if (record.topology->constraint.asks_level()) {
    PlacedConstraint wanted = *record.topology;
    imply_topology(wanted, around);
    return link_levels(std::move(wanted), around, subgroup, gang);
  }
  // A topology without a level is for the subgroups below.
  around.topology = record.topology->constraint.topology;
  around.topology_at = record.topology->topology;
}

void SubgroupLinker::link_leaf(const SubgroupRecord& record, const StructureKeys& structure,
                               const LeafKeys& leaf_keys, TopologyAround& around,
                               Subgroup& subgroup, Gang& gang) {
  GangKeys spec;
  spec.topology = record.topology;
  StructureRequest request;
  request.add(spec);
  auto said = leaf_keys.find(subgroup.name.value);
  if (said != leaf_keys.end()) {
    for (const GangKeys* keys : said->second) request.add(*keys);
  }
  std::string_view name = fields_.vocabulary().strings.view(subgroup.name);
  bool own = request.structure.has_segment() || request.structure.segment_layers.valid();
  std::vector<PlacedLayer> layers =
      segments_.parse(own ? request.structure : structure, 0, name, gang.errors);
  imply_topology(request.topology, around);
  TopologyConstraint& constraint = request.topology.constraint;
  if (!constraint.topology.valid() && !around.topology.valid()) {
    std::vector<StrId> words = level_words(layers);
    bool implied = !constraint.asks_level() || request.topology.implied != ImpliedTopology::None;
    for (StrId word : {constraint.required, constraint.preferred}) {
      if (word.valid()) words.push_back(word);
    }
    if (implied && !words.empty()) constraint.topology = topologies_.implied_by(words);
  }
  if (constraint.asks_level() || (constraint.topology.valid() && layers.empty())) {
    link_levels(request.topology, around, subgroup, gang);
  } else if (constraint.topology.valid()) {
    around.topology = constraint.topology;
    around.topology_at = request.topology.topology;
  }
  if (layers.empty()) return;
  subgroup.segments = segments_.link(layers, around, name, gang.errors);
  subgroup.topology.topology = around.topology;
}

void SubgroupLinker::link_levels(PlacedConstraint wanted, TopologyAround& around,
                                 Subgroup& subgroup, Gang& gang) {
  TopologyConstraint& constraint = wanted.constraint;
  if (constraint.topology.valid()) {
    around.topology = constraint.topology;
    around.topology_at = wanted.topology;
  } else {
    constraint.topology = around.topology;
    wanted.topology = around.topology_at;
  }
  size_t before = gang.errors.size();
  ResolvedLevels levels = topologies_.check(wanted, gang.errors);
  topologies_.check_order(wanted, levels, around, gang.errors);
  for (size_t i = before; i < gang.errors.size(); ++i) {
    gang.errors[i].subgroup = fields_.vocabulary().strings.view(subgroup.name);
  }
  if (constraint.asks_level()) subgroup.topology = constraint;
  if (levels.required < 0) return;
  around.of = constraint.topology;
  around.required = levels.required;
  around.required_word = constraint.required;
}

void SubgroupLinker::check_pods(std::span<PodRecord* const> pods, Gang& gang) {
  if (gang.subgroups.empty()) {
    for (PodRecord* pod : pods) pod->object.pod.subgroup = StrId();
    return;
  }
  const StringTable& strings = fields_.vocabulary().strings;
  absl::flat_hash_map<uint32_t, bool> leaves;  // by name; false: an inner subgroup
  for (const Subgroup& subgroup : gang.subgroups) leaves[subgroup.name.value] = true;
  for (const Subgroup& subgroup : gang.subgroups) {
    if (subgroup.parent < 0) continue;
    leaves[gang.subgroups[static_cast<size_t>(subgroup.parent)].name.value] = false;
  }
  std::vector<std::string_view> words;
  for (const Subgroup& subgroup : gang.subgroups) {
    if (leaves[subgroup.name.value]) words.push_back(strings.view(subgroup.name));
  }
  absl::flat_hash_set<uint32_t> reported;
  for (const PodRecord* pod : pods) {
    StrId name = pod->object.pod.subgroup;
    auto found = leaves.find(name.value);
    bool leaf = name.valid() && found != leaves.end() && found->second;
    if (leaf || has_finished(pod->object.pod.status) || !reported.insert(name.value).second)
      continue;
    std::string_view word = name.valid() ? strings.view(name) : "";
    Finding finding{name.valid() ? in_quotes(word) : "no label kai.scheduler/subgroup-name",
                    "the name of a leaf of the subgroups of " + gang.name, ""};
    if (found != leaves.end()) {
      finding.found += ", which has subgroups below it";
    } else {
      finding.nearest = fields_.report().nearest(word, words);
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
