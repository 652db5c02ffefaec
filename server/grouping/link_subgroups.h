// The subgroups of a gang: what they ask of topologies, and which pods are in them.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <span>
#include <vector>

#include "framework/gang.h"
#include "server/document/field_reader.h"
#include "server/grouping/link_segments.h"
#include "server/grouping/link_topology.h"
#include "server/objects/records.h"

namespace trellis {

// What is said of a leaf beside its spec: by the templates of its pods, then by these.
using LeafKeys = absl::flat_hash_map<uint32_t, std::vector<const GangKeys*>>;  // by its name

class SubgroupLinker {
 public:
  SubgroupLinker(FieldReader& fields, TopologyLinker& topologies, SegmentLinker& segments)
      : fields_(fields), topologies_(topologies), segments_(segments) {}

  // Sets gang.subgroups and gang.min_subgroup from what `group` declares. A subgroup that names no
  // topology asks of that of the nearest around it; `around` is what the gang itself asks for, and
  // `structure` the segments of leaves that speak of none. What is wrong is reported and appended
  // to gang.errors.
  void link(const PodGroupRecord& group, const TopologyAround& around,
            const StructureKeys& structure, const LeafKeys& leaf_keys, Gang& gang);

  // Pods name leaves of the gang. In a gang without subgroups what they name means nothing, and is
  // taken from them.
  void check_pods(std::span<PodRecord* const> pods, Gang& gang);

 private:
  void link_inner(const SubgroupRecord& record, TopologyAround& around, Subgroup& subgroup,
                  Gang& gang);
  void link_leaf(const SubgroupRecord& record, const StructureKeys& structure,
                 const LeafKeys& leaf_keys, TopologyAround& around, Subgroup& subgroup, Gang& gang);
  void link_levels(PlacedConstraint wanted, TopologyAround& around, Subgroup& subgroup, Gang& gang);

  FieldReader& fields_;
  TopologyLinker& topologies_;
  SegmentLinker& segments_;
};

}  // namespace trellis
