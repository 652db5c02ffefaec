// Nodes where pods of a service recently failed too often.
//
// Cost: O(failed pods) for the first query of a session and when `now` differs from the query
// before.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "framework/ids.h"
#include "framework/time.h"
#include "framework/view.h"

namespace trellis {

// As in SwarmKit: this many failures within this window put a node last.
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
  // Makes the next query count again. Call it when a session opens.
  void restart() { known_ = false; }
  // The service's nodes with failures that count, by node.
  std::span<const FailingNode> of(const View& view, StrId service, TimeUs now);

 private:
  void count(const View& view, TimeUs now);

  bool known_ = false;
  TimeUs now_ = 0;
  std::vector<FailingNode> failing_;  // by service, then node
};

}  // namespace trellis
