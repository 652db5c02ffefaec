#include "server/sources/object_diff.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <string_view>
#include <type_traits>
#include <utility>

#include "session/cluster/named_table.h"
#include "session/cluster/objects.h"
#include "session/cluster/zone_leavers.h"

namespace trellis {
namespace {

// Compares the specs without the containers' demands on zones, which are read only while some node
// has zones, and without volumes and devices, which change while the claims of an assumed pod are
// bound or allocated.
bool same_requests(const PodObject& a, const PodObject& b) {
  if (a.spec.identity() == b.spec.identity()) return true;
  PodSpec one = *a.spec;
  PodSpec other = *b.spec;
  for (PodSpec* spec : {&one, &other}) {
    forget_demand(*spec);
    spec->volumes.reset();
    spec->devices.reset();
    spec->claim_terms.clear();
    spec->has_claim_terms = false;
  }
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

// `After`: Objects, which are moved, or const Objects, which are copied.
template <class After>
class Differ {
 public:
  Differ(const Objects& before, After& after, const StringTable& strings)
      : before_(before), after_(after), strings_(strings) {}

  ObjectDiff run() {
    for_each_kind([&](auto list, auto removed) {
      compare(list, [&](const auto& gone) { add_name(gone, diff_.changes.removed.*removed); });
    });
    compare(&Objects::name_spaces, [&](const NameSpace& gone) {
      diff_.changes.upserts.name_spaces.push_back({.name = gone.name, .labels = {}});
    });
    return std::move(diff_);
  }

 private:
  // Walks the two sorted lists, and calls removed(old) for each object that is gone.
  template <class Object, class Removed>
  void compare(std::vector<Object> Objects::*list, Removed removed) {
    const std::vector<Object>& before = before_.*list;
    std::vector<Object>& upserts = diff_.changes.upserts.*list;
    auto old = before.begin();
    for (auto& object : after_.*list) {
      auto key = object_key(object, strings_);
      while (old != before.end() && object_key(*old, strings_) < key) removed(*old++);
      bool known = old != before.end() && object_key(*old, strings_) == key;
      if (!known) {
        upserts.push_back(std::move(object));
        continue;
      }
      if (!(*old == object)) {
        note_staying(*old, object, upserts.size());
        upserts.push_back(std::move(object));
      }
      ++old;
    }
    while (old != before.end()) removed(*old++);
  }

  template <class Object>
  void add_name(const Object& gone, std::vector<std::string>& removed) const {
    removed.push_back(gone.name);
  }
  template <class Object>
  void add_name(const Object& gone, std::vector<RemovedObjects::Named>& removed) const {
    auto [name_space, name] = object_key(gone, strings_);
    removed.push_back({std::string(name_space), std::string(name)});
  }

  // `index`: of `now` in the upserts.
  template <class Object>
  void note_staying(const Object& old, const Object& now, size_t index) {
    if constexpr (std::is_same_v<Object, PodObject>) {
      if (same_requests(old, now) && same_place(old.pod, now.pod)) diff_.staying.push_back(index);
    } else if constexpr (std::is_same_v<Object, Gang>) {
      if (same_times(old, now)) diff_.staying_gangs.push_back(index);
    } else if constexpr (std::is_same_v<Object, Workload>) {
      if (old.uid != now.uid || old.active != now.active) return;
      bool admission = same_admission(old, now);
      diff_.staying_workloads.push_back({.index = index,
                                         .promise = old.promised == now.promised,
                                         .admission = admission,
                                         .readiness = admission && same_readiness(old, now),
                                         .turn = admission && same_turn(old, now)});
    }
  }

  const Objects& before_;
  After& after_;
  const StringTable& strings_;
  ObjectDiff diff_;
};

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

// Adds the named objects to `upserts` as read, and removes them from `staying`. `upserts` are
// sorted like `now`.
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

// Translates ids of one string table into ids of another, which may be the same.
class Renaming {
 public:
  Renaming(const StringTable& from, StringTable& to) : from_(from), to_(to) {}

  void rename(StrId& id) const {
    if (id.valid() && &from_ != &to_) id = to_.intern(from_.view(id));
  }
  void rename(std::vector<StrId>& ids) const {
    for (StrId& id : ids) rename(id);
  }
  void rename(SharedList<StrId>& ids) const {
    if (ids.empty() || &from_ == &to_) return;
    std::vector<StrId> renamed = ids.all();
    rename(renamed);
    ids = std::move(renamed);
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

// Copies the state that the cluster gave the workload since it was read, as far as its status did
// not change.
void keep_life(Workload& workload, const Workload& known, const StayingWorkload& stays,
               const Renaming& names) {
  workload.active = known.active;
  if (stays.promise) {
    workload.promised = known.promised;
    if (workload.promised) names.rename(*workload.promised);
  }
  if (stays.admission) {
    workload.admission = known.admission;
    if (workload.admission) names.rename(*workload.admission);
  }
  if (stays.readiness) keep_readiness(workload, known);
  if (stays.turn) keep_turn(workload, known);
}

// The devices that a decision gave to the claim, and the pods that it reserved it for.
void keep_devices(DeviceClaim& claim, const DeviceClaim& known) {
  if (claim.uid != known.uid || !known.claim->allocation) return;
  devices::Claim read = *claim.claim;
  if (!read.allocation) read.allocation = known.claim->allocation;
  if (read != *known.claim) return;
  claim.claim = known.claim;
  claim.pods = known.pods;
}

}  // namespace

bool ObjectDiff::empty() const {
  bool none = changes.upserts.name_spaces.empty();
  for_each_kind([&](auto list, auto removed) {
    none = none && (changes.upserts.*list).empty() && (changes.removed.*removed).empty();
  });
  return none;
}

ObjectDiff diff_objects(const Objects& before, const Objects& after, const StringTable& strings) {
  return Differ<const Objects>(before, after, strings).run();
}

ObjectDiff diff_objects(const Objects& before, Objects&& after, const StringTable& strings) {
  return Differ<Objects>(before, after, strings).run();
}

void forget(ObjectDiff& diff, const Objects& now, Forgotten forgotten, const StringTable& strings) {
  Objects& upserts = diff.changes.upserts;
  if (forgotten.everything) {
    upserts.pods = now.pods;
    upserts.gangs = now.gangs;
    upserts.workloads = now.workloads;
    upserts.device_claims = now.device_claims;
    diff.staying.clear();
    diff.staying_gangs.clear();
    diff.staying_workloads.clear();
    diff.staying_claims.clear();
    return;
  }
  auto key = [&](const auto& object) { return object_key(object, strings); };
  forget_named(now.pods, forgotten.pods, upserts.pods, diff.staying, key);
  forget_named(now.workloads, forgotten.workloads, upserts.workloads, diff.staying_workloads, key);
  forget_named(now.device_claims, forgotten.claims, upserts.device_claims, diff.staying_claims,
               key);
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
  for (size_t index : diff.staying_claims) {
    DeviceClaim& claim = diff.changes.upserts.device_claims[index];
    auto found = cluster.devices().claims.find(full_key(strings, claim.name_space, claim.name));
    if (found != cluster.devices().claims.end()) keep_devices(claim, found->second);
  }
}

void keep_zone_leavers(Objects& objects, const Cluster& cluster) {
  for (Node& node : objects.nodes) {
    NodeId id = cluster.find_node(node.name);
    if (id.valid()) keep_leavers(cluster.nodes()[id], node);
  }
}

ObjectDiff all_staying(Objects objects) {
  ObjectDiff diff;
  for (size_t i = 0; i < objects.pods.size(); ++i) diff.staying.push_back(i);
  for (size_t i = 0; i < objects.gangs.size(); ++i) diff.staying_gangs.push_back(i);
  for (size_t i = 0; i < objects.workloads.size(); ++i) {
    diff.staying_workloads.push_back(
        {.index = i, .promise = true, .admission = true, .readiness = true, .turn = true});
  }
  for (size_t i = 0; i < objects.device_claims.size(); ++i) diff.staying_claims.push_back(i);
  diff.changes.upserts = std::move(objects);
  return diff;
}

}  // namespace trellis
