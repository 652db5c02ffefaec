#include "framework/quota_rules.h"

namespace trellis {

std::string_view to_string(PreemptionCause cause) {
  switch (cause) {
    case PreemptionCause::InClusterQueue:
      return "InClusterQueue";
    case PreemptionCause::InCohortReclamation:
      return "InCohortReclamation";
    case PreemptionCause::InCohortFairSharing:
      return "InCohortFairSharing";
    case PreemptionCause::InCohortReclaimWhileBorrowing:
      return "InCohortReclaimWhileBorrowing";
  }
  return "";
}

}  // namespace trellis
