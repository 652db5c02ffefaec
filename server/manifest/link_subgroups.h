// The subgroups of a gang: what they ask of topologies, and which pods are in them.
#pragma once

#include <span>
#include <string_view>

#include "framework/gang.h"
#include "server/manifest/field_reader.h"
#include "server/manifest/link_topology.h"
#include "server/manifest/records.h"

namespace trellis {

class SubgroupLinker {
 public:
  SubgroupLinker(FieldReader& fields, TopologyLinker& topologies)
      : fields_(fields), topologies_(topologies) {}

  // Sets gang.subgroups and gang.min_subgroup from what `group` declares. A subgroup that names no
  // topology asks of that of the nearest around it; `around` is the gang's own wish, with its
  // levels where they were found. What is wrong is reported and appended to gang.errors.
  void link(const PodGroupRecord& group, const PlacedConstraint& around, ResolvedLevels levels,
            Gang& gang);

  // Pods name leaves of the gang. In a gang without subgroups what they name means nothing, and is
  // taken from them.
  void check_pods(std::span<PodRecord* const> pods, Gang& gang);

 private:
  // What holds around a subgroup.
  struct Around {
    StrId topology;
    Place topology_at;
    int required = -1;  // the finest level that is required, of `of`
    StrId required_word;
    StrId of;
  };

  void link_topology(const SubgroupRecord& record, Around& around, Subgroup& subgroup, Gang& gang);
  void check_order(const PlacedConstraint& wanted, ResolvedLevels levels, const Around& around,
                   std::string_view subgroup, Gang& gang);

  FieldReader& fields_;
  TopologyLinker& topologies_;
};

}  // namespace trellis
