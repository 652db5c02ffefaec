#include "session/placement/workload_search.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "session/placement/divided_fill.h"
#include "session/placement/leaf_columns.h"
#include "session/placement/near_miss.h"
#include "session/placement/workload_demand.h"

namespace trellis {
namespace {

int64_t pods_of(const WorkloadUnit& unit) {
  return unit.workers.count + (unit.leader ? unit.leader->count : 0);
}

void take(PlacementContext& context, const UnitPlace& place, FitMode mode) {
  for (const std::vector<SlotFill>* fills : {&place.leaders, &place.workers}) {
    for (const SlotFill& fill : *fills) {
      context.statement().take_slots(fill.pod_class, fill.node, fill.count, mode);
    }
  }
}

// The nodes of placed pods.
std::vector<SlotFill> fills_of(const Snapshot& snapshot, const RowPods& row) {
  std::vector<SlotFill> fills;
  for (PodId pod : row.pods) {
    NodeId node = snapshot.pod(pod).node;
    if (fills.empty() || fills.back().node != node) fills.push_back({row.pod_class, node, 0});
    ++fills.back().count;
  }
  return fills;
}

// The leaves of a topology that units use, in order, each once.
std::vector<DomainId> leaves_of(std::span<const WorkloadUnit> units, TopologyId topology,
                                std::span<const UnitPlace> places) {
  std::vector<DomainId> leaves;
  for (size_t i = 0; i < units.size(); ++i) {
    if (units[i].workers.topology != topology) continue;
    for (const LeafCounts& counts : places[i].leaves) leaves.push_back(counts.leaf);
  }
  std::sort(leaves.begin(), leaves.end());
  leaves.erase(std::unique(leaves.begin(), leaves.end()), leaves.end());
  return leaves;
}

// How many domains of each level the leaves are in. `domains`: the leaves, in order, each once.
std::vector<int64_t> domains_used(const TopologyTree& tree, std::vector<DomainId> domains) {
  std::vector<int64_t> used(static_cast<size_t>(tree.level_count()));
  for (int level = tree.level_count() - 1; level >= 0; --level) {
    for (DomainId& domain : domains) {
      if (tree.level_of(domain) > level) domain = tree.parent(domain);
    }
    domains.erase(std::unique(domains.begin(), domains.end()), domains.end());
    used[static_cast<size_t>(level)] = static_cast<int64_t>(domains.size());
  }
  return used;
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

UnitPlace place_of(const PlacementContext& context, const WorkloadUnit& unit,
                   const RowPods& workers, const RowPods& leader) {
  const TopologyTree& tree = context.snapshot().trees()[unit.workers.topology];
  UnitPlace place;
  place.workers = fills_of(context.snapshot(), workers);
  place.leaders = fills_of(context.snapshot(), leader);
  std::map<DomainId, LeafCounts> leaves;
  for (const SlotFill& fill : place.workers)
    leaves[tree.domain_of(fill.node)].workers += fill.count;
  for (const SlotFill& fill : place.leaders)
    leaves[tree.domain_of(fill.node)].leaders += fill.count;
  for (auto& [leaf, counts] : leaves) {
    counts.leaf = leaf;
    place.leaves.push_back(counts);
  }
  return place;
}

WorkloadPlace workload_place(std::span<const WorkloadUnit> units,
                             std::span<const UnitPlace> places) {
  WorkloadPlace place;
  for (size_t i = 0; i < units.size(); ++i) {
    const WorkloadUnit& unit = units[i];
    const UnitPlace& found = places[i];
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
  return place;
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
  if (!place_units()) return false;
  place = workload_place(units_, places_);
  return true;
}

std::optional<UnitPlace> WorkloadSearch::place_more(const WorkloadUnit& unit, FitMode mode,
                                                    DomainId within) {
  within_ = within;
  mode_ = mode;
  units_ = {unit};
  if (!place_units()) return std::nullopt;
  return std::move(places_.front());
}

bool WorkloadSearch::is_kueue() const {
  return context_.config().placement_profile == PlacementProfile::Kueue;
}

bool WorkloadSearch::place_units() {
  places_.clear();
  furthest_ = 0;
  exhausted_ = false;
  if (units_.empty()) return true;
  if (!is_kueue() && !has_room()) return false;
  bool known = find_kueues();
  if (is_kueue() && !known) return false;
  bool settled = known && (is_kueue() || (!have_preferences() && is_best(places_)));
  if (!settled && !search_further(known)) return false;
  take_all();
  return true;
}

// Searches as for a gang. Kueue's places, where they are known, stay unless the search has better
// ones.
bool WorkloadSearch::search_further(bool known) {
  std::vector<UnitPlace> kueues = std::move(places_);
  bool placed = place_demand();
  if (!known) return placed;
  bool better = placed && (have_preferences() || improves(places_, kueues));
  if (!better) places_ = std::move(kueues);
  return true;
}

// Whether so many pods would fit one by one, unit by unit.
bool WorkloadSearch::has_room() {
  for (size_t i = 0; i < units_.size(); ++i) {
    const FlavoredPodSet& workers = units_[i].workers;
    const TopologyTree& tree = context_.snapshot().trees()[workers.topology];
    const DomainCounts& pods =
        context_.fits().domain_counts(workers.topology, workers.pod_class, mode_);
    if (pods[within_.valid() ? within_ : tree.root()] >= workers.count) continue;
    furthest_ = i;
    return false;
  }
  return true;
}

// Kueue's answers for all units, each beside those before it.
bool WorkloadSearch::find_kueues() {
  Statement::Checkpoint start = context_.statement().checkpoint();
  for (const WorkloadUnit& unit : units_) {
    std::optional<UnitPlace> found = answers_.find(unit, mode_, within_);
    if (!found) break;
    places_.push_back(std::move(*found));
    if (places_.size() < units_.size()) take(context_, places_.back(), mode_);
  }
  context_.statement().rollback(start);
  furthest_ = std::min(places_.size(), units_.size() - 1);
  return places_.size() == units_.size();
}

bool WorkloadSearch::have_preferences() const {
  PlacementUnit unit;
  for (const WorkloadUnit& one : units_) unit.rows.push_back({one.workers.pod_class, {}});
  return has_preferences(context_, unit);
}

// The fewest domains of a level that the largest ones allow the unit.
int64_t WorkloadSearch::least_domains(const FlavoredPodSet& workers, int level) {
  const TopologyTree& tree = context_.snapshot().trees()[workers.topology];
  const DomainCounts& pods =
      context_.fits().domain_counts(workers.topology, workers.pod_class, mode_);
  int64_t most = std::max<int64_t>(pods.level_bound(tree, level), 1);
  return std::max<int64_t>((workers.count + most - 1) / most, 1);
}

// Whether no level has fewer domains for these units of one topology. A unit that balances its pods
// among domains is not judged.
bool WorkloadSearch::is_best(std::span<const WorkloadUnit> units,
                             std::span<const UnitPlace> places) {
  TopologyId topology = units.front().workers.topology;
  std::vector<int64_t> used =
      domains_used(context_.snapshot().trees()[topology], leaves_of(units, topology, places));
  for (size_t level = 0; level < used.size(); ++level) {
    if (used[level] <= 1) continue;
    int64_t least = 0;
    for (const WorkloadUnit& unit : units) {
      if (unit.workers.topology != topology || unit.balanced) continue;
      least = std::max(least, least_domains(unit.workers, static_cast<int>(level)));
    }
    if (least > 0 && used[level] > least) return false;
  }
  return true;
}

// Whether the units use as few domains as can be, each by itself and all of a topology together.
bool WorkloadSearch::is_best(std::span<const UnitPlace> places) {
  std::span<const WorkloadUnit> units = units_;
  for (size_t i = 0; i < units.size(); ++i) {
    if (!is_best(units.subspan(i, 1), places.subspan(i, 1))) return false;
  }
  if (units.size() == 1) return true;
  for (size_t i = 0; i < units.size(); ++i) {
    // Once for each topology: the first unit has all of it behind.
    bool first = std::ranges::none_of(units.first(i), [&](const WorkloadUnit& before) {
      return before.workers.topology == units[i].workers.topology;
    });
    if (first && !is_best(units.subspan(i), places.subspan(i))) return false;
  }
  return true;
}

// Whether the places use fewer domains than the others on some level and more on none, all units
// together.
bool WorkloadSearch::improves(std::span<const UnitPlace> places,
                              std::span<const UnitPlace> others) const {
  std::set<TopologyId> topologies;
  for (const WorkloadUnit& unit : units_) topologies.insert(unit.workers.topology);
  bool fewer = false;
  for (TopologyId topology : topologies) {
    const TopologyTree& tree = context_.snapshot().trees()[topology];
    std::vector<int64_t> used = domains_used(tree, leaves_of(units_, topology, places));
    std::vector<int64_t> others_used = domains_used(tree, leaves_of(units_, topology, others));
    for (size_t level = 0; level < used.size(); ++level) {
      if (used[level] > others_used[level]) return false;
      fewer = fewer || used[level] < others_used[level];
    }
  }
  return fewer;
}

// Searches with reserved pods; what it finds is taken back, and only noted.
bool WorkloadSearch::place_demand() {
  Statement::Checkpoint start = context_.statement().checkpoint();
  WorkloadDemand demand(context_, units_, within_);
  exhausted_ = !demand.reserved();
  if (exhausted_) return false;
  demand_.set_mode(mode_);
  demand_.budget().refill(context_.config().limits.search_budget);
  SearchResult result =
      demand_.place(demand.rows(), [&](SegmentForm form) { return demand.make_units(form); });
  exhausted_ = result == SearchResult::BudgetExhausted;
  if (result != SearchResult::Placed) {
    int32_t unit = demand_.failure()->unit.subgroup;
    if (unit >= 0) furthest_ = static_cast<size_t>(unit);
    return false;
  }
  places_.clear();
  for (size_t i = 0; i < units_.size(); ++i) {
    places_.push_back(place_of(context_, units_[i], demand.workers(i), demand.leader(i)));
  }
  context_.statement().rollback(start);
  return true;
}

void WorkloadSearch::take_all() {
  for (const UnitPlace& place : places_) take(context_, place, mode_);
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

}  // namespace trellis
