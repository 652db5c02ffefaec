// A gang that is being built from its pods and from the objects that describe it.
#pragma once

#include <vector>

#include "server/grouping/named_groups.h"
#include "server/grouping/owner_gangs.h"
#include "server/grouping/owners.h"
#include "server/objects/object_key.h"
#include "server/objects/records.h"

namespace trellis {

struct GangDraft {
  ObjectKey key;                      // the PodGroup, the top owner, or the pod itself
  PodGroupRecord* group = nullptr;    // null: the gang has no PodGroup
  bool named_group = false;           // pods name a PodGroup, whether it exists or not
  std::vector<PodRecord*> pods;       // by name
  const OwnerChain* chain = nullptr;  // of the first pod that has an owner
  OwnerGang of_owner;                 // what the owner specifies, where there is no PodGroup

  bool is_group() const { return group != nullptr || named_group; }

  // Whether the PodGroup repeats what the owner specifies; then the owner's values come first.
  bool is_copy() const {
    return group != nullptr && NamedGroups::is_copy(*group) && chain != nullptr &&
           chain->gang.valid();
  }

  // Whether the values of the PodGroup, or those of the owner, come first.
  bool group_is_first() const { return group != nullptr && !is_copy(); }
  bool owner_is_first() const { return !is_group() || is_copy(); }

  // The object that declares the gang's subgroups; null: no object does.
  const PodGroupRecord* declared() const { return group_is_first() ? group : of_owner.roles.get(); }
  bool has_subgroups() const { return declared() != nullptr && !declared()->subgroups.empty(); }
};

}  // namespace trellis
