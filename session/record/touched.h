// The ids whose outcomes a record may have changed: all ids if everything is touched.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "framework/ids.h"
#include "framework/indexed_vector.h"
#include "framework/sort_unique.h"
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

// The ids that records touched since the last take(), for a reader that does not read each record.
//
// Cost: add() O(what is touched), and nothing before the first take(); take() O(n log n) of what it
// returns. Memory: a byte for each pod, gang and node, and what was touched.
class TouchedSince {
 public:
  // REQUIRES: called for each record in turn.
  void add(const CycleRecord& record) {
    everything_ = everything_ || record.touched.everything;
    if (everything_) return;
    pods_.add(record.touched.pods, record.pods.size());
    gangs_.add(record.touched.gangs, record.gangs.size());
    nodes_.add(record.touched.nodes, record.nodes.size());
  }

  // The first call returns everything.
  Touched take() {
    Touched touched{.everything = std::exchange(everything_, false),
                    .pods = pods_.take(),
                    .gangs = gangs_.take(),
                    .nodes = nodes_.take()};
    if (touched.everything) touched = Touched();
    return touched;
  }

 private:
  template <class Id>
  class Ids {
   public:
    void add(const std::vector<Id>& more, size_t size) {
      marks_.resize(std::max(size, marks_.size()));
      for (Id id : more) {
        if (std::exchange(marks_[id], uint8_t{1}) == 0) ids_.push_back(id);
      }
    }
    // Sorted.
    std::vector<Id> take() {
      for (Id id : ids_) marks_[id] = 0;
      std::vector<Id> taken = std::exchange(ids_, {});
      sort_unique(taken);
      return taken;
    }

   private:
    std::vector<Id> ids_;
    IndexedVector<Id, uint8_t> marks_;
  };

  bool everything_ = true;
  Ids<PodId> pods_;
  Ids<GangId> gangs_;
  Ids<NodeId> nodes_;
};

}  // namespace trellis
