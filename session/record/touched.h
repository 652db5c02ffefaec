// The ids whose outcomes a record may have changed: all ids if everything is touched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "session/record/record.h"

namespace trellis {

template <class Id>
std::vector<Id> all_ids(size_t count) {
  std::vector<Id> ids;
  ids.reserve(count);
  for (uint32_t i = 0; i < count; ++i) ids.emplace_back(i);
  return ids;
}

// `touched` since an earlier record.
inline std::vector<PodId> touched_pods(const CycleRecord& record, const Touched& touched) {
  return touched.everything ? all_ids<PodId>(record.pods.size()) : touched.pods;
}

inline std::vector<GangId> touched_gangs(const CycleRecord& record, const Touched& touched) {
  return touched.everything ? all_ids<GangId>(record.gangs.size()) : touched.gangs;
}

inline std::vector<PodId> touched_pods(const CycleRecord& record) {
  return touched_pods(record, record.touched);
}

inline std::vector<GangId> touched_gangs(const CycleRecord& record) {
  return touched_gangs(record, record.touched);
}

inline std::vector<NodeId> touched_nodes(const CycleRecord& record, const Touched& touched) {
  return touched.everything ? all_ids<NodeId>(record.nodes.size()) : touched.nodes;
}

}  // namespace trellis
