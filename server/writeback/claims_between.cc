#include "server/writeback/claims_between.h"

#include <algorithm>
#include <string>
#include <utility>

#include "session/cluster/named_table.h"

namespace trellis {
namespace {

const DeviceClaim* find_claim(const Cluster& cluster, const Pod& pod, StrId claim) {
  const StringTable& strings = cluster.vocabulary().strings;
  const auto& claims = cluster.devices().claims;
  auto found = claims.find(full_key(strings, pod.name_space, strings.view(claim)));
  return found == claims.end() ? nullptr : &found->second;
}

}  // namespace

void allocate_claims(Cluster& cluster, const CycleRecord& record) {
  for (const Decision& decision : record.decisions) {
    if (decision.kind != Decision::Kind::Bind) continue;
    const Pod& pod = cluster.pods()[decision.pod].pod;
    for (const DeviceGrant& grant : record.pods[decision.pod].details().devices) {
      const DeviceClaim* known =
          grant.claim.valid() ? find_claim(cluster, pod, grant.claim) : nullptr;
      if (known == nullptr) continue;
      DeviceClaim claim = *known;
      if (!claim.claim->allocation) claim.claim.edit().allocation = *grant.allocation;
      auto at = std::ranges::lower_bound(claim.pods, pod.name.view());
      bool known_pod = at != claim.pods.end() && *at == pod.name.view();
      if (claim.group.empty() && !known_pod) {
        claim.pods.insert(at, std::string(pod.name.view()));
      }
      cluster.upsert(std::move(claim));
    }
  }
}

std::vector<PodId> pods_with_devices(const Cluster& cluster, std::span<const PodId> pods) {
  std::vector<PodId> with;
  for (PodId id : pods) {
    const Pod& pod = cluster.pods()[id].pod;
    if (pod.device_claims && occupies_node(pod.status)) with.push_back(id);
  }
  return with;
}

void release_claims(Cluster& cluster, std::span<const PodId> pods) {
  for (PodId id : pods) {
    const Pod& pod = cluster.pods()[id].pod;
    if (pod.status != PodStatus::Pending || !pod.device_claims) continue;
    for (StrId name : *pod.device_claims) {
      const DeviceClaim* known = find_claim(cluster, pod, name);
      if (known == nullptr) continue;
      DeviceClaim claim = *known;
      std::erase(claim.pods, pod.name.view());
      if (claim.pods.empty() && !claim.kept) claim.claim.edit().allocation.reset();
      if (claim != *known) cluster.upsert(std::move(claim));
    }
  }
}

}  // namespace trellis
