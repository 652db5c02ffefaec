#include "server/kube/bind/suspended_pods.h"

#include <optional>
#include <vector>

#include "server/kube/watch/owner_reference.h"
#include "server/objects/owner_kinds.h"

namespace trellis {

std::set<PodId> pods_of_leaving_workloads(const CycleRecord& record, const Cluster& cluster) {
  std::set<PodId> leaving;
  for (const WorkloadDecision& decision : record.workload_decisions) {
    if (decision.kind != WorkloadDecision::Kind::Evict) continue;
    std::vector<PodId> pods = cluster.workloads().pods_of(decision.workload);
    leaving.insert(pods.begin(), pods.end());
  }
  return leaving;
}

bool leaves_by_suspension(const LiveObjects& objects, std::string_view name_space,
                          std::string_view pod) {
  std::optional<LiveObject> object = objects.find("", "Pod", name_space, pod);
  if (!object) return false;
  Json owner = owner_reference(parse_object(*object->text));
  if (!owner.is_object()) return false;
  const OwnerKind* kind =
      find_owner_kind(group_of(text_at(owner, "apiVersion")), text_at(owner, "kind"));
  return kind != nullptr && kind->suspend != SuspendAt::Nowhere;
}

}  // namespace trellis
