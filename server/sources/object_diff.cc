#include "server/sources/object_diff.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <string_view>
#include <utility>

#include "session/cluster/full_key.h"

namespace trellis {
namespace {

// Walks two sorted lists; `change(old or null, new)` for what is new or differs, `removed(old)`.
template <class Object, class Key, class Change, class Removed>
void walk(const std::vector<Object>& before, const std::vector<Object>& after, Key key,
          Change change, Removed removed) {
  auto old = before.begin();
  for (const Object& object : after) {
    while (old != before.end() && key(*old) < key(object)) removed(*old++);
    bool known = old != before.end() && key(*old) == key(object);
    if (!known) {
      change(nullptr, object);
    } else {
      if (!(*old == object)) change(&*old, object);
      ++old;
    }
  }
  while (old != before.end()) removed(*old++);
}

// What its containers want of zones is read only while some node has any.
bool same_wishes(const PodObject& a, const PodObject& b) {
  PodSpec one = a.spec;
  PodSpec other = b.spec;
  forget_demand(one);
  forget_demand(other);
  return one == other;
}

bool same_place(const Pod& a, const Pod& b) {
  return a.uid == b.uid && a.status == b.status && a.node == b.node && a.started == b.started &&
         a.leaving_since == b.leaving_since && a.gpu_groups == b.gpu_groups;
}

bool same_times(const Gang& a, const Gang& b) {
  return a.started == b.started && a.stale_since == b.stale_since;
}

bool same_admission(const Workload& a, const Workload& b) {
  return a.admission == b.admission && a.pod_sets == b.pod_sets;
}

bool same_readiness(const Workload& a, const Workload& b) {
  return a.pods_ready == b.pods_ready && a.pods_ready_since == b.pods_ready_since &&
         a.ever_ready == b.ever_ready;
}

bool same_turn(const Workload& a, const Workload& b) {
  return a.queued == b.queued && a.timed_out == b.timed_out && a.requeues == b.requeues &&
         a.requeue_at == b.requeue_at;
}

constexpr auto kNothingStays = [](const auto&, const auto&, size_t) {};

class Differ {
 public:
  Differ(const Objects& before, const Objects& after, const StringTable& strings)
      : before_(before), after_(after), strings_(strings) {}

  ObjectDiff run() {
    diff_pods();
    by_full_name(&Objects::gangs, diff_.changes.removed.gangs,
                 [&](const Gang& old, const Gang& gang, size_t index) {
                   if (same_times(old, gang)) diff_.staying_gangs.push_back(index);
                 });
    by_full_name(&Objects::budgets, diff_.changes.removed.budgets, kNothingStays);
    diff_name_spaces();
    ObjectChanges& changes = diff_.changes;
    by_name(&Objects::nodes, changes.removed.nodes);
    by_name(&Objects::queues, changes.removed.queues);
    by_name(&Objects::topologies, changes.removed.topologies);
    by_name(&Objects::flavors, changes.removed.flavors);
    by_name(&Objects::cluster_queues, changes.removed.cluster_queues);
    by_name(&Objects::cohorts, changes.removed.cohorts);
    by_full_name(&Objects::local_queues, changes.removed.local_queues, kNothingStays);
    by_full_name(&Objects::daemon_sets, changes.removed.daemon_sets, kNothingStays);
    by_full_name(
        &Objects::workloads, changes.removed.workloads,
        [&](const Workload& old, const Workload& now, size_t index) {
          if (old.uid != now.uid || old.active != now.active) return;
          bool admission = same_admission(old, now);
          diff_.staying_workloads.push_back({.index = index,
                                             .admission = admission,
                                             .readiness = admission && same_readiness(old, now),
                                             .turn = admission && same_turn(old, now)});
        });
    return std::move(diff_);
  }

 private:
  template <class Object>
  void by_name(std::vector<Object> Objects::*list, std::vector<std::string>& removed) {
    walk(
        before_.*list, after_.*list,
        [](const Object& object) { return std::string_view(object.name); },
        [&](const Object*, const Object& object) {
          (diff_.changes.upserts.*list).push_back(object);
        },
        [&](const Object& object) { removed.push_back(object.name); });
  }

  void diff_pods() {
    auto key = [&](const PodObject& object) {
      return std::pair(strings_.view(object.pod.name_space), std::string_view(object.pod.name));
    };
    std::vector<PodObject>& upserts = diff_.changes.upserts.pods;
    walk(
        before_.pods, after_.pods, key,
        [&](const PodObject* old, const PodObject& object) {
          bool stays =
              old != nullptr && same_wishes(*old, object) && same_place(old->pod, object.pod);
          if (stays) diff_.staying.push_back(upserts.size());
          upserts.push_back(object);
        },
        [&](const PodObject& object) {
          diff_.changes.removed.pods.push_back(
              {std::string(strings_.view(object.pod.name_space)), object.pod.name});
        });
  }

  // `changed(old, now, index)` for each of the upserts that was there.
  template <class Object, class Changed>
  void by_full_name(std::vector<Object> Objects::*list, std::vector<RemovedObjects::Named>& removed,
                    Changed changed) {
    walk(
        before_.*list, after_.*list,
        [&](const Object& object) {
          return std::pair(strings_.view(object.name_space), std::string_view(object.name));
        },
        [&](const Object* old, const Object& object) {
          std::vector<Object>& upserts = diff_.changes.upserts.*list;
          if (old != nullptr) changed(*old, object, upserts.size());
          upserts.push_back(object);
        },
        [&](const Object& object) {
          removed.push_back({std::string(strings_.view(object.name_space)), object.name});
        });
  }

  void diff_name_spaces() {
    std::vector<NameSpace>& upserts = diff_.changes.upserts.name_spaces;
    walk(
        before_.name_spaces, after_.name_spaces,
        [&](const NameSpace& name_space) { return strings_.view(name_space.name); },
        [&](const NameSpace*, const NameSpace& name_space) { upserts.push_back(name_space); },
        [&](const NameSpace& gone) { upserts.push_back({.name = gone.name, .labels = {}}); });
  }

  const Objects& before_;
  const Objects& after_;
  const StringTable& strings_;
  ObjectDiff diff_;
};

bool empty_of_workloads(const ObjectChanges& changes) {
  const Objects& up = changes.upserts;
  const RemovedObjects& gone = changes.removed;
  return up.flavors.empty() && up.cluster_queues.empty() && up.cohorts.empty() &&
         up.local_queues.empty() && up.daemon_sets.empty() && up.workloads.empty() &&
         gone.flavors.empty() && gone.cluster_queues.empty() && gone.cohorts.empty() &&
         gone.local_queues.empty() && gone.daemon_sets.empty() && gone.workloads.empty();
}

void keep_readiness(Workload& workload, const Workload& known) {
  workload.pods_ready = known.pods_ready;
  workload.pods_ready_since = known.pods_ready_since;
  workload.ever_ready = known.ever_ready;
}

void keep_turn(Workload& workload, const Workload& known) {
  workload.queued = known.queued;
  workload.timed_out = known.timed_out;
  workload.requeues = known.requeues;
  workload.requeue_at = known.requeue_at;
}

size_t index_of(size_t staying) { return staying; }
size_t index_of(const StayingWorkload& staying) { return staying.index; }

// `upserts`: sorted as `now`, with those of them that stay.
template <class Object, class Staying, class Key>
void forget_named(const std::vector<Object>& now, std::vector<RemovedObjects::Named>& names,
                  std::vector<Object>& upserts, std::vector<Staying>& staying, Key key) {
  auto name_of = [](const RemovedObjects::Named& named) {
    return std::pair(std::string_view(named.name_space), std::string_view(named.name));
  };
  std::ranges::sort(names, {}, name_of);
  auto same = [&](const auto& a, const auto& b) { return name_of(a) == name_of(b); };
  names.erase(std::unique(names.begin(), names.end(), same), names.end());
  std::vector<Object> more;
  for (const RemovedObjects::Named& named : names) {
    auto changed = std::ranges::lower_bound(upserts, name_of(named), {}, key);
    if (changed != upserts.end() && key(*changed) == name_of(named)) {
      auto index = static_cast<size_t>(changed - upserts.begin());
      std::erase_if(staying, [&](const Staying& stays) { return index_of(stays) == index; });
      continue;
    }
    auto found = std::ranges::lower_bound(now, name_of(named), {}, key);
    if (found != now.end() && key(*found) == name_of(named)) more.push_back(*found);
  }
  std::ranges::move(more, std::back_inserter(upserts));
}

// Ids of one table into those of another, which may be the same.
class Renaming {
 public:
  Renaming(const StringTable& from, StringTable& to) : from_(from), to_(to) {}

  void rename(StrId& id) const {
    if (id.valid() && &from_ != &to_) id = to_.intern(from_.view(id));
  }
  void rename(std::vector<StrId>& ids) const {
    for (StrId& id : ids) rename(id);
  }
  void rename(Admission& admission) const {
    rename(admission.cluster_queue);
    for (PodSetAdmission& set : admission.pod_sets) {
      rename(set.name);
      for (auto& [resource, flavor] : set.flavors) rename(flavor);
      if (!set.topology) continue;
      rename(set.topology->levels);
      rename(set.topology->values);
    }
  }
  void rename(SharedValue<PodContainers>& containers) const {
    if (!containers || &from_ == &to_) return;
    PodContainers renamed = *containers;
    rename(renamed.names);
    containers = SharedValue(std::move(renamed));
  }

 private:
  const StringTable& from_;
  StringTable& to_;
};

void keep_place(Pod& pod, const Pod& placed, const Renaming& names) {
  pod.status = placed.status;
  pod.node = placed.node;
  pod.promised = placed.promised;
  pod.started = placed.started;
  pod.leaving_since = placed.leaving_since;
  pod.gpu_groups = placed.gpu_groups;
  names.rename(pod.gpu_groups);
  SharedValue<PodContainers> containers = placed.containers;
  names.rename(containers);
  if (pod.containers && containers && pod.containers->names == containers->names) {
    pod.containers = std::move(containers);
  }
}

// What has become of it since it was read, as far as its status says as much as before.
void keep_life(Workload& workload, const Workload& known, const StayingWorkload& stays,
               const Renaming& names) {
  workload.active = known.active;
  if (stays.admission) {
    workload.admission = known.admission;
    if (workload.admission) names.rename(*workload.admission);
  }
  if (stays.readiness) keep_readiness(workload, known);
  if (stays.turn) keep_turn(workload, known);
}

}  // namespace

bool ObjectDiff::empty() const {
  const Objects& up = changes.upserts;
  const RemovedObjects& gone = changes.removed;
  return empty_of_workloads(changes) && up.name_spaces.empty() && up.nodes.empty() &&
         up.pods.empty() && up.gangs.empty() && up.queues.empty() && up.topologies.empty() &&
         up.budgets.empty() && gone.nodes.empty() && gone.pods.empty() && gone.gangs.empty() &&
         gone.queues.empty() && gone.topologies.empty() && gone.budgets.empty();
}

ObjectDiff diff_objects(const Objects& before, const Objects& after, const StringTable& strings) {
  return Differ(before, after, strings).run();
}

void forget(ObjectDiff& diff, const Objects& now, Forgotten forgotten, const StringTable& strings) {
  Objects& upserts = diff.changes.upserts;
  if (forgotten.everything) {
    upserts.pods = now.pods;
    upserts.gangs = now.gangs;
    upserts.workloads = now.workloads;
    diff.staying.clear();
    diff.staying_gangs.clear();
    diff.staying_workloads.clear();
    return;
  }
  forget_named(now.pods, forgotten.pods, upserts.pods, diff.staying, [&](const PodObject& object) {
    return std::pair(strings.view(object.pod.name_space), std::string_view(object.pod.name));
  });
  forget_named(now.workloads, forgotten.workloads, upserts.workloads, diff.staying_workloads,
               [&](const Workload& workload) {
                 return std::pair(strings.view(workload.name_space),
                                  std::string_view(workload.name));
               });
}

void keep_places(ObjectDiff& diff, const Cluster& cluster, StringTable& strings) {
  Renaming names(cluster.vocabulary().strings, strings);
  for (size_t index : diff.staying) {
    Pod& pod = diff.changes.upserts.pods[index].pod;
    PodId id = cluster.find_pod(strings.view(pod.name_space), pod.name);
    if (id.valid()) keep_place(pod, cluster.pods()[id].pod, names);
  }
  for (size_t index : diff.staying_gangs) {
    Gang& gang = diff.changes.upserts.gangs[index];
    GangId id = cluster.find_gang(strings.view(gang.name_space), gang.name);
    if (!id.valid()) continue;
    gang.started = cluster.gangs()[id].started;
    gang.stale_since = cluster.gangs()[id].stale_since;
  }
  const WorkloadRecords& workloads = cluster.workloads();
  for (const StayingWorkload& stays : diff.staying_workloads) {
    Workload& workload = diff.changes.upserts.workloads[stays.index];
    WorkloadId id =
        workloads.workloads().find(full_key(strings, workload.name_space, workload.name));
    if (id.valid()) keep_life(workload, workloads[id], stays, names);
  }
}

ObjectDiff all_staying(Objects objects) {
  ObjectDiff diff;
  for (size_t i = 0; i < objects.pods.size(); ++i) diff.staying.push_back(i);
  for (size_t i = 0; i < objects.gangs.size(); ++i) diff.staying_gangs.push_back(i);
  for (size_t i = 0; i < objects.workloads.size(); ++i) {
    diff.staying_workloads.push_back(
        {.index = i, .admission = true, .readiness = true, .turn = true});
  }
  diff.changes.upserts = std::move(objects);
  return diff;
}

}  // namespace trellis
