// The subgroups of a gang: their topology constraints, and the pods in them.
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

// The keys for a leaf besides its spec: those of the templates of its pods, then those of the pods.
using LeafKeys = absl::flat_hash_map<uint32_t, std::vector<const GangKeys*>>;  // by its name

class SubgroupLinker {
 public:
  SubgroupLinker(FieldReader& fields, TopologyLinker& topologies, SegmentLinker& segments)
      : fields_(fields), topologies_(topologies), segments_(segments) {}

  // Sets gang.subgroups and gang.min_subgroup from what `group` declares. A subgroup that names no
  // topology uses that of the nearest part around it; `around` is the gang's own constraint, and
  // `structure` has the segments of leaves that specify none. What is wrong is reported and
  // appended to gang.errors.
  void link(const PodGroupRecord& group, const TopologyAround& around,
            const StructureKeys& structure, const LeafKeys& leaf_keys, Gang& gang);

  // Checks that pods name leaves of the gang. In a gang without subgroups these names mean nothing,
  // and are removed from the pods.
  void check_pods(std::span<PodRecord* const> pods, Gang& gang);

 private:
  void imply_topology(PlacedConstraint& wanted, const TopologyAround& around);
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
