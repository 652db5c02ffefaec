// The roles of an object that makes pods: one PodSet of its workload each, or one subgroup of its
// gang.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "framework/pod.h"
#include "server/document/field_reader.h"
#include "server/objects/owner_kinds.h"
#include "server/objects/records.h"

namespace trellis {

struct OwnerRole {
  std::string name;
  std::string subgroup;  // its name in a gang; empty: it is never a subgroup
  Value pod_template;
  std::optional<PodSpec> spec;    // the template's, where it is known already
  Labels labels;                  // the template's, known with its spec
  SharedValue<PodClaims> claims;  // likewise
  int64_t pods = 1;
  int64_t parts = 1;  // replicas of a replicated job: equal parts of the pods
  std::string_view index_label;
  std::string_view part_label;  // a pod's label with the part that it belongs to
  int32_t first_index = 0;
  std::optional<int32_t> min_pods;
  int64_t least = 0;     // pods that a gang needs of it
  bool late = false;     // its pods are made when those of other roles are ready
  StrId priority_class;  // the template's, where it has been decoded already
};

struct OwnerRoles {
  std::vector<OwnerRole> roles;
  int64_t copies = 1;                    // each of them a workload
  bool numbered = false;                 // the workloads' names end in the number of their copy
  bool finished = false;                 // the object makes no pods any more
  bool leader_first = false;             // the other pods are made when the leader is ready
  std::optional<int64_t> min_available;  // pods that a gang needs of all roles, where specified
};

// The roles of an object of `kind`; its document must be kept as long as the roles are used. `job`
// is the record of a batch Job, else null.
OwnerRoles read_owner_roles(Value object, const OwnerKind& kind, const JobRecord* job,
                            FieldReader& fields);

// The shape of the gang of a RayCluster with this spec.
std::shared_ptr<const OwnerShape> read_ray_cluster_shape(Value spec, FieldReader& fields);

// The shape of an owner's gang; null where the minimum of such a gang does not come from roles.
std::shared_ptr<const OwnerShape> read_owner_shape(Value object, const OwnerKind& kind,
                                                   FieldReader& fields);

}  // namespace trellis
