#include "plugins/placementpreferences/division_plan.h"

#include <algorithm>

namespace trellis {

void DivisionPlan::placed(NodeId node) {
  change(node, 1);
  change(planned(++placed_), -1);
}

void DivisionPlan::removed(NodeId node) {
  change(node, -1);
  change(planned(placed_--), 1);
}

bool DivisionPlan::answers(const DivisionQuery& query) const {
  return pod_class_ == query.pod_class && mode_ == query.mode && astray_.empty() &&
         placed_ + query.pods <= pods_ && std::ranges::equal(among_, query.nodes);
}

std::span<const NodeId> DivisionPlan::next(int64_t pods) const {
  size_t first = std::min(sequence_.size(), static_cast<size_t>(placed_));
  size_t count = std::min(sequence_.size() - first, static_cast<size_t>(pods));
  return std::span(sequence_).subspan(first, count);
}

void DivisionPlan::change(NodeId node, int32_t pods) {
  if (!node.valid()) return;
  int32_t& astray = astray_[node.value];
  astray += pods;
  if (astray == 0) astray_.erase(node.value);
}

NodeId DivisionPlan::planned(int64_t pods) const {
  bool within = pods >= 1 && pods <= static_cast<int64_t>(sequence_.size());
  return within ? sequence_[static_cast<size_t>(pods - 1)] : NodeId();
}

}  // namespace trellis
