#include "server/grouping/zone_groups.h"

#include <absl/container/flat_hash_map.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "server/objects/decoders.h"

namespace trellis {
namespace {

class ZoneGroups {
 public:
  ZoneGroups(const TopologyLinker& topologies, FieldReader& fields, Gang& gang)
      : topologies_(topologies), fields_(fields), gang_(gang) {}

  void run(std::span<PodRecord* const> pods) {
    std::string name(fields_.vocabulary().strings.view(gang_.name_space));
    name += "/" + gang_.name;
    bool whole = ask_hostname(gang_.topology);
    StrId of_gang = whole ? fields_.intern(name) : StrId();
    std::vector<StrId> groups;  // by subgroup
    for (Subgroup& subgroup : gang_.subgroups) {
      StrId group = subgroup.parent < 0 ? of_gang : groups[static_cast<size_t>(subgroup.parent)];
      bool own = ask_hostname(subgroup.topology);
      if (own && !group.valid()) {
        group = fields_.intern(name + "/" +
                               std::string(fields_.vocabulary().strings.view(subgroup.name)));
      }
      groups.push_back(group);
      if (group.valid()) of_subgroup_[subgroup.name.value] = group;
    }
    for (PodRecord* pod : pods) {
      auto found = of_subgroup_.find(pod->object.pod.subgroup.value);
      name_group(found == of_subgroup_.end() ? of_gang : found->second, pod->object.spec);
    }
  }

 private:
  // Returns whether a zone was required.
  bool ask_hostname(TopologyConstraint& constraint) const {
    StrId hostname = topologies_.hostname_of(constraint.topology);
    if (!hostname.valid()) return false;
    bool required = topologies_.is_zone(constraint.topology, constraint.required);
    if (required) constraint.required = hostname;
    if (topologies_.is_zone(constraint.topology, constraint.preferred))
      constraint.preferred = hostname;
    return required;
  }

  static void name_group(StrId group, SharedSpec& shared) {
    if (!group.valid() || !shared->demand) return;
    PodSpec& spec = shared.edit();
    spec.demand = in_group(group, *spec.demand);
    if (!spec.replacement) return;
    ReplacementDemand replacement = *spec.replacement;
    replacement.demand = in_group(group, *replacement.demand);
    spec.replacement = SharedValue(std::move(replacement));
  }

  static SharedValue<PodDemand> in_group(StrId group, PodDemand demand) {
    demand.zone_group = group;
    return SharedValue(std::move(demand));
  }

  const TopologyLinker& topologies_;
  FieldReader& fields_;
  Gang& gang_;
  absl::flat_hash_map<uint32_t, StrId> of_subgroup_;  // by name
};

}  // namespace

void link_zone_groups(const TopologyLinker& topologies, FieldReader& fields,
                      std::span<PodRecord* const> pods, Gang& gang) {
  if (topologies.some_have_zones()) ZoneGroups(topologies, fields, gang).run(pods);
}

void drop_zone_level(Topology& topology, const StringTable& strings) {
  if (topology.levels.empty()) return;
  if (strings.view(topology.levels.back().label) == kNumaZoneLevel) topology.levels.pop_back();
}

}  // namespace trellis
