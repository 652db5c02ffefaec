#include "session/placement/workload_search.h"

#include <algorithm>
#include <string>

#include "session/placement/leaf_columns.h"
#include "session/placement/near_miss.h"

namespace trellis {
namespace {

// The number of places tried for one unit, and for all units together, when several must find room.
constexpr size_t kChoices = 8;
constexpr int64_t kBudget = 256;

int64_t pods_of(const WorkloadUnit& unit) {
  return unit.workers.count + (unit.leader ? unit.leader->count : 0);
}

// What keeps `unit` from a place where counts alone do not; or what the counts are of.
std::string obstacle(PlacementContext& context, size_t units, const WorkloadUnit& unit,
                     const Reason& reason) {
  if (reason.found < reason.needed) {
    if (unit.segments.empty()) return "";
    return "segments of " + std::to_string(unit.segments.front().size);
  }
  if (unit.leader) return "together with their leader";
  if (units > 1) return "beside the workload's other PodSets";
  if (!unit.segments.empty()) return "in segments of every layer";
  if (!context.fits().exact(unit.workers.pod_class)) return "with what they ask of each other";
  return "within what the search may try";
}

}  // namespace

FlavoredPodSet flavored_pod_set(const PlacementContext& context, WorkloadId workload,
                                const Admission& admission, size_t pod_set) {
  const WorkloadLedger& ledger = context.snapshot().workloads();
  FlavoredPodSet set;
  set.pod_set = static_cast<uint32_t>(pod_set);
  set.flavor = ledger.placed_flavor(context.cluster(), admission.pod_sets[pod_set]);
  set.topology = ledger.topology_of(context.cluster(), set.flavor);
  if (set.flavor.valid()) set.pod_class = ledger.flavored(workload, pod_set, set.flavor);
  set.count = admission.pod_sets[pod_set].count;
  return set;
}

bool WorkloadSearch::place(const Workload& workload, std::span<const FlavoredPodSet> pod_sets,
                           FitMode mode, WorkloadPlace& place, DomainId within) {
  within_ = within;
  workload_ = &workload;
  mode_ = mode;
  misconfigured_.clear();
  std::optional<UnitError> error;
  units_ = workload_units(context_.cluster(), workload, pod_sets, error);
  if (error) {
    misconfigured_ = error->text;
    return false;
  }
  std::erase_if(units_, [](const WorkloadUnit& unit) { return pods_of(unit) == 0; });
  places_.assign(units_.size(), {});
  furthest_ = 0;
  if (!place_all(mode)) return false;
  collect(place);
  return true;
}

bool WorkloadSearch::place_all(FitMode mode) {
  bool kueue = context_.config().placement_profile == PlacementProfile::Kueue;
  if (kueue || units_.size() < 2) return place_in_order(mode);
  // Each unit is placed at least as well as by Kueue; all of them together need not be.
  Statement::Checkpoint start = context_.statement().checkpoint();
  bool known = !within_.valid() && find_kueues(mode);
  bool placed = place_in_order(mode) || search_back(mode);
  if (!known) return placed;
  std::vector<int32_t> used = domains_used(places_);
  std::vector<int32_t> kueues = domains_used(kueues_);
  bool better = placed;
  for (size_t level = 0; level < used.size(); ++level) {
    better = better && used[level] <= kueues[level];
  }
  if (better) return true;
  context_.statement().rollback(start);
  places_ = std::move(kueues_);
  for (const UnitPlace& place : places_) take(place, mode);
  return true;
}

bool WorkloadSearch::find_kueues(FitMode mode) {
  Statement::Checkpoint start = context_.statement().checkpoint();
  kueues_.clear();
  for (const WorkloadUnit& unit : units_) {
    std::optional<UnitPlace> found = choices_.find_kueues(unit, mode);
    bool same_topology = unit.workers.topology == units_.front().workers.topology;
    if (!found || !same_topology) break;
    take(*found, mode);
    kueues_.push_back(std::move(*found));
  }
  context_.statement().rollback(start);
  return kueues_.size() == units_.size();
}

// The number of domains used, by level, of all units together.
std::vector<int32_t> WorkloadSearch::domains_used(std::span<const UnitPlace> places) const {
  const TopologyTree& tree = context_.snapshot().trees()[units_.front().workers.topology];
  std::vector<int32_t> used;
  for (int level = 0; level < tree.level_count(); ++level) {
    std::vector<DomainId> domains;
    for (const UnitPlace& place : places) {
      for (const LeafCounts& counts : place.leaves) {
        domains.push_back(tree.ancestor(counts.leaf, level));
      }
    }
    std::sort(domains.begin(), domains.end());
    auto last = std::unique(domains.begin(), domains.end());
    used.push_back(static_cast<int32_t>(last - domains.begin()));
  }
  return used;
}

bool WorkloadSearch::place_in_order(FitMode mode) {
  Statement::Checkpoint start = context_.statement().checkpoint();
  for (size_t i = 0; i < units_.size(); ++i) {
    std::vector<UnitPlace> found = choices_.find(units_[i], mode, 1, within_);
    if (found.empty()) {
      furthest_ = i;
      context_.statement().rollback(start);
      return false;
    }
    places_[i] = std::move(found.front());
    take(places_[i], mode);
  }
  return true;
}

// Goes back to earlier units when a later one finds no place.
bool WorkloadSearch::search_back(FitMode mode) {
  struct Stage {
    std::vector<UnitPlace> choices;
    size_t next = 0;
    Statement::Checkpoint start;
  };
  Statement& statement = context_.statement();
  std::vector<Stage> stages;
  auto open = [&] {
    const WorkloadUnit& unit = units_[stages.size()];
    Statement::Checkpoint start = statement.checkpoint();
    stages.push_back({choices_.find(unit, mode, kChoices, within_), 0, start});
  };
  open();
  for (int64_t budget = kBudget; !stages.empty() && budget > 0; --budget) {
    Stage& stage = stages.back();
    statement.rollback(stage.start);
    if (stage.next == stage.choices.size()) {
      stages.pop_back();
      continue;
    }
    UnitPlace& place = places_[stages.size() - 1];
    place = stage.choices[stage.next++];
    take(place, mode);
    if (stages.size() == units_.size()) return true;
    open();
  }
  if (!stages.empty()) statement.rollback(stages.front().start);
  return false;
}

void WorkloadSearch::take(const UnitPlace& place, FitMode mode) {
  for (const std::vector<SlotFill>* fills : {&place.leaders, &place.workers}) {
    for (const SlotFill& fill : *fills) {
      context_.statement().take_slots(fill.pod_class, fill.node, fill.count, mode);
    }
  }
}

Reason WorkloadSearch::failure() {
  Reason reason;
  if (!misconfigured_.empty()) {
    reason.code = ReasonCode::Misconfigured;
    reason.subject = misconfigured_;
    return reason;
  }
  const Cluster& cluster = context_.cluster();
  const WorkloadUnit& unit = units_[furthest_];
  TopologyId topology = unit.workers.topology;
  const TopologyTree& tree = context_.snapshot().trees()[topology];
  DomainCounts sums;
  bool summed = context_.config().placement_profile == PlacementProfile::Kueue &&
                !ends_in_nodes(cluster, topology);
  if (summed) sums = summed_counts(context_, unit.workers, mode_);
  const DomainCounts& counts =
      summed ? sums : context_.fits().domain_counts(topology, unit.workers.pod_class, mode_);
  bool required = unit.mode == KueueMode::Required;
  int level = required ? unit.level : -1;
  IdRange domains = tree.level(level);
  DomainCounts whole;
  if (!unit.segments.empty()) whole = DomainCounts(tree, counts, unit.segments);
  const DomainCounts& fit = unit.segments.empty() ? counts : whole;
  DomainId best;
  for (uint32_t id = domains.first; id < domains.last; ++id) {
    if (!best.valid() || fit[DomainId(id)] > fit[best]) best = DomainId(id);
  }
  const StringTable& strings = cluster.vocabulary().strings;
  reason.code = ReasonCode::TopologyPlacementFailed;
  reason.plugin = "topology";
  reason.needed = unit.workers.count;
  reason.found = best.valid() ? std::min<int64_t>(fit[best], reason.needed) : 0;
  reason.subject = obstacle(context_, units_.size(), unit, reason);
  reason.topology = cluster.topologies()[topology].name;
  reason.flavor = cluster.workloads().flavors()[unit.workers.flavor].name;
  if (workload_->pod_sets.size() > 1) {
    reason.subgroup = strings.view(workload_->pod_sets[unit.workers.pod_set].name);
  }
  if (required) {
    StrId label = cluster.topologies()[topology].levels[static_cast<size_t>(level)].label;
    reason.level = strings.view(label);
    if (best.valid() && reason.found > 0) {
      for (StrId value : tree.path(best)) reason.domain.emplace_back(strings.view(value));
    }
  }
  reason.nodes = static_cast<int64_t>(context_.snapshot().all_nodes().node_order().size());
  reason.verdicts =
      context_.verdict_counts().of(context_, unit.workers.pod_class, TopologyId(), DomainId());
  take_limit(reason);
  return reason;
}

void WorkloadSearch::collect(WorkloadPlace& place) const {
  place.pod_sets.clear();
  for (size_t i = 0; i < units_.size(); ++i) {
    const WorkloadUnit& unit = units_[i];
    const UnitPlace& found = places_[i];
    PodSetPlace& workers = place.pod_sets.emplace_back();
    workers.set = unit.workers;
    workers.slots = found.workers;
    for (const LeafCounts& counts : found.leaves) {
      if (counts.workers > 0) workers.leaves.emplace_back(counts.leaf, counts.workers);
    }
    if (!unit.leader) continue;
    PodSetPlace& leader = place.pod_sets.emplace_back();
    leader.set = *unit.leader;
    leader.slots = found.leaders;
    for (const LeafCounts& counts : found.leaves) {
      if (counts.leaders > 0) leader.leaves.emplace_back(counts.leaf, counts.leaders);
    }
  }
  std::sort(
      place.pod_sets.begin(), place.pod_sets.end(),
      [](const PodSetPlace& a, const PodSetPlace& b) { return a.set.pod_set < b.set.pod_set; });
}

}  // namespace trellis
