#include "server/compare/workload_comparison.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "server/view/workload_output.h"

namespace trellis {
namespace {

using WorkloadName = std::pair<std::string, std::string>;

// The admission as text, since the two clusters have different ids.
std::string admission_key(const Cluster& cluster, const Admission& admission) {
  const Vocabulary& vocabulary = cluster.vocabulary();
  std::string key;
  for (const PodSetAdmission& set : admission.pod_sets) {
    key.append(vocabulary.strings.view(set.name)).append(" ") += std::to_string(set.count);
    std::vector<std::pair<std::string_view, std::string_view>> flavors;
    for (const auto& [resource, flavor] : set.flavors) {
      flavors.emplace_back(vocabulary.resources.name(resource), vocabulary.strings.view(flavor));
    }
    std::sort(flavors.begin(), flavors.end());
    for (const auto& [resource, flavor] : flavors) {
      key.append(" ").append(resource).append("=").append(flavor);
    }
    if (set.topology) {
      for (StrId value : set.topology->values) {
        key.append(" ").append(vocabulary.strings.view(value));
      }
      for (int32_t count : set.topology->counts) key += " " + std::to_string(count);
    }
    key += "\n";
  }
  return key;
}

void add_fates(const ComparedWorkloads& cycle, std::map<WorkloadName, WorkloadChange>& changes,
               std::optional<WorkloadFate> WorkloadChange::*side) {
  const StringTable& strings = cycle.cluster.vocabulary().strings;
  for (WorkloadId id : cycle.cluster.workloads().by_name(strings)) {
    WorkloadStatus status = cycle.record.workloads[id].status;
    if (status == WorkloadStatus::Finished) continue;
    WorkloadFate fate{.workload = id, .admitted = status == WorkloadStatus::Admitted};
    const Admission* admission = admission_of(cycle.cluster, cycle.record, id);
    if (admission != nullptr) fate.admission = admission_key(cycle.cluster, *admission);
    const Workload& workload = cycle.cluster.workloads()[id];
    WorkloadChange& change =
        changes[{std::string(strings.view(workload.name_space)), workload.name}];
    change.*side = std::move(fate);
  }
}

void sort_in(WorkloadChange change, WorkloadComparison& comparison) {
  bool was_admitted = change.before && change.before->admitted;
  bool is_admitted = change.after && change.after->admitted;
  if (!change.after) {
    comparison.removed.push_back(std::move(change));
  } else if (is_admitted && !was_admitted) {
    comparison.added.push_back(std::move(change));
  } else if (was_admitted && !is_admitted) {
    comparison.lost.push_back(std::move(change));
  } else if (is_admitted && change.before->admission != change.after->admission) {
    comparison.moved.push_back(std::move(change));
  } else if (!change.before) {
    comparison.waiting.push_back(std::move(change));
  }
}

}  // namespace

WorkloadComparison compare_workloads(const ComparedWorkloads& before,
                                     const ComparedWorkloads& after) {
  std::map<WorkloadName, WorkloadChange> changes;
  add_fates(before, changes, &WorkloadChange::before);
  add_fates(after, changes, &WorkloadChange::after);
  WorkloadComparison comparison{.any_workload = !changes.empty()};
  for (auto& [name, change] : changes) {
    change.name_space = name.first;
    change.name = name.second;
    sort_in(std::move(change), comparison);
  }
  return comparison;
}

}  // namespace trellis
