#include "server/objects/record_lists.h"

#include <iterator>
#include <utility>

namespace trellis {
namespace {

// Calls use(list) for each list of records; `Lists` is Records or KueueRecords.
template <class Use>
void for_each_list(Use use) {
  use(&Records::name_spaces);
  use(&Records::numas);
  use(&Records::nodes);
  use(&Records::node_labels);
  use(&Records::pods);
  use(&Records::priority_classes);
  use(&Records::topologies);
  use(&Records::queues);
  use(&Records::pod_groups);
  use(&Records::owners);
  use(&Records::budgets);
  use(&Records::node_requests);
  use(&Records::reservations);
  use(&Records::claims);
  use(&Records::volumes);
  use(&Records::storage_classes);
  use(&Records::volume_drivers);
  use(&Records::node_drivers);
  use(&Records::storage_pools);
  use(&Records::attachments);
  use(&Records::resource_claims);
  use(&Records::claim_templates);
  use(&Records::device_slices);
  use(&Records::device_classes);
  use(&Records::device_taints);
  use(&Records::group_templates);
  static_assert(sizeof(Records) == 25 * sizeof(std::vector<NodeRecord>) + sizeof(PodRecords) +
                                       sizeof(std::optional<CycleObject>),
                "a list is missing above");
}

template <class Use>
void for_each_kueue_list(Use use) {
  use(&KueueRecords::flavors);
  use(&KueueRecords::cluster_queues);
  use(&KueueRecords::cohorts);
  use(&KueueRecords::local_queues);
  use(&KueueRecords::checks);
  use(&KueueRecords::priority_classes);
  use(&KueueRecords::workloads);
  use(&KueueRecords::of_owners);
  use(&KueueRecords::daemon_sets);
  static_assert(sizeof(KueueRecords) == 9 * sizeof(std::vector<FlavorRecord>),
                "a list is missing above");
}

}  // namespace

void RecordLists::append(RecordLists& other) {
  auto move_list = [&](auto list) {
    auto& from = other.of(list);
    if (from.empty()) return;
    auto& to = of(list);
    if (to.empty()) return std::swap(from, to);
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
    from.clear();
  };
  for_each_list(move_list);
  if (!records.cycle) records.cycle = std::move(other.records.cycle);
  for_each_kueue_list(move_list);
}

}  // namespace trellis
