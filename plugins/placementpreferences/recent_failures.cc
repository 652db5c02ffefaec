#include "plugins/placementpreferences/recent_failures.h"

#include <algorithm>

namespace trellis {

std::span<const FailingNode> RecentFailures::of(const View& view, StrId service, TimeUs now) {
  if (!known_ || now != now_) count(view, now);
  auto range = std::ranges::equal_range(failing_, service, {}, &FailingNode::service);
  return {range.begin(), range.end()};
}

void RecentFailures::count(const View& view, TimeUs now) {
  known_ = true;
  now_ = now;
  failing_.clear();
  for (PodId pod : *view.failed_pods) {
    const PodSlot& slot = (*view.pods)[pod];
    StrId service = (*view.pod_classes)[slot.pod_class].placement.service;
    bool recent = slot.pod.finished <= now && slot.pod.finished >= now - kFailureWindowUs;
    if (service.valid() && slot.node.valid() && recent) failing_.push_back({service, slot.node, 1});
  }
  std::ranges::sort(failing_);
  size_t kept = 0;
  for (size_t i = 0; i < failing_.size();) {
    size_t end = i;
    auto same = [&](const FailingNode& a, const FailingNode& b) {
      return a.service == b.service && a.node == b.node;
    };
    while (end < failing_.size() && same(failing_[end], failing_[i])) ++end;
    FailingNode sum = failing_[i];
    sum.failures = static_cast<int32_t>(end - i);
    if (sum.failures >= kFailuresThatCount) failing_[kept++] = sum;
    i = end;
  }
  failing_.resize(kept);
}

}  // namespace trellis
