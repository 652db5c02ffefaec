// All lists of records, for code that treats every kind alike.
#pragma once

#include <optional>
#include <vector>

#include "server/objects/kueue_records.h"
#include "server/objects/records.h"

namespace trellis {

// Calls `use` with a pointer to each list that is a member of Records or KueueRecords.
template <class Use>
void for_each_record_list(Use use) {
  use(&Records::name_spaces);
  use(&Records::numas);
  use(&Records::nodes);
  use(&Records::pods);
  use(&Records::priority_classes);
  use(&Records::topologies);
  use(&Records::queues);
  use(&Records::pod_groups);
  use(&Records::owners);
  use(&Records::budgets);
  use(&Records::claims);
  use(&Records::volumes);
  use(&Records::resource_claims);
  use(&Records::group_templates);
  use(&KueueRecords::flavors);
  use(&KueueRecords::cluster_queues);
  use(&KueueRecords::cohorts);
  use(&KueueRecords::local_queues);
  use(&KueueRecords::checks);
  use(&KueueRecords::priority_classes);
  use(&KueueRecords::workloads);
  use(&KueueRecords::of_owners);
  use(&KueueRecords::daemon_sets);
  static_assert(
      sizeof(Records) == 14 * sizeof(std::vector<PodRecord>) + sizeof(std::optional<CycleObject>),
      "a list is missing above");
  static_assert(sizeof(KueueRecords) == 9 * sizeof(std::vector<PodRecord>));
}

}  // namespace trellis
