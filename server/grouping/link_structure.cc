#include "server/grouping/link_structure.h"

#include <absl/container/flat_hash_map.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/document/object_error.h"
#include "server/grouping/zone_groups.h"

namespace trellis {

void StructureLinker::link(const PodGroupRecord* group, std::span<PodRecord* const> pods,
                           int64_t group_size, StructureRequest& request, Gang& gang) {
  bool has_subgroups = group != nullptr && !group->subgroups.empty();
  TopologyConstraint& constraint = request.topology.constraint;
  bool asks_level = constraint.required.valid() || constraint.preferred.valid();
  std::vector<PlacedLayer> layers;
  if (!has_subgroups) {
    layers = segments_.parse(request.structure, group_size, "", gang.errors);
  }
  bool implied = !asks_level || request.topology.implied != ImpliedTopology::None;
  bool first = request.topology.implied == ImpliedTopology::First && constraint.required.valid();
  if (!constraint.topology.valid() && first) {
    constraint.topology = topologies_.any_with(constraint, StrId());
  } else if (!constraint.topology.valid() && implied) {
    std::vector<StrId> words = level_words(layers);
    for (StrId word : {constraint.required, constraint.preferred}) {
      if (word.valid()) words.push_back(word);
    }
    if (!words.empty()) constraint.topology = topologies_.implied_by(words);
  }
  gang.topology = constraint;
  ResolvedLevels levels;
  // A topology without a level is for the subgroups and segments.
  if (asks_level || (!gang.topology.empty() && layers.empty() && !has_subgroups)) {
    levels = topologies_.check(request.topology, gang.errors);
  }
  TopologyAround around{constraint.topology, request.topology.topology, levels.required,
                        constraint.required, constraint.topology};
  gang.segments = segments_.link(layers, around, "", gang.errors);
  set_balanced(request.structure.balance, gang);
  if (group != nullptr) {
    LeafKeys leaf_keys;
    if (has_subgroups) leaf_keys = collect_leaves(pods);
    subgroups_.link(*group, around, request.structure, leaf_keys, gang);
  }
  subgroups_.check_pods(pods, gang);
  link_zone_groups(topologies_, fields_, pods, gang);
}

LeafKeys StructureLinker::collect_leaves(std::span<PodRecord* const> pods) {
  LeafKeys leaves;
  absl::flat_hash_map<uint32_t, const OwnerChain*> last;
  for (const PodRecord* pod : pods) {
    const OwnerChain& chain = owners_.chain(pod->meta.owner, pod->meta.pos);
    uint32_t leaf = pod->object.pod.subgroup.value;
    if (std::exchange(last[leaf], &chain) == &chain) continue;
    std::vector<const GangKeys*>& keys = leaves[leaf];
    for (size_t i = chain.objects.size(); i-- > 0;) {
      keys.push_back(&chain.objects[i]->of_template);
    }
  }
  for (const PodRecord* pod : pods) {
    if (!pod->keys.topology && !pod->keys.structure) continue;
    leaves[pod->object.pod.subgroup.value].push_back(&pod->keys);
  }
  return leaves;
}

void StructureLinker::set_balanced(const PlacedWord& word, Gang& gang) {
  if (!word.valid()) return;
  std::string_view text = fields_.vocabulary().strings.view(word.text);
  gang.balanced = text == "true";
  if (text == "true" || text == "false") return;
  Finding finding{in_quotes(text), "\"true\" or \"false\"", ""};
  gang.errors.push_back(invalid_value(word.at.path, finding));
  fields_.report().error(word.at, std::move(finding));
}

}  // namespace trellis
