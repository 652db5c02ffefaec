#include "framework/pod.h"

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

}  // namespace trellis
