#include "server/manifest/link_volumes.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "framework/sort_unique.h"
#include "server/manifest/pod_claims.h"
#include "server/objects/decoders.h"
#include "server/objects/migrated_volumes.h"

namespace trellis {
namespace {

// Pods in the same situation, to be reported together.
struct HeldPods {
  int64_t pods = 0;
  std::string example;

  void add(std::string claim) {
    ++pods;
    // The first by name, so that the order of the input does not matter.
    if (example.empty() || claim < example) example = std::move(claim);
  }
  std::string text() const {
    std::string all = std::to_string(pods) + (pods == 1 ? " pod (" : " pods (");
    return all + example + (pods > 1 ? ", ...)" : ")");
  }
};

void sort_handles(std::vector<VolumeHandle>& handles) {
  std::sort(handles.begin(), handles.end());
  handles.erase(std::unique(handles.begin(), handles.end()), handles.end());
}

using ClaimKey = std::pair<uint32_t, uint32_t>;  // namespace, name

// A pod, or the pods of a PodSet, none of which is there.
struct ClaimUser {
  StrId name_space;
  const Pod* pod = nullptr;  // null: a PodSet
};

class VolumeLinker {
 public:
  VolumeLinker(Records& records, KueueRecords& kueue, FieldReader& fields)
      : records_(records), kueue_(kueue), fields_(fields), strings_(fields.vocabulary().strings) {}

  void run() {
    if (records_.node_drivers.empty() && records_.claims.empty() && records_.volumes.empty() &&
        records_.attachments.empty() && !any_pod_names_claims() && !any_pod_set_names_claims()) {
      return;
    }
    find_records();
    keep_volumes();
    for (PodRecord& pod : records_.pods) {
      if (!pod.claims || has_finished(pod.object.pod.status)) continue;
      for (const VolumeClaimUse& use : pod.claims->volumes)
        if (!use.need) ++users_[key_of(user(pod), use)];
    }
    for (PodRecord& pod : records_.pods) {
      bool uses = pod.claims && !pod.claims->volumes.empty();
      if (uses && !has_finished(pod.object.pod.status)) link(pod);
    }
    for (WorkloadRecord& record : kueue_.workloads) {
      if (!record.workload.finished) link(record);
    }
    link_nodes();
    report();
  }

 private:
  bool any_pod_names_claims() const {
    return std::ranges::any_of(records_.pods,
                               [](const PodRecord& pod) { return bool(pod.claims); });
  }

  bool any_pod_set_names_claims() const {
    return std::ranges::any_of(kueue_.workloads, [](const WorkloadRecord& record) {
      return std::ranges::any_of(record.claims, [](const auto& claims) { return bool(claims); });
    });
  }

  static ClaimUser user(const PodRecord& record) {
    return {record.object.pod.name_space, &record.object.pod};
  }

  static ClaimKey key_of(const ClaimUser& user, const VolumeClaimUse& use) {
    return {user.name_space.value, use.claim.value};
  }

  std::string name_of(ClaimKey key) const {
    std::string name(strings_.view(StrId(key.first)));
    return name + "/" + std::string(strings_.view(StrId(key.second)));
  }

  void find_records() {
    for (const ClaimRecord& claim : records_.claims) {
      const ObjectKey& key = claim.meta.key;
      claims_.emplace(ClaimKey(key.name_space.value, key.name.value), &claim);
    }
    for (const VolumeRecord& volume : records_.volumes) {
      volumes_.emplace(volume.meta.key.name.value, &volume);
    }
    for (const StorageClassRecord& one : records_.storage_classes) {
      classes_.emplace(one.meta.key.name.value, &one);
    }
    for (const VolumeDriverRecord& one : records_.volume_drivers) {
      drivers_.emplace(one.meta.key.name.value, &one);
    }
  }

  // Determines which volumes may still be bound: those that are free, and those that are kept for a
  // claim which is not bound.
  void keep_volumes() {
    absl::flat_hash_map<uint32_t, const ClaimRecord*> by_name;
    for (const auto& [key, claim] : claims_) {
      StrId name = strings_.find(name_of(key));
      if (name.valid()) by_name.emplace(name.value, claim);
    }
    for (VolumeRecord& record : records_.volumes) {
      if (record.meta.broken() || record.leaves) continue;
      record.offered = record.available;
      if (!record.volume.claim.valid()) continue;
      auto found = by_name.find(record.volume.claim.value);
      if (found == by_name.end() || found->second->bound) continue;
      const SharedText& uid = found->second->meta.uid;
      record.offered = record.claim_uid.empty() || record.claim_uid == uid;
      if (!record.offered) continue;
      kept_.insert(record.volume.claim.value);
      VolumeNeed need = found->second->need;
      const VolumeNeed& is = record.volume.is;
      need.bytes = need.bytes <= is.bytes ? is.bytes : need.bytes;
      need.modes = is.modes;
      need.selector.clear();
      if (need == is) promised_.insert(record.volume.claim.value);
    }
  }

  const StorageClassRecord* class_of(const ClaimRecord& claim) const {
    auto found = classes_.find(claim.need.storage_class.value);
    return found == classes_.end() ? nullptr : found->second;
  }

  // The driver by which nodes count the volumes of the class.
  StrId counted_as(const StorageClassRecord& storage_class) const {
    return fields_.intern(replaced_by(strings_.view(storage_class.driver)));
  }

  const VolumeDriverRecord* driver(StrId name) const {
    auto found = drivers_.find(name.value);
    return found == drivers_.end() ? nullptr : found->second;
  }

  // The first claim that keeps the pod from starting, and why.
  PodHold hold_of(const PodRecord& pod, const VolumeClaimUse& use) const {
    if (use.need) return PodHold::None;
    auto found = claims_.find(key_of(user(pod), use));
    if (found == claims_.end()) return PodHold::VolumeClaim;
    const ClaimRecord& claim = *found->second;
    if (claim.lost) return PodHold::VolumeLost;
    if (claim.leaving) return PodHold::VolumeClaimLeaving;
    if (use.made && claim.pod != pod.object.pod.uid) return PodHold::VolumeClaimOfOther;
    if (claim.bound) {
      auto volume = volumes_.find(claim.volume.value);
      bool usable = volume != volumes_.end() && !volume->second->meta.broken();
      return usable ? PodHold::None : PodHold::VolumeNotFound;
    }
    const StorageClassRecord* storage_class = class_of(claim);
    bool waits = storage_class != nullptr && storage_class->waits && !claim.volume.valid();
    return waits ? PodHold::None : PodHold::VolumeUnbound;
  }

  void link(PodRecord& pod) {
    PodHold hold = PodHold::None;
    for (const VolumeClaimUse& use : pod.claims->volumes) {
      PodHold why = hold_of(pod, use);
      if (why == PodHold::None) continue;
      hold = why;
      if (pod.object.pod.status == PodStatus::Pending)
        held_pods_[hold].add(name_of(key_of(user(pod), use)));
      break;
    }
    if (hold != PodHold::None) hold_pod(pod.object.pod, hold);
    std::vector<StrId> names;
    const SharedValue<PodVolumes>& own = pod.object.spec->volumes;
    PodVolumes volumes = volumes_of(user(pod), pod.claims->volumes, own, names);
    if (!names.empty()) pod.object.pod.waiting_claims = SharedValue(std::move(names));
    if (volumes != PodVolumes()) pod.object.spec.edit().volumes = SharedValue(std::move(volumes));
  }

  void link(WorkloadRecord& record) {
    for (size_t i = 0; i < record.claims.size(); ++i) {
      if (!record.claims[i]) continue;
      PodSpec& spec = record.workload.pod_sets[i].spec;
      std::vector<StrId> names;
      PodVolumes volumes =
          volumes_of({record.workload.name_space}, record.claims[i]->volumes, spec.volumes, names);
      if (volumes != PodVolumes()) spec.volumes = SharedValue(std::move(volumes));
    }
  }

  // `names`: of the claims that wait.
  PodVolumes volumes_of(const ClaimUser& user, const std::vector<VolumeClaimUse>& uses,
                        const SharedValue<PodVolumes>& own, std::vector<StrId>& names) {
    PodVolumes volumes;
    if (own) {
      volumes.disks = own->disks;
      volumes.attached = own->attached;
    }
    std::vector<std::pair<WaitingClaim, StrId>> waiting;
    for (const VolumeClaimUse& use : uses) {
      if (use.need) {
        add_made(user, use, volumes, waiting);
      } else {
        add(user, use, volumes, waiting);
      }
    }
    // By what distinguishes claims, so that pods whose claims differ in name alone stay equal.
    auto key = [&](const auto& entry) {
      const VolumeNeed& need = entry.first.need;
      return std::tuple(need.bytes, strings_.view(need.storage_class),
                        strings_.view(need.attributes_class), need.modes, need.block,
                        strings_.view(entry.second));
    };
    std::ranges::sort(waiting, {}, key);
    for (auto& [claim, name] : waiting) {
      volumes.waiting.push_back(std::move(claim));
      names.push_back(name);
    }
    sort_handles(volumes.attached);
    sort_unique(volumes.drivers);
    sort_unique(volumes.exclusive);
    return volumes;
  }

  // A claim that will be made with the pod: no object describes it further.
  void add_made(const ClaimUser& user, const VolumeClaimUse& use, PodVolumes& volumes,
                std::vector<std::pair<WaitingClaim, StrId>>& waiting) {
    auto found = classes_.find(use.need->storage_class.value);
    if (found == classes_.end()) return;
    require(counted_as(*found->second), volumes);
    if (!found->second->waits) return;
    std::string name = user.pod == nullptr ? "" : user.pod->name;
    name += strings_.view(use.claim);
    waiting.emplace_back(waiting_claim(*use.need, StrId(), *found->second), fields_.intern(name));
  }

  void add(const ClaimUser& user, const VolumeClaimUse& use, PodVolumes& volumes,
           std::vector<std::pair<WaitingClaim, StrId>>& waiting) {
    ClaimKey key = key_of(user, use);
    auto found = claims_.find(key);
    if (found == claims_.end()) return;
    const ClaimRecord& claim = *found->second;
    bool shared = user.pod == nullptr || users_[key] > 1;
    if (shared && !use.made && (claim.need.modes & kOnePod) != 0) {
      volumes.exclusive.push_back(fields_.intern(name_of(key)));
    }
    auto volume = volumes_.find(claim.volume.value);
    if (claim.volume.valid() && volume != volumes_.end()) {
      return add_bound(*volume->second, volumes);
    }
    const StorageClassRecord* storage_class = class_of(claim);
    if (storage_class == nullptr) return;
    StrId driver = counted_as(*storage_class);
    require(driver, volumes);
    if (!may_wait(user.pod, claim, name_of(key)) || !storage_class->waits) {
      if (driver == StringTable::kEmpty) return;
      volumes.attached.push_back({driver, fields_.intern(name_of(key))});
      return;
    }
    WaitingClaim made = waiting_claim(claim.need, claim.node, *storage_class);
    StrId name = fields_.intern(name_of(key));
    if (shared || kept_.contains(name.value)) made.name = name;
    waiting.emplace_back(std::move(made), use.claim);
  }

  // A pod that runs holds what was promised to its claims, and no more: another scheduler may have
  // sent it to its node without its volumes.
  bool may_wait(const Pod* pod, const ClaimRecord& claim, const std::string& name) const {
    if (claim.volume.valid()) return false;
    bool waits =
        pod == nullptr || pod->status == PodStatus::Pending || pod->status == PodStatus::Bound;
    if (waits) return true;
    bool made = claim.node.valid() && strings_.view(claim.node) == pod->node;
    StrId known = strings_.find(name);
    return made || (known.valid() && promised_.contains(known.value));
  }

  void require(StrId name, PodVolumes& volumes) const {
    const VolumeDriverRecord* record = driver(name);
    if (record != nullptr && record->required) volumes.drivers.push_back(name);
  }

  void add_bound(const VolumeRecord& volume, PodVolumes& volumes) const {
    if (volume.volume.nodes) volumes.affinities.push_back(*volume.volume.nodes);
    volumes.zones.insert(volumes.zones.end(), volume.zones.begin(), volume.zones.end());
    if (!volume.handle) return;
    volumes.attached.push_back(*volume.handle);
    require(volume.handle->driver, volumes);
  }

  WaitingClaim waiting_claim(const VolumeNeed& need, StrId node,
                             const StorageClassRecord& of) const {
    WaitingClaim made{.need = need, .name = {}, .made = {}, .driver = {}, .node = node};
    if (of.driver != StringTable::kEmpty) made.driver = counted_as(of);
    if (!of.makes_volumes) return made;
    const VolumeDriverRecord* record = driver(of.driver);
    made.made = Provisioning{of.driver, of.nodes, record != nullptr && record->by_pool};
    return made;
  }

  void link_nodes() {
    absl::flat_hash_map<uint32_t, NodeStorage> nodes;
    for (const NodeDriversRecord& record : records_.node_drivers) {
      nodes[record.meta.key.name.value].drivers = record.drivers;
    }
    for (const AttachmentRecord& record : records_.attachments) {
      auto volume = volumes_.find(record.volume.value);
      if (!record.node.valid() || volume == volumes_.end() || !volume->second->handle) continue;
      nodes[record.node.value].attached.push_back(*volume->second->handle);
    }
    if (nodes.empty()) return;
    for (NodeRecord& node : records_.nodes) {
      auto found = nodes.find(node.meta.key.name.value);
      if (found == nodes.end()) continue;
      sort_handles(found->second.attached);
      node.node.storage = SharedValue(std::move(found->second));
    }
  }

  void report() {
    auto add_note = [&](PodHold hold, std::string_view what) {
      auto found = held_pods_.find(hold);
      if (found == held_pods_.end()) return;
      fields_.report().summary(Severity::Note, std::string(what) + ": " + found->second.text());
    };
    add_note(PodHold::VolumeClaim, "waiting for volume claims that are not in the input");
    add_note(PodHold::VolumeUnbound,
             "waiting for volume claims to be bound, whose class does not wait for a pod");
    add_note(PodHold::VolumeNotFound, "waiting for volumes that are not in the input");
  }

  Records& records_;
  KueueRecords& kueue_;
  FieldReader& fields_;
  const StringTable& strings_;
  absl::flat_hash_map<ClaimKey, const ClaimRecord*> claims_;
  absl::flat_hash_map<ClaimKey, int32_t> users_;  // pods that use a claim
  // By name.
  absl::flat_hash_map<uint32_t, const VolumeRecord*> volumes_;
  absl::flat_hash_map<uint32_t, const StorageClassRecord*> classes_;
  absl::flat_hash_map<uint32_t, const VolumeDriverRecord*> drivers_;
  absl::flat_hash_set<uint32_t> kept_;      // claims that a volume is kept for
  absl::flat_hash_set<uint32_t> promised_;  // those of them that it is large enough for, and so on
  std::map<PodHold, HeldPods> held_pods_;
};

}  // namespace

void link_volumes(Records& records, KueueRecords& kueue, FieldReader& fields) {
  VolumeLinker(records, kueue, fields).run();
}

void move_storage(Records& records, Objects& objects) {
  for (VolumeRecord& record : records.volumes) {
    if (record.offered) objects.volumes.push_back(std::move(record.volume));
  }
  for (StoragePoolRecord& record : records.storage_pools) {
    if (record.serves_nodes) objects.storage_pools.push_back(std::move(record.pool));
  }
}

}  // namespace trellis
