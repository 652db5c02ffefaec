#include "server/manifest/link_resource_claims.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "devices/completion.h"
#include "server/manifest/group_claims.h"
#include "server/manifest/pod_claims.h"

namespace trellis {
namespace {

// As Kubernetes bounds `status.reservedFor`.
constexpr int64_t kMostReservations = 256;

// Whether the claim keeps its devices when its pods leave: it is of a PodGroup, or it is not made
// for a pod, and is reserved for no pod.
bool is_kept(const ResourceClaimRecord& record) {
  if (record.group.valid()) return true;
  bool unreserved = record.pod_names.empty() && record.groups.empty();
  bool alone = record.pod_uid.empty() && !record.made;
  return !record.groups.empty() || (record.claim->allocation.has_value() && unreserved && alone);
}

class ResourceClaimLinker {
 public:
  ResourceClaimLinker(Records& records, FieldReader& fields, ClaimsMadeBy made_by)
      : records_(records),
        fields_(fields),
        strings_(fields.vocabulary().strings),
        made_by_(made_by),
        groups_(records) {
    for (const ClaimTemplateRecord& record : records_.claim_templates) {
      if (record.meta.broken()) continue;
      templates_.emplace(record.meta.key.name_space.value, record.meta.key.name.value);
    }
    for (ResourceClaimRecord& claim : records_.resource_claims) {
      claims_.emplace(std::pair(claim.meta.key.name_space.value, claim.meta.key.name.value),
                      Claim{&claim, claim.reservations});
    }
  }

  void run() {
    for (const PodRecord& pod : records_.pods) {
      if (!pod.claims || has_finished(pod.object.pod.status)) continue;
      for (const ResourceClaimUse& use : pod.claims->devices) {
        Claim* claim = find(pod, use);
        if (claim != nullptr) add_user(*claim, pod, use);
      }
    }
    for (auto& [key, claim] : claims_) name_group(claim);
    // Pods that have a node will get reservations of their claims.
    for (const PodRecord& pod : records_.pods) {
      if (pod.claims && occupies_node(pod.object.pod.status)) reserve(pod);
    }
    for (PodRecord& pod : records_.pods) {
      if (pod.claims && !has_finished(pod.object.pod.status)) link(pod);
    }
    if (held_ == 0) return;
    std::string text = "waiting for resource claims that cannot be used: ";
    text += std::to_string(held_) + (held_ == 1 ? " pod (" : " pods (");
    fields_.report().summary(Severity::Note, text + example_ + (held_ > 1 ? ", ...)" : ")"));
  }

 private:
  struct Claim {
    ResourceClaimRecord* record;
    int64_t reservations;
    int64_t users = 0;     // pods
    int64_t of_group = 0;  // those of them that are of the group, and have it with the group
    const PodGroupRecord* group = nullptr;
    bool for_group = false;  // a reservation for the group is counted
  };

  void add_user(Claim& claim, const PodRecord& pod, const ResourceClaimUse& use) const {
    ++claim.users;
    // One that was made for a pod is that pod's, whatever the group has.
    if (!use.of_group || !claim.record->pod_uid.empty()) return;
    const PodGroupRecord* group = groups_.group_of(pod);
    if (claim.group == nullptr) claim.group = group;
    if (claim.group == group) ++claim.of_group;
  }

  // Pods of several groups, and pods beside a group, reserve the claim one by one.
  static void name_group(Claim& claim) {
    if (claim.group == nullptr || claim.of_group != claim.users) return;
    claim.record->group = claim.group->meta.key.name;
    claim.record->group_uid = claim.group->meta.uid;
  }

  // null: no claim has this name.
  Claim* find(const PodRecord& pod, const ResourceClaimUse& use) {
    auto found = claims_.find({pod.object.pod.name_space.value, use.claim.value});
    return found == claims_.end() ? nullptr : &found->second;
  }

  static bool is_reserved(const Claim& claim, const PodRecord& pod) {
    const ResourceClaimRecord& record = *claim.record;
    if (claim.for_group) return true;
    if (std::binary_search(record.pods.begin(), record.pods.end(), pod.object.pod.uid)) return true;
    if (!pod.core_group) return false;
    return std::find(record.groups.begin(), record.groups.end(), pod.core_group->key.name) !=
           record.groups.end();
  }

  void reserve(const PodRecord& pod) {
    for (const ResourceClaimUse& use : pod.claims->devices) {
      Claim* claim = find(pod, use);
      if (claim == nullptr || is_reserved(*claim, pod)) continue;
      ++claim->reservations;
      claim->for_group = claim->record->group.valid();
    }
  }

  // What keeps every pod from using the claim; "": nothing.
  static std::string_view refusal_to_all(const Claim* claim) {
    if (claim == nullptr) return "is not there";
    if (claim->record->meta.broken()) return "has errors";
    switch (claim->record->state) {
      case ResourceClaimState::NotReady:
        return "has conditions that are not met";
      case ResourceClaimState::Leaving:
        return "is being deleted";
      case ResourceClaimState::NotAllocated:
      case ResourceClaimState::Allocated:
        break;
    }
    return "";
  }

  // What keeps the pod from using the claim; "": nothing. A pod with a node uses the claim already.
  std::string_view refusal(const Claim* claim, const ResourceClaimUse& use, const PodRecord& pod) {
    bool waits = pod.object.pod.status == PodStatus::Pending;
    if (use.made && !use.claim.valid()) return "is not made yet";
    std::string_view why = refusal_to_all(claim);
    if (!why.empty() || !waits) return why;
    const ResourceClaimRecord& record = *claim->record;
    bool of_another = use.made && !record.pod_uid.empty() && record.pod_uid != pod.object.pod.uid;
    if (of_another) return "was made for another pod";
    bool full = claim->reservations >= kMostReservations && !is_reserved(*claim, pod);
    return full ? "is reserved for as many pods as it may be" : "";
  }

  // A claim that was made for the pod leaves with the pod. Without its template, none is made for
  // the pod that waits again.
  bool is_made_again(const ResourceClaimUse& use, const Pod& pod) const {
    if (!use.made || use.of_group || !use.of_template.valid()) return true;
    if (made_by_ == ClaimsMadeBy::Controller) return true;
    return templates_.contains(std::pair(pod.name_space.value, use.of_template.value));
  }

  // Whether the pod needs devices for the claim where it is placed next. Its own claim keeps those
  // that it has while the pod waits, or if it is kept without the pod. Those of a claim that pods
  // share, or that is their group's, are known to the scheduler by the claim's name.
  static bool is_need(const Claim& claim, bool waits) {
    bool open = claim.record->state == ResourceClaimState::NotAllocated;
    return open || is_shared(claim) || (!waits && !is_kept(*claim.record));
  }

  // A group's claim is the same need before and after it is allocated, also for a single pod.
  static bool is_shared(const Claim& claim) {
    return claim.users > 1 || claim.record->group.valid();
  }

  void link(PodRecord& record) {
    Pod& pod = record.object.pod;
    bool waits = pod.status == PodStatus::Pending;
    PodDevices devices;
    std::vector<StrId> names;  // of the needs, then of the other claims
    std::vector<StrId> others;
    for (const ResourceClaimUse& use : record.claims->devices) {
      const Claim* claim = find(record, use);
      std::string_view why = refusal(claim, use, record);
      if (!why.empty()) return hold(pod, use, why);
      if (claim == nullptr) continue;
      if (!waits && !is_made_again(use, pod)) hold_pod(pod, PodHold::ResourceClaim);
      std::string domain = domain_of(*claim->record->claim);
      if (!domain.empty()) devices.domain = std::move(domain);
      if (is_need(*claim, waits)) {
        DeviceNeed need{shape_of(*claim->record), StrId()};
        if (is_shared(*claim)) need.name = full_name(claim->record->meta.key);
        devices.needs.push_back(std::move(need));
        names.push_back(use.claim);
        continue;
      }
      others.push_back(use.claim);
      if (!claim->record->terms) continue;
      if (!require_terms(*claim->record->terms, record.object.spec.edit())) {
        return hold(pod, use, "leaves too many alternatives beside the pod's other claims");
      }
    }
    if (waits && pod.hold == PodHold::None) reserve(record);
    if (names.empty() && others.empty()) return;
    names.insert(names.end(), others.begin(), others.end());
    pod.device_claims = SharedValue(std::move(names));
    record.object.spec.edit().devices = pooled(std::move(devices));
  }

  StrId full_name(const ObjectKey& key) const {
    std::string name(strings_.view(key.name_space));
    return fields_.intern(name.append("/").append(strings_.view(key.name)));
  }

  // The compute domain that the claim joins; "": none.
  static std::string domain_of(const devices::Claim& claim) {
    for (const devices::Config& config : claim.config) {
      if (config.driver == devices::kComputeDomainDriver) return config.parameters;
    }
    return "";
  }

  // Claims that are alike share one value, so that pods are of one class at the cost of a pointer.
  SharedValue<devices::Claim> shape_of(const ResourceClaimRecord& record) {
    devices::Claim shape = *record.claim;
    shape.name_space.clear();
    shape.name.clear();
    shape.config.clear();
    shape.allocation.reset();
    auto found = shapes_.find(shape);
    if (found != shapes_.end()) return found->second;
    SharedValue<devices::Claim> shared(shape);
    return shapes_.emplace(std::move(shape), std::move(shared)).first->second;
  }

  SharedValue<PodDevices> pooled(PodDevices devices) {
    auto found = devices_.find(devices);
    if (found != devices_.end()) return found->second;
    SharedValue<PodDevices> shared(devices);
    return devices_.emplace(std::move(devices), std::move(shared)).first->second;
  }

  void hold(Pod& pod, const ResourceClaimUse& use, std::string_view why) {
    hold_pod(pod, PodHold::ResourceClaim);
    if (pod.hold != PodHold::ResourceClaim || pod.status != PodStatus::Pending) return;
    // By name: the pods are in order.
    if (++held_ > 1) return;
    example_ = std::string(strings_.view(pod.name_space)) + "/" + pod.name + ": ";
    example_ += use.claim.valid() ? "claim " + std::string(strings_.view(use.claim)) : "its claim";
    example_ += " ";
    example_ += why;
  }

  Records& records_;
  FieldReader& fields_;
  const StringTable& strings_;
  ClaimsMadeBy made_by_;
  GroupClaims groups_;
  absl::flat_hash_set<std::pair<uint32_t, uint32_t>> templates_;  // namespace, name
  absl::flat_hash_map<std::pair<uint32_t, uint32_t>, Claim> claims_;
  std::map<devices::Claim, SharedValue<devices::Claim>> shapes_;
  std::map<PodDevices, SharedValue<PodDevices>> devices_;
  int64_t held_ = 0;
  std::string example_;
};

}  // namespace

void link_resource_claims(Records& records, FieldReader& fields, ClaimsMadeBy made_by) {
  ResourceClaimLinker(records, fields, made_by).run();
}

void move_devices(Records& records, const StringTable& strings, Objects& objects) {
  for (DeviceSliceRecord& record : records.device_slices) {
    objects.device_slices.push_back(std::move(record.slice));
  }
  for (DeviceClassRecord& record : records.device_classes) {
    objects.device_classes.push_back(std::move(record.device_class));
  }
  for (DeviceTaintsRecord& record : records.device_taints) {
    objects.device_taints.push_back(std::move(record.taints));
  }
  for (ResourceClaimRecord& record : records.resource_claims) {
    if (record.meta.broken()) continue;
    bool kept = is_kept(record);
    DeviceClaim claim{.name_space = record.meta.key.name_space,
                      .name = std::string(strings.view(record.meta.key.name)),
                      .uid = record.meta.uid,
                      .claim = std::move(record.claim),
                      .pods = std::move(record.pod_names),
                      .kept = kept,
                      .made = record.made || !record.pod_uid.empty(),
                      .group = record.group.valid() ? std::string(strings.view(record.group)) : "",
                      .group_uid = std::move(record.group_uid)};
    objects.device_claims.push_back(std::move(claim));
  }
}

}  // namespace trellis
