// The subgroups of a PodGroup, and the topology constraint of a PodGroup or of a subgroup.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "framework/shared_value.h"
#include "server/document/field_reader.h"
#include "server/objects/records.h"

namespace trellis {

// {topology, requiredTopologyLevel, preferredTopologyLevel}; null when all of them are absent.
SharedValue<PlacedConstraint> decode_constraint(Value constraint, FieldReader& fields);

// spec.subGroups as they are declared.
struct DeclaredSubgroup {
  SubgroupRecord record;
  std::string_view name;
  std::string_view parent_name;
  Value at;
};

// Reports errors in each subgroup by itself, and names that are used twice. Each returned subgroup
// has a name of its own. Empty when there are more subgroups than a gang may have.
std::vector<DeclaredSubgroup> decode_subgroups(Value spec, FieldReader& fields);

// `minSubGroup` or `minSubGroups`, of the gang or of a subgroup.
int32_t decode_min_subgroup(Value holder, FieldReader& fields);

// Moves the declared subgroups into record.subgroups: parents first, otherwise in the declared
// order. An unknown parent or a circle is reported and added to record.errors; the subgroup is then
// at the top. Too many subgroups, or too many levels of them, are reported and added to
// record.errors; the gang then has no subgroups.
void arrange_subgroups(std::vector<DeclaredSubgroup> declared, Value spec, PodGroupRecord& record,
                       FieldReader& fields);

// The number of pods in the smallest set that reaches every minimum.
int32_t needed_pods(const PodGroupRecord& record);

}  // namespace trellis
