// Whether a gang and its subgroups have their minimum (rules: framework/gang.h).
#pragma once

#include <span>
#include <vector>

#include "framework/gang.h"
#include "framework/view.h"

namespace trellis {

// Whether each subgroup has its minimum. `counts` has one entry for each subgroup; the entries of
// inner subgroups are not read.
std::vector<bool> subgroups_with_minimum(const Gang& gang, std::span<const GangCounts> counts);

// How many children of an inner subgroup (-1: of the gang) must have their minimum; perhaps more
// than there are.
int32_t children_needed(const Gang& gang, int32_t subgroup);

// Whether any subgroup has this one as parent.
bool is_leaf(const Gang& gang, int32_t subgroup);

bool has_minimum(const Gang& gang, const GangCounts& all, std::span<const GangCounts> subgroups);

}  // namespace trellis
