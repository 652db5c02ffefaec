#include "server/manifest/link_kueue.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "server/document/object_error.h"
#include "server/grouping/link_preferences.h"
#include "server/grouping/priorities.h"
#include "server/manifest/link_cohorts.h"

namespace trellis {
namespace {

// The most warnings about absent queues.
constexpr size_t kMostQueuesNamed = 10;

class KueueLinker {
 public:
  KueueLinker(KueueRecords& kueue, const Records& records, FieldReader& fields)
      : kueue_(kueue),
        fields_(fields),
        report_(fields.report()),
        strings_(fields.vocabulary().strings),
        preferences_(fields),
        pod_classes_(records.priority_classes, fields.vocabulary()),
        workload_classes_(kueue.priority_classes, fields.vocabulary()) {
    for (const TopologyRecord& topology : records.topologies) {
      if (topology.meta.broken()) continue;
      topologies_.emplace(topology.meta.key.name.value, true);
      topology_names_.push_back(topology.topology.name);
    }
    for (const AdmissionCheckRecord& check : kueue_.checks) {
      checks_.emplace(check.meta.key.name.value, &check);
    }
  }

  void run() {
    link_flavors();
    link_cohorts(kueue_, fields_);
    for (ClusterQueueRecord& record : kueue_.cluster_queues) link_cluster_queue(record);
    for (const CohortRecord& record : kueue_.cohorts) report_flavors(record.flavors);
    link_local_queues();
    for (WorkloadRecord& record : kueue_.workloads) link_workload(record);
    warn_of_missing();
  }

 private:
  using ByName = absl::flat_hash_map<uint32_t, const FlavorRecord*>;

  std::string text(StrId id) const { return std::string(strings_.view(id)); }

  void link_flavors() {
    for (FlavorRecord& record : kueue_.flavors) {
      flavors_.emplace(record.meta.key.name.value, &record);
      flavor_names_.push_back(record.flavor.name);
      Maybe<StrId> topology = record.flavor.topology;
      if (!topology || topologies_.contains((*topology).value)) continue;
      std::string_view word = strings_.view(*topology);
      report_.error(record.topology, {in_quotes(word), "the name of a Topology",
                                      report_.nearest(word, topology_names_)});
    }
  }

  // A flavor that has errors of its own has been reported already.
  void report_flavors(const std::vector<PlacedName>& flavors) {
    for (const PlacedName& flavor : flavors) {
      if (flavors_.contains(flavor.name.value)) continue;
      std::string_view word = strings_.view(flavor.name);
      report_.error(flavor.at, {in_quotes(word), "the name of a ResourceFlavor",
                                report_.nearest(word, flavor_names_)});
    }
  }

  void link_cluster_queue(ClusterQueueRecord& record) {
    std::vector<Reason>& inactive = record.queue.inactive;
    if (record.meta.error) inactive.insert(inactive.begin(), misconfigured(*record.meta.error));
    auto add = [&](ReasonCode code, std::string subject) {
      inactive.push_back({.code = code, .subject = std::move(subject)});
    };
    if (record.queue.stop != StopPolicy::None) {
      add(ReasonCode::ClusterQueueStopped, record.queue.name);
    }
    report_flavors(record.flavors);
    for (const PlacedName& flavor : record.flavors) {
      auto found = flavors_.find(flavor.name.value);
      if (found == flavors_.end() || found->second->meta.broken()) {
        add(ReasonCode::FlavorNotFound, text(flavor.name));
        continue;
      }
      Maybe<StrId> topology = found->second->flavor.topology;
      if (topology && !topologies_.contains((*topology).value)) {
        inactive.push_back({.code = ReasonCode::TopologyNotFound,
                            .subject = text(*topology),
                            .flavor = text(flavor.name)});
      }
    }
    for (const CheckUse& use : record.checks) {
      auto found = checks_.find(use.check.name.value);
      if (found != checks_.end() && found->second->multi_kueue) {
        add(ReasonCode::MultiKueueManager, text(use.check.name));
      }
    }
    queues_.emplace(record.meta.key.name.value, &record);
    queue_names_.push_back(record.queue.name);
  }

  void link_local_queues() {
    for (const LocalQueueRecord& record : kueue_.local_queues) {
      local_queues_.emplace(std::pair(record.queue.name_space, record.meta.key.name), &record);
      StrId named = record.queue.cluster_queue;
      if (!named.valid() || queues_.contains(named.value)) continue;
      std::string_view word = strings_.view(named);
      report_.error(record.cluster_queue, {in_quotes(word), "the name of a ClusterQueue",
                                           report_.nearest(word, queue_names_)});
    }
  }

  void link_workload(WorkloadRecord& record) {
    set_priority(record);
    set_placement(record);
    Workload& workload = record.workload;
    if (const auto& error = record.meta.error) {
      workload.errors.insert(workload.errors.begin(),
                             record.made ? misconfigured_by(*error) : misconfigured(*error));
    }
    StrId queue;
    if (workload.queue.valid()) {
      auto found = local_queues_.find({workload.name_space, workload.queue});
      if (found == local_queues_.end()) {
        missing_.try_emplace(std::pair(text(workload.name_space), text(workload.queue)),
                             record.queue);
      } else {
        queue = found->second->queue.cluster_queue;
      }
    }
    if (workload.admission) queue = workload.admission->cluster_queue;
    auto found = queue.valid() ? queues_.find(queue.value) : queues_.end();
    if (found != queues_.end()) set_checks(record, found->second->checks);
  }

  // The pods of a workload are a service of their own.
  void set_placement(WorkloadRecord& record) {
    Workload& workload = record.workload;
    for (size_t i = 0; i < record.preferences.size(); ++i) {
      if (record.preferences[i] == nullptr) continue;
      PlacementPreferences& placement = workload.pod_sets[i].spec.placement;
      placement = preferences_.parse(*record.preferences[i], workload.errors);
      if (!placement.any()) continue;
      placement.service =
          fields_.intern("Workload/" + text(workload.name_space) + "/" + workload.name);
    }
  }

  // A check for some flavors only is pending until it is known which flavors are assigned.
  static void set_checks(WorkloadRecord& record, const std::vector<CheckUse>& checks) {
    auto assigned = [&](StrId flavor) {
      for (const PodSetAdmission& set : record.workload.admission->pod_sets) {
        for (const auto& [resource, name] : set.flavors) {
          if (name == flavor) return true;
        }
      }
      return false;
    };
    for (const CheckUse& use : checks) {
      const std::vector<StrId>& ready = record.ready_checks;
      if (std::find(ready.begin(), ready.end(), use.check.name) != ready.end()) continue;
      bool elsewhere = !use.flavors.empty() && record.workload.admission &&
                       std::none_of(use.flavors.begin(), use.flavors.end(), assigned);
      if (!elsewhere) record.workload.checks_pending = true;
    }
  }

  std::optional<int32_t> class_priority(const WorkloadRecord& record) const {
    StrId name = record.workload.priority_class;
    std::optional<int32_t> found;
    if (record.priority_source != PrioritySource::PodClasses) found = workload_classes_.find(name);
    if (!found && record.priority_source != PrioritySource::WorkloadClasses) {
      found = pod_classes_.find(name);
    }
    return found;
  }

  // spec.priority, else that of its class, else that of the first known class of a template.
  void set_priority(WorkloadRecord& record) {
    Workload& workload = record.workload;
    std::optional<int32_t> priority = record.priority;
    std::optional<int32_t> named = class_priority(record);
    if (workload.priority_class.valid() && !named) warn_of_class(record);
    if (!priority) priority = named;
    for (StrId name : record.pod_priority_classes) {
      if (!priority) priority = pod_classes_.find(name);
    }
    if (!priority && record.made) priority = pod_classes_.global_default();
    workload.priority = priority.value_or(0);
  }

  void warn_of_class(const WorkloadRecord& record) {
    std::string_view word = strings_.view(record.workload.priority_class);
    bool of_pods = record.priority_source == PrioritySource::PodClasses;
    report_.warning(
        record.priority_class,
        {in_quotes(word),
         of_pods ? "the name of a PriorityClass" : "the name of a WorkloadPriorityClass",
         (of_pods ? pod_classes_ : workload_classes_).nearest(word)});
  }

  // A workload that waits is no error; but a typo is worth one warning a name.
  void warn_of_missing() {
    size_t reported = 0;
    for (const auto& [name, at] : missing_) {
      if (++reported > kMostQueuesNamed) break;
      std::vector<std::string_view> names;
      for (const LocalQueueRecord& record : kueue_.local_queues) {
        if (strings_.view(record.queue.name_space) == name.first) {
          names.push_back(record.queue.name);
        }
      }
      report_.warning(at, {"the queue " + in_quotes(name.second) + ", which is not in the input",
                           "the name of a LocalQueue in namespace " + in_quotes(name.first) +
                               " (the workload waits)",
                           report_.nearest(name.second, names)});
    }
  }

  KueueRecords& kueue_;
  FieldReader& fields_;
  Report& report_;
  const StringTable& strings_;
  PreferenceLinker preferences_;
  Priorities pod_classes_;
  Priorities workload_classes_;
  absl::flat_hash_map<uint32_t, bool> topologies_;
  std::vector<std::string_view> topology_names_;
  ByName flavors_;
  std::vector<std::string_view> flavor_names_;
  absl::flat_hash_map<uint32_t, const AdmissionCheckRecord*> checks_;
  absl::flat_hash_map<uint32_t, const ClusterQueueRecord*> queues_;
  std::vector<std::string_view> queue_names_;
  std::map<std::pair<StrId, StrId>, const LocalQueueRecord*> local_queues_;
  std::map<std::pair<std::string, std::string>, Place> missing_;  // namespace, queue
};

}  // namespace

void link_kueue(KueueRecords& kueue, const Records& records, FieldReader& fields) {
  KueueLinker(kueue, records, fields).run();
}

std::vector<WorkloadOwnership> list_workload_owners(const KueueRecords& kueue,
                                                    const StringTable& strings) {
  std::vector<WorkloadOwnership> rows;
  auto text = [&](StrId id) { return std::string(strings.view(id)); };
  for (const WorkloadRecord& record : kueue.workloads) {
    for (const ObjectKey& owner : record.owners) {
      rows.push_back({text(record.workload.name_space), record.workload.name, text(owner.group),
                      text(owner.kind), text(owner.name), record.made});
    }
  }
  auto key = [](const WorkloadOwnership& row) {
    return std::tie(row.name_space, row.workload, row.kind, row.name, row.group);
  };
  std::sort(rows.begin(), rows.end(), [&](const WorkloadOwnership& a, const WorkloadOwnership& b) {
    return key(a) < key(b);
  });
  return rows;
}

void move_kueue_objects(KueueRecords& kueue, Objects& objects) {
  for (FlavorRecord& record : kueue.flavors) {
    if (!record.meta.broken()) objects.flavors.push_back(std::move(record.flavor));
  }
  for (ClusterQueueRecord& record : kueue.cluster_queues) {
    objects.cluster_queues.push_back(std::move(record.queue));
  }
  for (CohortRecord& record : kueue.cohorts) {
    if (!record.meta.broken()) objects.cohorts.push_back(std::move(record.cohort));
  }
  for (LocalQueueRecord& record : kueue.local_queues) {
    if (!record.meta.broken()) objects.local_queues.push_back(std::move(record.queue));
  }
  for (WorkloadRecord& record : kueue.workloads) {
    objects.workloads.push_back(std::move(record.workload));
  }
  for (DaemonSetRecord& record : kueue.daemon_sets) {
    objects.daemon_sets.push_back(std::move(record.daemon_set));
  }
}

}  // namespace trellis
