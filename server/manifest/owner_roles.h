// The roles of an object that makes pods: one PodSet of its workload each.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "framework/pod.h"
#include "server/manifest/field_reader.h"
#include "server/manifest/records.h"

namespace trellis {

struct OwnerRole {
  std::string name;
  Value pod_template;
  std::optional<PodSpec> spec;  // the template's, where it is known already
  Labels labels;                // with it
  int64_t pods = 1;
  int64_t parts = 1;  // replicas of a replicated job: equal shares of the pods
  std::string_view index_label;
  std::string_view part_label;  // which part a pod is of
  int32_t first_index = 0;
  std::optional<int32_t> min_pods;
  StrId priority_class;  // the template's, where it has been decoded already
};

struct OwnerRoles {
  std::vector<OwnerRole> roles;
  int64_t copies = 1;     // each of them a workload
  bool numbered = false;  // the workloads bear the number of their copy
  bool finished = false;  // it makes no pods any more
};

// Of an object of a kind that makes_workloads(); its document must be there as long as the roles
// are used. `job` is the record of a batch Job, else null.
OwnerRoles read_owner_roles(Value object, std::string_view kind, const JobRecord* job,
                            FieldReader& fields);

}  // namespace trellis
