// The parts of a PodGroup, and the topology constraint that it and each of them may have.
#pragma once

#include <cstdint>
#include <memory>

#include "server/manifest/field_reader.h"
#include "server/manifest/records.h"

namespace trellis {

// {topology, requiredTopologyLevel, preferredTopologyLevel}; null when it asks for nothing.
std::shared_ptr<const PlacedConstraint> decode_constraint(Value constraint, FieldReader& fields);

// Checks spec.subGroups: names once each, parents that exist, no circle of them. Returns how many
// pods the minima ask for together; that of a subgroup with others below it is not its own.
int64_t check_subgroups(Value spec, FieldReader& fields);

}  // namespace trellis
