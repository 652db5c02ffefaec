// The fields that ClusterQueues and Cohorts have in common: resource groups, and the weight of
// their share.
#pragma once

#include <vector>

#include "framework/cluster_queue.h"
#include "server/document/field_reader.h"
#include "server/objects/kueue_records.h"

namespace trellis {

// Whether the owner of the quota can borrow from others and lend to them.
enum class QuotaSharing : uint8_t { Alone, Shared };

struct QuotaOwner {
  QuotaSharing sharing = QuotaSharing::Alone;
  std::string_view named_by;  // what an owner needs to share: "a cohort" or "a parent"
};

// spec.resourceGroups; appends each flavor's name and location to `flavors`.
std::vector<ResourceGroup> decode_resource_groups(Value spec, const QuotaOwner& owner,
                                                  std::vector<PlacedName>& flavors,
                                                  FieldReader& fields);

// spec.fairSharing.weight; 1 when the field is absent.
double decode_fair_weight(Value spec, FieldReader& fields);

}  // namespace trellis
