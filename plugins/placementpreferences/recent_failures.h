// Nodes where pods of a service failed too often lately.
//
// Cost: O(pods that failed) when the time or the pods are other ones than before.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "framework/ids.h"
#include "framework/time.h"
#include "framework/view.h"

namespace trellis {

// As SwarmKit's: so many failures within so long put a node last.
inline constexpr int32_t kFailuresThatCount = 5;
inline constexpr TimeUs kFailureWindowUs = 300 * kSecondUs;

struct FailingNode {
  StrId service;
  NodeId node;
  int32_t failures = 0;
  auto operator<=>(const FailingNode&) const = default;
};

class RecentFailures {
 public:
  // Looks again. Call it when a session opens.
  void restart() { known_ = false; }
  // Those of the service that count, by node.
  std::span<const FailingNode> of(const View& view, StrId service, TimeUs now);

 private:
  void count(const View& view, TimeUs now);

  bool known_ = false;
  TimeUs now_ = 0;
  std::vector<FailingNode> failing_;  // by service, then node
};

}  // namespace trellis
