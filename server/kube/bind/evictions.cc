#include "server/kube/bind/evictions.h"

#include <vector>

#include "framework/moved_gpus.h"
#include "server/kube/watch/owner_reference.h"
#include "server/objects/owner_kinds.h"
#include "server/wording/names_text.h"

namespace trellis {

bool is_of_stale_gang(std::string_view action) { return action == "stalegangeviction"; }

std::string eviction_note(const Cluster& cluster, const Decision& eviction) {
  if (is_of_stale_gang(eviction.action)) {
    return "Evicted, as its gang " + full_name(cluster, cluster.pods()[eviction.pod].gang) +
           " ran below its minimum for too long";
  }
  if (eviction.action == kDefragmentation) {
    return "Evicted by defragmentation: its gang " +
           full_name(cluster, cluster.pods()[eviction.pod].gang) + " moves to another place";
  }
  std::string note = "Evicted by " + std::string(eviction.action);
  if (eviction.by_workload.valid()) {
    return note + " to make room for workload " + full_name(cluster, eviction.by_workload);
  }
  if (eviction.by.valid()) note += " to make room for gang " + full_name(cluster, eviction.by);
  return note;
}

std::set<PodId> pods_of_leaving_workloads(const CycleRecord& record, const Cluster& cluster) {
  std::set<PodId> leaving;
  for (const WorkloadDecision& decision : record.workload_decisions) {
    if (!evicts(decision)) continue;
    std::vector<PodId> pods = cluster.workloads().pods_of(decision.workload);
    leaving.insert(pods.begin(), pods.end());
  }
  return leaving;
}

std::optional<PodWrite> unfinished_eviction(const LiveObjects& objects, const Pod& pod,
                                            const StringTable& strings) {
  if (pod.status != PodStatus::Releasing || !pod.workload.valid()) return std::nullopt;
  std::optional<LiveObject> object =
      objects.find("", "Pod", strings.view(pod.name_space), pod.name);
  if (!object) return std::nullopt;
  Json written = parse_object(object->text);
  if (!written.is_object()) return std::nullopt;
  const Json& metadata = object_at(written, "metadata");
  bool same = text_at(metadata, "uid") == pod.uid;
  if (!same || metadata.contains("deletionTimestamp")) return std::nullopt;
  PodWrite order;
  order.kind = PodWrite::Kind::Evict;
  order.name_space = strings.view(pod.name_space);
  order.name = pod.name;
  order.uid = pod.uid;
  order.decided = pod.leaving_since;
  if (pod.gang.valid()) order.gang = strings.view(pod.gang);
  order.cause = "Evicted with its workload " + std::string(strings.view(pod.workload));
  order.grace_ms = kSuspensionMs;
  return order;
}

bool leaves_by_suspension(const LiveObjects& objects, std::string_view name_space,
                          std::string_view pod) {
  std::optional<LiveObject> object = objects.find("", "Pod", name_space, pod);
  if (!object) return false;
  Json owner = owner_reference(parse_object(object->text));
  if (!owner.is_object()) return false;
  const OwnerKind* kind =
      find_owner_kind(group_of(text_at(owner, "apiVersion")), text_at(owner, "kind"));
  return kind != nullptr && kind->suspend != SuspendAt::Nowhere;
}

}  // namespace trellis
