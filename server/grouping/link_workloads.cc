#include "server/grouping/link_workloads.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/grouping/owners.h"
#include "server/grouping/pod_workloads.h"
#include "server/objects/workload_keys.h"
#include "server/objects/workload_name.h"
#include "session/cluster/named_table.h"

namespace trellis {
namespace {

// Labels whose value is the name of the PodSet.
constexpr std::array<std::string_view, 4> kRoleLabels = {"jobset.sigs.k8s.io/replicatedjob-name",
                                                         "training.kubeflow.org/replica-type",
                                                         "ray.io/node-type", "ray.io/group"};
constexpr std::string_view kGroupIndex = "leaderworkerset.sigs.k8s.io/group-index";

class WorkloadMaking {
 public:
  WorkloadMaking(Records& records, KueueRecords& kueue, FieldReader& fields)
      : records_(records),
        kueue_(kueue),
        fields_(fields),
        strings_(fields.vocabulary().strings),
        owners_(records, fields.vocabulary(), fields.report()) {}

  void run() {
    for (const WorkloadRecord& record : kueue_.workloads) {
      owning_.insert(record.owners.begin(), record.owners.end());
      names_.emplace(record.workload.name_space, record.workload.name);
    }
    note_pods();
    take_owners();
    take_pods();
  }

 private:
  // An owner whose pods already run without a workload is not managed by Kueue; an owner whose pods
  // name an existing Workload makes no other.
  void note_pods() {
    if (kueue_.of_owners.empty()) return;
    for (const PodRecord& pod : records_.pods) {
      bool runs = is_active(pod.object.pod.status);
      bool names = names_workload(pod);
      if (!runs && !names) continue;
      climb(owners_, pod.meta, [&](const ObjectKey& key) {
        if (runs) running_.insert(key);
        if (names) named_.insert(key);
        return false;
      });
    }
  }

  bool names_workload(const PodRecord& pod) const {
    if (!pod.workload || !pod.workload->workload.valid()) return false;
    std::string name(strings_.view(pod.workload->workload));
    return names_.contains({pod.object.pod.name_space, std::move(name)});
  }

  void take_owners() {
    std::vector<WorkloadRecord> running;
    ObjectSet making;
    for (const WorkloadRecord& record : kueue_.of_owners) making.insert(record.meta.key);
    for (WorkloadRecord& record : kueue_.of_owners) {
      if (names_.contains({record.workload.name_space, record.workload.name})) continue;
      const ObjectKey& key = record.meta.key;
      bool has_own = owning_.contains(key) || named_.contains(key);
      bool theirs = running_.contains(key) || (record.copy < 0 && has_own);
      climb(owners_, record.meta, [&](const ObjectKey& above) {
        theirs = theirs || making.contains(above) || owning_.contains(above);
        return theirs;
      });
      if (running_.contains(key)) {
        running.push_back(std::move(record));
      } else if (!theirs) {
        kueue_.workloads.push_back(std::move(record));
      }
    }
    kueue_.of_owners = std::move(running);
  }

  bool is_free(const PodRecord& pod) {
    if (!pod.workload || !pod.workload->queue.valid() || owning_.contains(pod.meta.key)) {
      return false;
    }
    bool is_free = true;
    climb(owners_, pod.meta, [&](const ObjectKey& key) {
      is_free = !makes_workloads(strings_.view(key.group), strings_.view(key.kind)) &&
                !owning_.contains(key);
      return !is_free;
    });
    return is_free;
  }

  void take_pods() {
    std::map<std::pair<StrId, StrId>, std::vector<const PodRecord*>> groups;
    std::vector<std::vector<const PodRecord*>> all;
    for (const PodRecord& pod : records_.pods) {
      PodStatus status = pod.object.pod.status;
      if (has_finished(status) || !is_free(pod)) continue;
      if (pod.workload->group.valid()) {
        groups[{pod.meta.key.name_space, pod.workload->group}].push_back(&pod);
      } else {
        all.push_back({&pod});
      }
    }
    for (auto& [name, pods] : groups) {
      std::sort(pods.begin(), pods.end(), [](const PodRecord* a, const PodRecord* b) {
        return a->object.pod.name < b->object.pod.name;
      });
      all.push_back(std::move(pods));
    }
    for (const std::vector<const PodRecord*>& pods : all) {
      bool pending = std::all_of(pods.begin(), pods.end(), [](const PodRecord* pod) {
        return pod->object.pod.status == PodStatus::Pending;
      });
      if (!pending) continue;
      WorkloadRecord record = make_pod_workload(pods, fields_);
      bool known = names_.contains({record.workload.name_space, record.workload.name});
      if (!known) kueue_.workloads.push_back(std::move(record));
    }
  }

  Records& records_;
  KueueRecords& kueue_;
  FieldReader& fields_;
  const StringTable& strings_;
  Owners owners_;
  ObjectSet owning_;   // owners of an existing Workload
  ObjectSet named_;    // owners of pods that name an existing Workload
  ObjectSet running_;  // owners of pods that run
  std::set<std::pair<StrId, std::string>> names_;
};

class WorkloadFinder {
 public:
  WorkloadFinder(Records& records, const KueueRecords& kueue, FieldReader& fields)
      : strings_(fields.vocabulary().strings),
        owners_(records, fields.vocabulary(), fields.report()),
        group_index_(fields.intern(kGroupIndex)) {
    for (const WorkloadRecord& record : kueue.workloads) {
      by_name_.emplace(std::pair(record.workload.name_space, record.workload.name), &record);
      for (const ObjectKey& owner : record.owners) by_owner_[owner].push_back(&record);
    }
    if (by_owner_.empty()) return;
    for (const OwnerRecord& owner : records.owners) uids_.emplace(owner.meta.key, &owner.meta.uid);
  }

  // null: the object is part of no workload.
  const WorkloadRecord* find(const Meta& meta, const Labels& labels) {
    const WorkloadRecord* found = of_owner(meta.key, labels);
    if (found != nullptr) return found;
    climb(owners_, meta, [&](const ObjectKey& key) {
      found = of_owner(key, labels);
      return found != nullptr;
    });
    return found;
  }

  const WorkloadRecord* named(StrId name_space, StrId name) const {
    if (!name.valid()) return nullptr;
    auto found = by_name_.find({name_space, std::string(strings_.view(name))});
    return found == by_name_.end() ? nullptr : found->second;
  }

 private:
  const WorkloadRecord* of_owner(const ObjectKey& key, const Labels& labels) const {
    auto found = by_owner_.find(key);
    if (found == by_owner_.end()) return nullptr;
    const std::vector<const WorkloadRecord*>& records = found->second;
    if (records.size() == 1 && records.front()->copy < 0) return records.front();
    return of_copy(key, records, labels);
  }

  // For an owner with several workloads: the workload of the pod's group.
  const WorkloadRecord* of_copy(const ObjectKey& key,
                                const std::vector<const WorkloadRecord*>& records,
                                const Labels& labels) const {
    StrId index = find_label(labels, group_index_);
    if (!index.valid()) return nullptr;
    std::string name(strings_.view(key.name));
    name += "-";
    name += strings_.view(index);
    auto uid = uids_.find(key);
    std::string_view known_uid = uid == uids_.end() ? std::string_view() : uid->second->view();
    std::string wanted =
        workload_name({strings_.view(key.group), strings_.view(key.kind), name, known_uid});
    for (const WorkloadRecord* record : records) {
      if (record->workload.name == wanted) return record;
    }
    return nullptr;
  }

  const StringTable& strings_;
  Owners owners_;
  StrId group_index_;
  std::map<std::pair<StrId, std::string>, const WorkloadRecord*> by_name_;
  ObjectMap<std::vector<const WorkloadRecord*>> by_owner_;
  ObjectMap<const SharedText*> uids_;
};

bool has_set(const Workload& workload, StrId name) {
  return std::any_of(workload.pod_sets.begin(), workload.pod_sets.end(),
                     [&](const PodSet& set) { return set.name == name; });
}

// kNone: no field or label names the PodSet.
StrId pod_set_of(const PodRecord& pod, const Workload& workload, FieldReader& fields) {
  if (pod.workload && has_set(workload, pod.workload->pod_set)) return pod.workload->pod_set;
  if (workload.pod_sets.size() == 1) return workload.pod_sets.front().name;
  if (pod.workload && !pod.workload->role.empty()) {
    StrId role = fields.intern(pod.workload->role);
    if (has_set(workload, role)) return role;
  }
  const Labels& labels = pod.object.pod.labels;
  for (std::string_view key : kRoleLabels) {
    StrId value = find_label(labels, fields.intern(key));
    if (value.valid() && has_set(workload, value)) return value;
  }
  StrId worker = find_label(labels, fields.intern(kWorkerIndex));
  if (!worker.valid()) return {};
  bool leads = fields.vocabulary().strings.view(worker) == "0";
  StrId role = fields.intern(leads ? "leader" : "worker");
  return has_set(workload, role) ? role : StrId();
}

OwnerEnd end_of(PodStatus status) {
  if (status == PodStatus::Failed) return OwnerEnd::Failed;
  return status == PodStatus::Succeeded ? OwnerEnd::Succeeded : OwnerEnd::None;
}

// The pods of an evicted workload are leaving, even if they are not deleted yet: its eviction is
// decided, and a service that is started again has to know it from the objects.
void release(Pod& pod, TimeUs evicted_since) {
  if (!is_active(pod.status)) return;
  pod.status = PodStatus::Releasing;
  pod.leaving_since = evicted_since;
}

}  // namespace

bool has_queues(const KueueRecords& kueue) {
  return !kueue.local_queues.empty() || !kueue.cluster_queues.empty();
}

void make_workloads(Records& records, KueueRecords& kueue, FieldReader& fields) {
  WorkloadMaking(records, kueue, fields).run();
}

void finish_workloads(const Records& records, KueueRecords& kueue) {
  ObjectMap<OwnerEnd> ends;
  for (const WorkloadRecord& record : kueue.workloads) {
    for (const ObjectKey& owner : record.owners) ends.try_emplace(owner, OwnerEnd::None);
  }
  if (ends.empty()) return;
  for (const OwnerRecord& owner : records.owners) {
    if (auto found = ends.find(owner.meta.key); found != ends.end()) found->second = owner.end;
  }
  for (const PodRecord& pod : records.pods) {
    auto found = ends.find(pod.meta.key);
    if (found != ends.end()) found->second = end_of(pod.object.pod.status);
  }
  for (WorkloadRecord& record : kueue.workloads) {
    if (record.workload.finished || record.owners.empty()) continue;
    auto is = [&](OwnerEnd end) {
      return [&ends, end](const ObjectKey& owner) { return ends.at(owner) == end; };
    };
    if (std::ranges::any_of(record.owners, is(OwnerEnd::None))) continue;
    record.workload.finished = true;
    record.workload.failed = std::ranges::any_of(record.owners, is(OwnerEnd::Failed));
  }
}

void hold_jobs(Records& records, const KueueRecords& kueue, FieldReader& fields) {
  if (kueue.workloads.empty()) return;
  WorkloadFinder finder(records, kueue, fields);
  for (OwnerRecord& owner : records.owners) {
    if (!owner.job) continue;
    const WorkloadRecord* workload = finder.find(owner.meta, {});
    if (workload != nullptr && !may_start(workload->workload)) owner.held = true;
  }
}

void link_workload_pods(Records& records, const KueueRecords& kueue, FieldReader& fields) {
  if (kueue.workloads.empty()) return;
  WorkloadFinder finder(records, kueue, fields);
  const StringTable& strings = fields.vocabulary().strings;
  for (PodRecord& record : records.pods) {
    Pod& pod = record.object.pod;
    const WorkloadRecord* workload = nullptr;
    if (record.workload) workload = finder.named(pod.name_space, record.workload->workload);
    if (workload == nullptr) workload = finder.find(record.meta, pod.labels);
    if (workload == nullptr) continue;
    std::string key(strings.view(pod.name_space));
    key += "/";
    key += workload->workload.name;
    pod.workload = fields.intern(key);
    pod.pod_set = pod_set_of(record, workload->workload, fields);
    if (workload->evicted_since) release(pod, *workload->evicted_since);
  }
}

void report_readiness(const Records& records, KueueRecords& kueue, const StringTable& strings) {
  struct Known {
    int64_t ready = 0;
    int64_t done = 0;
    int64_t silent = 0;      // run, and do not report whether they are ready
    TimeUs since = kNoTime;  // when the last of ready and done became so
  };
  std::map<std::string_view, Known> known;
  for (const PodRecord& record : records.pods) {
    const Pod& pod = record.object.pod;
    if (!pod.workload.valid()) continue;
    Known& of_workload = known[strings.view(pod.workload)];
    bool runs = pod.status == PodStatus::Running;
    bool serves = runs && record.ready;
    if (runs && !record.has_ready_condition) ++of_workload.silent;
    if (!serves && pod.status != PodStatus::Succeeded) continue;
    ++(serves ? of_workload.ready : of_workload.done);
    of_workload.since = std::max(of_workload.since, record.ready_since);
  }
  if (known.empty()) return;
  for (WorkloadRecord& record : kueue.workloads) {
    Workload& workload = record.workload;
    if (!may_start(workload)) continue;
    // Without any pods the state in the workload's object holds.
    auto found = known.find(full_key(strings, workload.name_space, workload.name));
    if (found == known.end()) continue;
    const Known& pods = found->second;
    int64_t wanted = 0;
    for (const PodSetAdmission& set : workload.admission->pod_sets) wanted += set.count;
    // Pods that have succeeded may be deleted by now.
    int64_t reclaimed = 0;
    for (const auto& [set, count] : workload.reclaimable) reclaimed += count;
    bool was_ready = workload.pods_ready == PodsReady::Ready;
    int64_t counted = pods.ready + std::max(pods.done, reclaimed);
    bool ready = counted + (was_ready ? pods.silent : 0) >= wanted;
    if (ready == was_ready) continue;
    workload.pods_ready = ready ? PodsReady::Ready : PodsReady::Waiting;
    workload.pods_ready_since = ready ? pods.since : kNoTime;
    workload.ever_ready = true;
  }
}

}  // namespace trellis
