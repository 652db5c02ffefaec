#include "framework/pod.h"

#include <utility>

namespace trellis {

std::string_view to_string(PodStatus status) {
  switch (status) {
    case PodStatus::Pending:
      return "Pending";
    case PodStatus::Bound:
      return "Bound";
    case PodStatus::Pipelined:
      return "Pipelined";
    case PodStatus::Running:
      return "Running";
    case PodStatus::Evicted:
      return "Evicted";
    case PodStatus::Releasing:
      return "Releasing";
    case PodStatus::Succeeded:
      return "Succeeded";
    case PodStatus::Failed:
      return "Failed";
  }
  return "";
}

bool is_of_daemon_set(const Pod& pod) {
  return pod.daemon_set.valid() && pod.daemon_set != StringTable::kEmpty;
}

void forget_demand(PodSpec& spec) {
  spec.demand.reset();
  if (!spec.replacement) return;
  ReplacementDemand replacement{spec.replacement->requests, {}};
  spec.replacement.reset();
  if (replacement.requests != spec.requests) {
    spec.replacement = SharedValue(std::move(replacement));
  }
}

void become_replacement(PodSpec& spec) {
  if (!spec.replacement) return;
  SharedValue<ReplacementDemand> replacement = std::exchange(spec.replacement, {});
  spec.requests = replacement->requests;
  spec.demand = replacement->demand;
}

}  // namespace trellis
