// What an owner says of the gang of its pods: how many it needs, and its roles as subgroups.
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
  // Its subgroups, as a PodGroup would declare them; null: there are none.
  std::unique_ptr<PodGroupRecord> roles;
};

class OwnerGangs {
 public:
  // `records` must stay as they are while this is in use, but for the pods' subgroups.
  OwnerGangs(const Records& records, Owners& owners, const StringTable& strings);

  // Of the pods of one gang, which `chain` leads to. Roles are subgroups where there are several
  // and every pod that has not finished names its own, which is set as its subgroup. A role whose
  // pods are made when others are ready counts as soon as it has any. Cost: O(pods + Jobs).
  OwnerGang make(const OwnerChain& chain, std::span<PodRecord* const> pods);

  // The same where only the Jobs that made the pods count.
  int32_t least_of_jobs(const OwnerChain& chain, std::span<PodRecord* const> pods);

 private:
  struct Role {
    const RoleShape* shape = nullptr;
    int64_t least = 0;
    int64_t there = 0;  // pods
    int64_t live = 0;   // those that have not finished
  };
  std::vector<Role> count_roles(const OwnerChain& chain, std::span<PodRecord* const> pods,
                                std::vector<int32_t>& role_of);
  void take_done(const OwnerChain& chain, std::vector<Role>& roles) const;
  int32_t find_role(const OwnerKind& kind, const std::vector<RoleShape>& roles,
                    const Labels& labels, bool leader) const;
  const OwnerKind* kind_of(const ObjectKey& key) const;

  Owners& owners_;
  const StringTable& strings_;
  ObjectMap<std::vector<const JobRecord*>> jobs_;  // by what their pods are the gang of
};

}  // namespace trellis
