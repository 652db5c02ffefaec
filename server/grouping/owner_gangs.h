// The gang that an owner makes of its pods: how many pods it needs, and its roles as subgroups.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "framework/string_table.h"
#include "server/grouping/owners.h"
#include "server/objects/object_key.h"
#include "server/objects/records.h"

namespace trellis {

struct OwnerGang {
  int32_t min_member = 1;
  // The gang's subgroups, as a PodGroup would declare them; null: no subgroups.
  std::unique_ptr<PodGroupRecord> roles;
};

class OwnerGangs {
 public:
  // `records` must not change while this is in use, except for the pods' subgroups.
  OwnerGangs(const Records& records, Owners& owners, const StringTable& strings);

  // The gang of these pods, to which `chain` leads. Roles become subgroups where there are several
  // and every pod that has not finished names its role, which is set as the pod's subgroup. A role
  // whose pods are made when others are ready counts as soon as it has any. Cost: O(pods + Jobs).
  OwnerGang make(const OwnerChain& chain, std::span<PodRecord* const> pods);

  // The minimum where only the Jobs that made the pods count.
  int32_t least_of_jobs(const OwnerChain& chain, std::span<PodRecord* const> pods);

 private:
  struct Role {
    const RoleShape* shape = nullptr;
    int64_t least = 0;
    int64_t there = 0;  // pods
    int64_t live = 0;   // pods that have not finished
  };
  std::vector<Role> count_roles(const OwnerChain& chain, std::span<PodRecord* const> pods,
                                std::vector<int32_t>& role_of);
  void take_done(const OwnerChain& chain, std::vector<Role>& roles) const;
  int32_t find_role(const OwnerKind& kind, const std::vector<RoleShape>& roles,
                    const Labels& labels, bool leader) const;
  const OwnerKind* kind_of(const ObjectKey& key) const;

  Owners& owners_;
  const StringTable& strings_;
  ObjectMap<std::vector<const OwnerRecord*>>
      jobs_;  // by the object that their pods are the gang of
};

}  // namespace trellis
