// The parts of a PodGroup, and the topology constraint that it and each of them may have.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "server/document/field_reader.h"
#include "server/objects/records.h"

namespace trellis {

// {topology, requiredTopologyLevel, preferredTopologyLevel}; null when it asks for nothing.
std::shared_ptr<const PlacedConstraint> decode_constraint(Value constraint, FieldReader& fields);

// spec.subGroups as they are declared.
struct DeclaredSubgroup {
  SubgroupRecord record;
  std::string_view name;
  std::string_view parent_name;
  Value at;
};

// Reports what is wrong with each by itself, and names that stand twice. Each has a name of its
// own. None where there are more than a gang may have.
std::vector<DeclaredSubgroup> decode_subgroups(Value spec, FieldReader& fields);

// `minSubGroup`, or `minSubGroups`, of the gang or of a subgroup.
int32_t decode_min_subgroup(Value holder, FieldReader& fields);

// Puts them into record.subgroups: parents first, else as they are declared. An unknown parent or a
// circle is reported and kept in record.errors; the subgroup then stands at the top. Where there
// are too many, or too many inside each other, that is reported and kept, and the gang has none.
void arrange_subgroups(std::vector<DeclaredSubgroup> declared, Value spec, PodGroupRecord& record,
                       FieldReader& fields);

// How many pods are in the smallest set that has every minimum.
int32_t needed_pods(const PodGroupRecord& record);

}  // namespace trellis
