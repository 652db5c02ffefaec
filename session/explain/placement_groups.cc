#include "session/explain/placement_groups.h"

#include "session/placement/pod_rows.h"

namespace trellis {

std::vector<PlacementGroups> placement_groups(Session& session, std::span<const AskedRow> rows,
                                              FitMode mode) {
  std::vector<PlacementGroups> made;
  PodDivider* divider = session.hooks().pod_divider;
  if (divider == nullptr) return made;
  for (const AskedRow& row : rows) {
    if (!divider->divides(row.pod_class)) continue;
    DivisionQuery query{
        .pod_class = row.pod_class, .mode = mode, .pods = row.pods, .now = session.now()};
    made.push_back({row.pod_class, row.pods, divider->explain(query)});
  }
  return made;
}

std::vector<PlacementGroups> placement_groups(Session& session, GangId gang) {
  std::vector<AskedRow> rows;
  for (const RowPods& row : group_rows(session.snapshot(), session.waiting_pods(gang))) {
    rows.push_back({row.pod_class, static_cast<int64_t>(row.pods.size()), {}});
  }
  if (rows.empty()) {
    std::vector<PodId> pods = session.ranked_pods(gang);
    if (!pods.empty()) rows.push_back({session.snapshot().key(pods.front()).pod_class, 0, {}});
  }
  return placement_groups(session, rows, FitMode::Now);
}

}  // namespace trellis
