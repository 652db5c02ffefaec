// The inner structure of a gang: its topology constraint, subgroups, segments and balance.
#pragma once

#include <cstdint>
#include <span>

#include "framework/gang.h"
#include "server/document/field_reader.h"
#include "server/grouping/gang_request.h"
#include "server/grouping/link_segments.h"
#include "server/grouping/link_subgroups.h"
#include "server/grouping/link_topology.h"
#include "server/grouping/owners.h"
#include "server/objects/records.h"

namespace trellis {

class StructureLinker {
 public:
  // `records` must not change while this is in use, except for the pods' subgroups.
  StructureLinker(const Records& records, Owners& owners, FieldReader& fields)
      : fields_(fields),
        owners_(owners),
        topologies_(records.topologies, fields.vocabulary(), fields.report()),
        segments_(fields, topologies_),
        subgroups_(fields, topologies_, segments_) {}

  // Sets what `request` contains; in a gang with subgroups, segments are those of its leaves.
  // `group` may be null; `group_size`: the size of segments where a level has none, 0: no size.
  // What cannot be understood is reported and appended to gang.errors.
  void link(const PodGroupRecord* group, std::span<PodRecord* const> pods, int64_t group_size,
            StructureRequest& request, Gang& gang);

 private:
  LeafKeys collect_leaves(std::span<PodRecord* const> pods);
  void set_balanced(const PlacedWord& word, Gang& gang);

  FieldReader& fields_;
  Owners& owners_;
  TopologyLinker topologies_;
  SegmentLinker segments_;
  SubgroupLinker subgroups_;
};

}  // namespace trellis
