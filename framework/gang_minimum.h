// Whether a gang and its subgroups have their minimum (rules: framework/gang.h).
#pragma once

#include <span>
#include <vector>

#include "framework/gang.h"
#include "framework/view.h"

namespace trellis {

// By subgroup. `counts` are those of the subgroups; those of inner ones are not read.
std::vector<bool> subgroups_with_minimum(const Gang& gang, std::span<const GangCounts> counts);

// How many children must have their minimum: of an inner subgroup, of the gang with -1.
int32_t children_needed(const Gang& gang, int32_t subgroup);

// Whether any subgroup has this one as parent.
bool is_leaf(const Gang& gang, int32_t subgroup);

bool has_minimum(const Gang& gang, const GangCounts& all, std::span<const GangCounts> subgroups);

}  // namespace trellis
