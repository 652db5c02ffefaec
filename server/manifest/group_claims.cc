#include "server/manifest/group_claims.h"

#include <algorithm>
#include <utility>

namespace trellis {

GroupClaims::GroupClaims(const Records& records) {
  for (const PodGroupRecord& group : records.pod_groups) {
    bool has_claims = group.core && !group.core->claims.empty() && !group.meta.broken();
    if (has_claims) groups_.emplace(group.meta.key, &group);
  }
}

const PodGroupRecord* GroupClaims::group_of(const PodRecord& pod) const {
  if (!pod.core_group) return nullptr;
  auto found = groups_.find(pod.core_group->key);
  return found == groups_.end() ? nullptr : found->second;
}

const GroupClaimUse* GroupClaims::find(const PodRecord& pod, const ResourceClaimUse& use) const {
  const PodGroupRecord* group = use.entry.valid() ? group_of(pod) : nullptr;
  if (group == nullptr) return nullptr;
  auto same = [&](const GroupClaimUse& entry) {
    if (entry.entry != use.entry) return false;
    return use.made ? use.of_template.valid() && entry.of_template == use.of_template
                    : !entry.of_template.valid() && entry.claim == use.claim;
  };
  auto found = std::ranges::find_if(group->core->claims, same);
  return found == group->core->claims.end() ? nullptr : &*found;
}

void mark_group_claims(Records& records) {
  GroupClaims groups(records);
  if (groups.empty()) return;
  for (PodRecord& pod : records.pods) {
    if (!pod.claims || groups.group_of(pod) == nullptr) continue;
    for (size_t i = 0; i < pod.claims->devices.size(); ++i) {
      if (groups.find(pod, pod.claims->devices[i]) == nullptr) continue;
      PodClaims claims = *pod.claims;
      claims.devices[i].of_group = true;
      pod.claims = SharedValue(std::move(claims));
    }
  }
}

}  // namespace trellis
