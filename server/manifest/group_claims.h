// ResourceClaims of PodGroups: the pods of a group that repeat an entry of its claims share one
// claim (KEP-5729).
#pragma once

#include "server/objects/object_key.h"
#include "server/objects/records.h"

namespace trellis {

class GroupClaims {
 public:
  // Cost: O(PodGroups). The records outlive this object.
  explicit GroupClaims(const Records& records);

  bool empty() const { return groups_.empty(); }
  // The group that the pod names, where it has claims; null: none.
  const PodGroupRecord* group_of(const PodRecord& pod) const;
  // The entry of the pod's group that the pod repeats: the same name, and the same claim or
  // template. null: none.
  const GroupClaimUse* find(const PodRecord& pod, const ResourceClaimUse& use) const;

 private:
  ObjectMap<const PodGroupRecord*> groups_;  // those with claims
};

// Marks the claims that pods share with their group. Cost: O(PodGroups + pods with claims).
void mark_group_claims(Records& records);

}  // namespace trellis
