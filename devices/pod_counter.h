// How many pods with equal claims of their own a node takes.
//
// Where every device serves the pods alike (one request, a count, whole devices without counters,
// constraints or alternatives), the number is that of the free devices; else it is found by
// allocating the claims of one pod more and more at the same time.
// Guarantees: exact, unless the answer says otherwise; then it is a lower bound.
// Cost: O(devices of the node) where devices serve alike; a node's devices are looked up once.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "devices/holdings.h"
#include "devices/inventory.h"
#include "devices/joint_search.h"

namespace trellis::devices {

struct PodCount {
  int64_t pods = 0;
  bool exact = true;
  // Why no pod fits, where it is an error of the claims.
  std::string error;
};

class PodCounter {
 public:
  // `claims`: those of one pod, not allocated. All arguments outlive the counter.
  PodCounter(const Inventory& inventory, std::vector<const Claim*> claims)
      : inventory_(inventory), claims_(std::move(claims)) {}

  // What a node has for a pod.
  struct Plan {
    // All devices that serve it, each as well as any other.
    bool alike = false;
    std::vector<DeviceIndex> devices;
    int64_t devices_of_pod = 1;
  };
  Plan make_plan(const NodeView& node) const;

  // Never more than `most`. `holdings` is as it was at the end.
  PodCount count(const NodeView& node, Holdings& holdings, int64_t most);

 private:
  const Plan& plan_for(const NodeView& node);
  PodCount count_by_search(const NodeView& node, Holdings& holdings, int64_t most) const;

  const Inventory& inventory_;
  std::vector<const Claim*> claims_;
  std::map<std::string, Plan> plans_;
};

}  // namespace trellis::devices
