// Whether a gang and its subgroups have their minimum (rules: framework/gang.h).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "framework/gang.h"
#include "framework/view.h"

namespace trellis {

// Whether each subgroup has its minimum. `counts` has one entry for each subgroup; the entries of
// inner subgroups are not read.
std::vector<bool> subgroups_with_minimum(const Gang& gang, std::span<const GangCounts> counts);

// Whether each leaf that has pods has its minimum: pods of a smaller part that leave, or come, are
// placed by no rule. `counts`: as above.
bool leaves_are_whole(const Gang& gang, std::span<const GangCounts> counts);

// How many children of an inner subgroup (-1: of the gang) must have their minimum; perhaps more
// than there are.
int32_t children_needed(const Gang& gang, int32_t subgroup);

// Whether any subgroup has this one as parent.
bool is_leaf(const Gang& gang, int32_t subgroup);

// Whether leaf a, with so many pods placed, has fewer pods for each pod of its minimum than leaf b.
// The leaves of a gang grow and shrink so that this ratio stays even.
bool has_grown_less(const Subgroup& a, int64_t placed_a, const Subgroup& b, int64_t placed_b);

bool has_minimum(const Gang& gang, const GangCounts& all, std::span<const GangCounts> subgroups);

}  // namespace trellis
