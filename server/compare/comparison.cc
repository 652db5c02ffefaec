#include "server/compare/comparison.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <map>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>

#include "server/view/row_selection.h"
#include "session/explain/domain_ref.h"
#include "session/record/outcomes.h"
#include "session/record/touched.h"

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

namespace {

using GangName = std::pair<std::string, std::string>;
using Fates = std::map<GangName, GangFate>;

// Gangs whose pods have all finished are left out.
Fates fates_of(const ComparedCycle& cycle, std::span<const GangId> gangs) {
  const Cluster& cluster = cycle.engine.cluster();
  Fates fates;
  for (GangId id : gangs) {
    if (!cluster.alive(id) || cycle.record.gangs[id].status == GangStatus::Finished) continue;
    GangSummary summary = summarize_gang(cluster, cycle.record, id);
    GangFate fate{.gang = id,
                  .status = cycle.record.gangs[id].status,
                  .pods = summary.pods,
                  .placed = summary.placed};
    for (PodId pod : cluster.pods_of(id)) {
      const PodOutcome& outcome = cycle.record.pods[pod];
      if (!is_placed(outcome.status)) continue;
      fate.nodes.push_back(outcome.node.valid() ? cluster.nodes()[outcome.node].name
                                                : std::string(cluster.pods()[pod].pod.node));
    }
    std::sort(fate.nodes.begin(), fate.nodes.end());
    const Gang& gang = cluster.gangs()[id];
    fates.emplace(GangName(cluster.vocabulary().strings.view(gang.name_space), gang.name),
                  std::move(fate));
  }
  return fates;
}

void sort_in(GangChange change, Comparison& comparison) {
  bool was_placed = change.before && is_placed(change.before->status);
  bool is_placed_now = change.after && is_placed(change.after->status);
  if (!change.after) {
    comparison.removed.push_back(std::move(change));
  } else if (is_placed_now && !was_placed) {
    comparison.added.push_back(std::move(change));
  } else if (was_placed && !is_placed_now) {
    comparison.lost.push_back(std::move(change));
  } else if (change.before && change.before->placed != change.after->placed) {
    comparison.resized.push_back(std::move(change));
  } else if (change.before && change.before->nodes != change.after->nodes) {
    comparison.moved.push_back(std::move(change));
  } else if (!change.before) {
    comparison.waiting.push_back(std::move(change));
  }
}

bool same_domain(const GangPlacement& a, const GangPlacement& b) {
  return a.topology == b.topology && a.domain == b.domain;
}

void add_domain(const ComparedCycle& cycle, const std::optional<GangFate>& fate,
                std::vector<DomainChange>& domains) {
  if (!fate) return;
  const std::optional<GangPlacement>& placement = cycle.record.gangs[fate->gang].placement;
  if (placement) domains.push_back({*placement, {}, {}});
}

// Counts gangs and GPUs in some domains of one cycle's cluster, in one pass over its pods.
class DomainCount {
 public:
  using Use = DomainChange::Use;

  explicit DomainCount(const ComparedCycle& cycle)
      : cycle_(cycle),
        cluster_(cycle.engine.cluster()),
        session_(cycle.engine.scheduler().session()) {}

  std::vector<Use> count(std::span<const DomainChange> domains) {
    uses_.assign(domains.size(), Use());
    counted_.assign(domains.size(), GangId());
    for (size_t i = 0; i < domains.size(); ++i) add(domains[i].domain, i);
    for (GangId gang : touched_gangs(cycle_.record, Touched())) {
      if (!cluster_.alive(gang)) continue;
      for (PodId pod : cluster_.pods_of(gang)) {
        const PodOutcome& outcome = cycle_.record.pods[pod];
        if (is_placed(outcome.status) && outcome.node.valid()) count(gang, outcome.node);
      }
    }
    return std::move(uses_);
  }

 private:
  using Places = absl::flat_hash_map<uint32_t, size_t>;  // by domain

  void add(const GangPlacement& domain, size_t place) {
    TopologyId topology = cluster_.find_topology(domain.topology);
    if (!topology.valid()) return;
    std::vector<std::string_view> path(domain.domain.begin(), domain.domain.end());
    DomainId id = find_domain(session_, topology, path);
    if (!id.valid()) return;
    places_[topology].emplace(id.value, place);
    for (NodeId node : session_.snapshot().trees()[topology].nodes(id)) {
      int64_t gpus = whole_gpus(cluster_.nodes()[node]);
      uses_[place].gpus += std::max<int64_t>(0, gpus - cycle_.record.nodes[node].idle);
    }
  }

  void count(GangId gang, NodeId node) {
    for (const auto& [topology, places] : places_) {
      const TopologyTree& tree = session_.snapshot().trees()[topology];
      if (!tree.contains(node)) continue;
      for (DomainId at = tree.domain_of(node); at.valid(); at = tree.parent(at)) {
        auto place = places.find(at.value);
        if (place == places.end() || counted_[place->second] == gang) continue;
        counted_[place->second] = gang;
        ++uses_[place->second].gangs;
      }
    }
  }

  const ComparedCycle& cycle_;
  const Cluster& cluster_;
  const Session& session_;
  std::map<TopologyId, Places> places_;
  std::vector<Use> uses_;        // by place
  std::vector<GangId> counted_;  // by place: the last gang
};

std::vector<DomainChange> domains_of(const Comparison& comparison, const ComparedCycle& before,
                                     const ComparedCycle& after) {
  std::vector<DomainChange> domains;
  for (const auto* changes : {&comparison.added, &comparison.lost, &comparison.moved,
                              &comparison.resized, &comparison.removed}) {
    for (const GangChange& change : *changes) {
      add_domain(before, change.before, domains);
      add_domain(after, change.after, domains);
    }
  }
  std::sort(domains.begin(), domains.end(), [](const DomainChange& a, const DomainChange& b) {
    return std::tie(a.domain.topology, a.domain.domain) <
           std::tie(b.domain.topology, b.domain.domain);
  });
  auto last = std::unique(
      domains.begin(), domains.end(),
      [](const DomainChange& a, const DomainChange& b) { return same_domain(a.domain, b.domain); });
  domains.erase(last, domains.end());
  std::vector<DomainChange::Use> uses_before = DomainCount(before).count(domains);
  std::vector<DomainChange::Use> uses_after = DomainCount(after).count(domains);
  for (size_t i = 0; i < domains.size(); ++i) {
    domains[i].before = uses_before[i];
    domains[i].after = uses_after[i];
  }
  return domains;
}

// A DaemonSet whose pods all run: there are more or fewer of them where nodes come or go, which is
// no change of the work.
bool is_settled_daemon_set(const ComparedCycle& after, const GangChange& change) {
  auto settled = [](const std::optional<GangFate>& fate) {
    return !fate || fate->placed == fate->pods;
  };
  return change.after && is_of_daemon_set(after.engine.cluster(), change.after->gang) &&
         settled(change.before) && settled(change.after);
}

CycleSummary summary_of(const ComparedCycle& cycle) {
  return cycle.summary != nullptr ? *cycle.summary
                                  : summarize(cycle.engine.cluster(), cycle.record);
}

}  // namespace

Comparison compare(const ComparedCycle& before, const ComparedCycle& after) {
  bool same = &before.engine == &after.engine;
  Touched touched = same ? after.record.touched : Touched();
  Fates fates_before = fates_of(before, touched_gangs(before.record, touched));
  Fates fates_after = fates_of(after, touched_gangs(after.record, touched));
  std::map<GangName, GangChange> changes;
  for (auto& [name, fate] : fates_before) {
    changes[name].before = std::move(fate);
  }
  for (auto& [name, fate] : fates_after) {
    changes[name].after = std::move(fate);
  }
  Comparison comparison;
  for (auto& [name, change] : changes) {
    if (is_settled_daemon_set(after, change)) continue;
    change.name_space = name.first;
    change.name = name.second;
    sort_in(std::move(change), comparison);
  }
  comparison.domains = domains_of(comparison, before, after);
  comparison.workloads = compare_workloads({before.engine.cluster(), before.record},
                                           {after.engine.cluster(), after.record});
  comparison.before = summary_of(before);
  comparison.after = summary_of(after);
  return comparison;
}

}  // namespace trellis
