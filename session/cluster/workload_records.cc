#include "session/cluster/workload_records.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "session/cluster/named_table.h"

namespace trellis {

void WorkloadRecords::upsert(Flavor flavor) {
  changes_.quotas = true;
  std::string name = flavor.name;
  flavors_.upsert(name, std::move(flavor));
}

void WorkloadRecords::upsert(ClusterQueue queue) {
  changes_.quotas = true;
  std::string name = queue.name;
  queues_.upsert(name, std::move(queue));
}

void WorkloadRecords::upsert(Cohort cohort) {
  changes_.quotas = true;
  std::string name = cohort.name;
  cohorts_.upsert(name, std::move(cohort));
}

void WorkloadRecords::upsert(LocalQueue queue, const StringTable& strings) {
  changes_.quotas = true;
  std::string key = full_key(strings, queue.name_space, queue.name);
  local_queues_.upsert(key, std::move(queue));
}

void WorkloadRecords::upsert(DaemonSet set, PodClassId pod_class, const StringTable& strings) {
  changes_.daemon_sets = true;
  std::string key = full_key(strings, set.name_space, set.name);
  DaemonSetId id = daemon_sets_.upsert(key, std::move(set));
  daemon_classes_.resize(daemon_sets_.size());
  daemon_classes_[id] = pod_class;
}

void WorkloadRecords::grow() {
  if (classes_.size() == workloads_.size()) return;
  classes_.resize(workloads_.size());
  pods_.resize(workloads_.size());
}

WorkloadId WorkloadRecords::upsert(Workload workload, std::vector<PodClassId> classes,
                                   const StringTable& strings) {
  std::string key = full_key(strings, workload.name_space, workload.name);
  WorkloadId id = workloads_.upsert(key, std::move(workload));
  grow();
  classes_[id] = std::move(classes);
  changes_.workloads.push_back(id);
  return id;
}

void WorkloadRecords::set_class(WorkloadId id, size_t pod_set, PodClassId pod_class) {
  if (classes_[id][pod_set] == pod_class) return;
  classes_[id][pod_set] = pod_class;
  touch(id);
}

void WorkloadRecords::set_class(DaemonSetId id, PodClassId pod_class) {
  changes_.daemon_sets = changes_.daemon_sets || daemon_classes_[id] != pod_class;
  daemon_classes_[id] = pod_class;
}

void WorkloadRecords::remove_flavor(std::string_view name) {
  changes_.quotas = flavors_.remove(name).valid() || changes_.quotas;
}

void WorkloadRecords::remove_cluster_queue(std::string_view name) {
  changes_.quotas = queues_.remove(name).valid() || changes_.quotas;
}

void WorkloadRecords::remove_cohort(std::string_view name) {
  changes_.quotas = cohorts_.remove(name).valid() || changes_.quotas;
}

void WorkloadRecords::remove_local_queue(std::string_view key) {
  changes_.quotas = local_queues_.remove(key).valid() || changes_.quotas;
}

void WorkloadRecords::remove_daemon_set(std::string_view key) {
  changes_.daemon_sets = daemon_sets_.remove(key).valid() || changes_.daemon_sets;
}

void WorkloadRecords::remove_workload(std::string_view key) {
  WorkloadId id = workloads_.find(key);
  if (!id.valid()) return;
  changes_.workloads.push_back(id);
  if (pods_[id].empty()) {
    workloads_.remove(key);
  } else {
    workloads_.upsert(key, {});  // pods still name the workload
  }
  classes_[id].clear();
}

WorkloadId WorkloadRecords::attach(PodId pod, std::string_view key) {
  WorkloadId id = workloads_.slot(key);
  grow();
  pods_[id].push_back(pod);
  touch(id);
  return id;
}

void WorkloadRecords::detach(PodId pod, std::string_view key) {
  WorkloadId id = workloads_.find(key);
  if (!id.valid()) return;
  std::vector<PodId>& pods = pods_[id];
  pods.erase(std::remove(pods.begin(), pods.end(), pod), pods.end());
  changes_.workloads.push_back(id);
  if (pods.empty() && !alive(id)) workloads_.remove(key);
}

std::vector<WorkloadId> WorkloadRecords::by_name(const StringTable& strings) const {
  std::vector<WorkloadId> ids = workloads_.live();
  sort_by_name(ids, strings);
  return ids;
}

void WorkloadRecords::sort_by_name(std::vector<WorkloadId>& ids, const StringTable& strings) const {
  auto key = [&](WorkloadId id) {
    const Workload& workload = workloads_[id];
    return std::tuple(strings.view(workload.name_space), std::string_view(workload.name));
  };
  std::sort(ids.begin(), ids.end(), [&](WorkloadId a, WorkloadId b) { return key(a) < key(b); });
}

Workload& WorkloadRecords::edit(WorkloadId id) {
  changes_.workloads.push_back(id);
  return workloads_[id];
}

void WorkloadRecords::touch_name_space(StrId name_space) {
  for (uint32_t i = 0; i < workloads_.size(); ++i) {
    WorkloadId id(i);
    if (alive(id) && workloads_[id].name_space == name_space) touch(id);
  }
}

WorkloadChanges WorkloadRecords::take_changes() {
  // A workload is noted with each of its pods.
  std::vector<WorkloadId>& changed = changes_.workloads;
  std::sort(changed.begin(), changed.end());
  changed.erase(std::unique(changed.begin(), changed.end()), changed.end());
  return std::exchange(changes_, {});
}

void WorkloadRecords::mark_all_changed() {
  changes_ = {.quotas = true, .daemon_sets = true};
  for (uint32_t i = 0; i < workloads_.size(); ++i) changes_.workloads.emplace_back(i);
}

}  // namespace trellis
