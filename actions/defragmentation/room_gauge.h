// What the free GPUs are worth, once the leaving pods have left: how large a gang fits at each
// level, and how much of the free GPUs is of use.
//
// Words: the *worth* of the room is a sum in thousandths of GPUs: for each level of each topology
// the largest gang of equal pods that one domain takes, and once the free GPUs that a pod can use,
// in the mean over the pods of the mix (session/explain/gpu_report.h).
// Pods with claims for devices that several nodes reach are left out of the mix: counts leave out
// what pods elsewhere were promised of these, so that a move would seem to make room.
// Guarantees: the worth is exact for the snapshot as it is, rollbacks included; a placement never
// raises it, an eviction never lowers it (pods with terms about each other aside).
// Cost: the first reading O((nodes + domains) x kinds); later ones O(nodes that changed x kinds x
// levels).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "actions/defragmentation/largest_of.h"
#include "framework/ids.h"
#include "framework/indexed_vector.h"
#include "session/cycle/session.h"
#include "session/explain/gpu_mix.h"

namespace trellis {

// The largest gang that fits at one level.
struct LevelReading {
  TopologyId topology;
  int level = 0;
  DomainId domain;        // that takes it; the first
  int64_t gpu_milli = 0;  // 0: none fits
};

struct RoomReading {
  std::vector<LevelReading> levels;  // by topology name, then level
  int64_t free_milli = 0;            // on open nodes
  int64_t usable_milli = 0;          // of them, by a pod of the mix in the mean
  double fragmentation() const {
    return free_milli > 0 ? 1 - static_cast<double>(usable_milli) / static_cast<double>(free_milli)
                          : 0;
  }
};

class RoomGauge {
 public:
  explicit RoomGauge(Session& session);

  // Worth times pods(): whole numbers, so that equal rooms have equal worth.
  int64_t worth();
  // The pods of the mix; 0: nothing is worth anything.
  int64_t pods() const { return pods_; }
  RoomReading read();

  size_t level_count() const { return levels_.size(); }
  TopologyId topology_of(size_t level) const { return levels_[level].topology; }
  int depth_of(size_t level) const { return levels_[level].level; }
  // The first domain of the level with the largest gang. REQUIRES: worth() was called since the
  // last change.
  DomainId best_domain(size_t level) const;

 private:
  // Kinds whose pods have equal classes.
  struct Kind {
    std::vector<PodClassId> classes;
    ResourceId resource;
    int64_t gpu_milli = 0;
    int64_t pods = 0;
  };
  struct Level {
    TopologyId topology;
    int level = 0;
    uint32_t first = 0;  // domain of the level
    LargestOf largest;
  };

  void add(const GpuKind& kind);
  void follow();
  void weigh_nodes(const std::vector<NodeId>& nodes);
  void weigh_domains(Level& level, const std::vector<NodeId>& nodes, bool all);
  std::vector<int64_t> value_of(const Level& level, const std::vector<DomainId>& domains);

  Session& session_;
  std::vector<Kind> kinds_;
  std::vector<Level> levels_;
  int64_t pods_ = 0;
  bool known_ = false;
  uint64_t read_to_ = 0;                   // position in the change log
  IndexedVector<NodeId, int64_t> usable_;  // times pods
  IndexedVector<NodeId, int64_t> free_;
  int64_t all_usable_ = 0;
  int64_t all_free_ = 0;
};

}  // namespace trellis
