#include "session/record/record.h"

#include <utility>

namespace trellis {

const PodDetails& PodOutcome::details() const {
  static const PodDetails none;
  return shared_details ? *shared_details : none;
}

void PodOutcome::set_details(PodDetails details) {
  if (details == PodDetails()) {
    shared_details.reset();
  } else {
    shared_details = SharedValue(std::move(details));
  }
}

std::string_view to_string(GangStatus status) {
  switch (status) {
    case GangStatus::Running:
      return "Running";
    case GangStatus::Scheduled:
      return "Scheduled";
    case GangStatus::Pipelined:
      return "Pipelined";
    case GangStatus::Pending:
      return "Pending";
    case GangStatus::Evicted:
      return "Evicted";
    case GangStatus::Finished:
      return "Finished";
    case GangStatus::Releasing:
      return "Releasing";
  }
  return "";
}

std::string_view to_string(WorkloadStatus status) {
  switch (status) {
    case WorkloadStatus::Pending:
      return "Pending";
    case WorkloadStatus::Reserved:
      return "QuotaReserved";
    case WorkloadStatus::Admitted:
      return "Admitted";
    case WorkloadStatus::Evicted:
      return "Evicted";
    case WorkloadStatus::Finished:
      return "Finished";
  }
  return "";
}

}  // namespace trellis
