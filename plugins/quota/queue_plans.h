// Resolves the names of ClusterQueues: the flavors of each resource group and their cells.
//
// Cost: a queue is resolved when it is first read in a session; then O(1).
#pragma once

#include <utility>
#include <vector>

#include "framework/ids.h"
#include "framework/indexed_vector.h"
#include "framework/quota_tree.h"
#include "framework/view.h"

namespace trellis {

struct GroupPlan {
  std::vector<FlavorId> flavors;   // as the group lists them; kNone: no flavor has this name
  std::vector<QuotaCellId> cells;  // flavors x resources of the group; kNone: no quota
  std::vector<StrId> label_keys;   // of any of the flavors; sorted
};

class QueuePlans {
 public:
  void open(const View& view);
  // REQUIRES: a queue of the tree that has such a group.
  const GroupPlan& group(ClusterQueueId queue, size_t group);

 private:
  struct QueuePlan {
    uint64_t session = 0;
    std::vector<GroupPlan> groups;
  };

  void read_flavors();
  void resolve(ClusterQueueId queue, QueuePlan& plan);
  FlavorId find_flavor(StrId name) const;

  const View* view_ = nullptr;
  uint64_t session_ = 0;
  bool knows_flavors_ = false;
  std::vector<std::pair<StrId, FlavorId>> flavors_;  // sorted
  IndexedVector<ClusterQueueId, QueuePlan> plans_;
};

}  // namespace trellis
