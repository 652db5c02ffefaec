#include "framework/gang_minimum.h"

#include <algorithm>

namespace trellis {
namespace {

// How many children have their minimum, by subgroup; the gang's own count is last.
std::vector<int32_t> count_children(const Gang& gang, const std::vector<bool>& met) {
  std::vector<int32_t> children(gang.subgroups.size() + 1, 0);
  for (size_t i = 0; i < gang.subgroups.size(); ++i) {
    int32_t parent = gang.subgroups[i].parent;
    if (met[i]) ++children[parent < 0 ? gang.subgroups.size() : static_cast<size_t>(parent)];
  }
  return children;
}

}  // namespace

bool is_leaf(const Gang& gang, int32_t subgroup) {
  return std::none_of(gang.subgroups.begin(), gang.subgroups.end(),
                      [&](const Subgroup& other) { return other.parent == subgroup; });
}

int32_t children_needed(const Gang& gang, int32_t subgroup) {
  int32_t children = 0;
  for (const Subgroup& other : gang.subgroups) children += other.parent == subgroup ? 1 : 0;
  int32_t wanted =
      subgroup < 0 ? gang.min_subgroup : gang.subgroups[static_cast<size_t>(subgroup)].min_subgroup;
  return wanted == Subgroup::kAll ? children : wanted;
}

std::vector<bool> subgroups_with_minimum(const Gang& gang, std::span<const GangCounts> counts) {
  size_t size = gang.subgroups.size();
  std::vector<int32_t> children(size, 0);
  std::vector<int32_t> children_met(size, 0);
  std::vector<bool> met(size, false);
  // Children come after their parents.
  for (size_t i = size; i-- > 0;) {
    const Subgroup& subgroup = gang.subgroups[i];
    if (children[i] == 0) {
      met[i] = counts[i].placed >= subgroup.min_member;
    } else {
      int32_t wanted = subgroup.min_subgroup;
      met[i] = children_met[i] >= (wanted == Subgroup::kAll ? children[i] : wanted);
    }
    if (subgroup.parent < 0) continue;
    ++children[static_cast<size_t>(subgroup.parent)];
    if (met[i]) ++children_met[static_cast<size_t>(subgroup.parent)];
  }
  return met;
}

bool leaves_are_whole(const Gang& gang, std::span<const GangCounts> counts) {
  std::vector<bool> met = subgroups_with_minimum(gang, counts);
  for (size_t i = 0; i < met.size(); ++i) {
    bool has_pods = is_leaf(gang, static_cast<int32_t>(i)) && counts[i].placed > 0;
    if (has_pods && !met[i]) return false;
  }
  return true;
}

bool has_grown_less(const Subgroup& a, int64_t placed_a, const Subgroup& b, int64_t placed_b) {
  int64_t least_a = std::max(a.min_member, 1);
  int64_t least_b = std::max(b.min_member, 1);
  return placed_a * least_b < placed_b * least_a;
}

bool has_minimum(const Gang& gang, const GangCounts& all, std::span<const GangCounts> subgroups) {
  if (all.placed < gang.min_member) return false;
  if (gang.subgroups.empty()) return true;
  std::vector<bool> met = subgroups_with_minimum(gang, subgroups);
  return count_children(gang, met).back() >= children_needed(gang, -1);
}

}  // namespace trellis
