#include "server/grouping/pod_workloads.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "server/objects/workload_keys.h"
#include "server/objects/workload_name.h"

namespace trellis {
namespace {

PodSet make_pod_set(StrId name, const std::vector<const PodRecord*>& pods) {
  PodSet set;
  set.name = name;
  set.spec = *pods.front()->object.spec;
  set.labels = pods.front()->object.pod.labels;
  set.count = static_cast<int32_t>(pods.size());
  set.topology = pods.front()->workload->request;
  return set;
}

// Several pods have a claim each, or one that all name: the pods themselves wait for that.
SharedValue<PodClaims> claims_of_all(const std::vector<const PodRecord*>& pods) {
  return pods.size() == 1 ? pods.front()->claims : SharedValue<PodClaims>();
}

void add_pod_sets(const std::vector<const PodRecord*>& pods, WorkloadRecord& record,
                  FieldReader& fields) {
  Workload& workload = record.workload;
  if (!pods.front()->workload->group.valid()) {
    workload.pod_sets.push_back(make_pod_set(fields.intern("main"), pods));
    record.preferences.push_back(pods.front()->keys.preferences);
    record.claims.push_back(claims_of_all(pods));
    return;
  }
  std::map<std::string, std::vector<const PodRecord*>> roles;
  for (const PodRecord* pod : pods) roles[pod->workload->role].push_back(pod);
  for (const auto& [role, members] : roles) {
    workload.pod_sets.push_back(make_pod_set(fields.intern(role), members));
    record.preferences.push_back(members.front()->keys.preferences);
    record.claims.push_back(claims_of_all(members));
  }
  auto total = static_cast<size_t>(pods.front()->workload->group_size);
  if (pods.size() >= total) return;
  workload.errors.push_back({.code = ReasonCode::NotEnoughPods,
                             .needed = static_cast<int64_t>(total),
                             .found = static_cast<int64_t>(pods.size())});
}

}  // namespace

WorkloadRecord make_pod_workload(const std::vector<const PodRecord*>& pods, FieldReader& fields) {
  const StringTable& strings = fields.vocabulary().strings;
  const PodRecord& first = *pods.front();
  const WorkloadKeys& keys = *first.workload;
  WorkloadRecord record;
  record.meta = first.meta;
  record.made = true;
  record.queue = {first.meta.pos, ""};
  record.priority = first.priority;
  record.priority_source = PrioritySource::WorkloadClasses;
  record.priority_class = {first.meta.pos, ""};
  record.pod_priority_classes = {first.priority_class};
  Workload& workload = record.workload;
  workload.name_space = first.meta.key.name_space;
  workload.queue = keys.queue;
  workload.priority_class = keys.priority_class;
  workload.created = workload.queued = first.meta.created;
  for (const PodRecord* pod : pods) {
    record.owners.push_back(pod->meta.key);
    workload.created = workload.queued = std::min(workload.created, pod->meta.created);
    if (!record.meta.error) record.meta.error = pod->meta.error;
  }
  workload.name = keys.group.valid()
                      ? std::string(strings.view(keys.group))
                      : workload_name({"", "Pod", first.object.pod.name, first.object.pod.uid});
  add_pod_sets(pods, record, fields);
  return record;
}

}  // namespace trellis
