#include "session/explain/placement_groups.h"

#include "session/placement/gang_rows.h"

namespace trellis {

std::vector<PlacementGroups> placement_groups(Session& session, GangId gang) {
  std::vector<PlacementGroups> made;
  PodDivider* divider = session.hooks().pod_divider;
  if (divider == nullptr) return made;
  for (const RowPods& row : group_rows(session.snapshot(), session.waiting_pods(gang))) {
    made.push_back({row.pod_class, static_cast<int64_t>(row.pods.size()), {}});
  }
  if (made.empty()) {
    std::vector<PodId> pods = session.ranked_pods(gang);
    if (!pods.empty()) made.push_back({session.snapshot().key(pods.front()).pod_class, 0, {}});
  }
  std::erase_if(made, [&](const PlacementGroups& one) { return !divider->divides(one.pod_class); });
  for (PlacementGroups& one : made) {
    one.groups =
        divider->explain({.pod_class = one.pod_class, .pods = one.pods, .now = session.now()});
  }
  return made;
}

}  // namespace trellis
