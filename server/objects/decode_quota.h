// What ClusterQueues and Cohorts have in common: resource groups, and the weight of their share.
#pragma once

#include <vector>

#include "framework/cluster_queue.h"
#include "server/document/field_reader.h"
#include "server/objects/kueue_records.h"

namespace trellis {

// Whether the owner of the quota has others to borrow from and to lend to.
enum class QuotaSharing : uint8_t { Alone, Shared };

struct QuotaOwner {
  QuotaSharing sharing = QuotaSharing::Alone;
  std::string_view named_by;  // the key that would make it share
};

// spec.resourceGroups; `flavors` gets where each flavor is named.
std::vector<ResourceGroup> decode_resource_groups(Value spec, const QuotaOwner& owner,
                                                  std::vector<PlacedName>& flavors,
                                                  FieldReader& fields);

// spec.fairSharing.weight; 1 when nothing is said.
double decode_fair_weight(Value spec, FieldReader& fields);

}  // namespace trellis
