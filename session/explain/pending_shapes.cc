#include "session/explain/pending_shapes.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace trellis {

int64_t pods_of(const PendingShape& shape) {
  int64_t pods = 0;
  for (const AskedRow& row : shape.rows) pods += row.pods;
  return pods;
}

std::vector<PendingShape> pending_shapes(const Session& session) {
  using Key =
      std::pair<std::tuple<StrId, StrId, StrId>, std::vector<std::pair<PodClassId, int64_t>>>;
  std::map<Key, size_t> known;
  std::vector<PendingShape> shapes;
  for (GangId gang : session.cluster().gangs_by_name()) {
    if (session.snapshot().gang_counts()[gang].waiting == 0) continue;
    DemandPart part = whole_gang(session, gang);
    Key key;
    key.first = {part.topology.topology, part.topology.required, part.topology.preferred};
    for (const AskedRow& row : part.rows) key.second.emplace_back(row.pod_class, row.pods);
    std::sort(key.second.begin(), key.second.end());
    auto [at, is_new] = known.try_emplace(std::move(key), shapes.size());
    if (is_new) shapes.push_back({gang, 0, std::move(part.rows), part.topology});
    ++shapes[at->second].gangs;
  }
  return shapes;
}

}  // namespace trellis
