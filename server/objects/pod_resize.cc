#include "server/objects/pod_resize.h"

namespace trellis {
namespace {

bool is_infeasible(Value status) {
  for (Value condition : status["conditions"].items()) {
    if (condition["type"].text() != "PodResizePending") continue;
    return condition["reason"].text() == "Infeasible";
  }
  return false;
}

}  // namespace

PodResize::PodResize(Value spec, Value status) {
  if (spec["nodeName"].text().empty() || !status.is(ValueKind::Object)) return;
  status_ = status;
  infeasible_ = is_infeasible(status);
  for (std::string_view key : {"containerStatuses", "initContainerStatuses"}) {
    for (Value container : status[key].items()) {
      bool says = !container["allocatedResources"].absent() || !container["resources"].absent();
      if (says) containers_.emplace(container["name"].text(), container);
    }
  }
  bool of_pod = !status["allocatedResources"].absent() || !status["resources"].absent();
  counts_ = infeasible_ || of_pod || !containers_.empty();
}

PodResize::Amounts PodResize::of_container(std::string_view name) const {
  auto found = containers_.find(name);
  if (found == containers_.end()) return {};
  Amounts amounts{found->second["allocatedResources"], found->second["resources"]["requests"]};
  if (amounts.actual.absent()) amounts.actual = amounts.allocated;
  return amounts;
}

PodResize::Amounts PodResize::of_pod() const {
  return {status_["allocatedResources"], status_["resources"]["requests"]};
}

}  // namespace trellis
