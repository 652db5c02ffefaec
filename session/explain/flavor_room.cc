#include "session/explain/flavor_room.h"

#include <algorithm>
#include <optional>

#include "session/explain/shortage_columns.h"
#include "session/fits/fit_kernels.h"
#include "session/placement/leaf_columns.h"

namespace trellis {
namespace {

constexpr int kTrials = 64;  // domains that the search is run on

class RoomJudge {
 public:
  RoomJudge(Session& session, const Workload& workload, std::span<const FlavoredPodSet> sets,
            FitMode mode, FlavorRoom& room)
      : session_(session),
        workload_(workload),
        sets_(sets),
        mode_(mode),
        room_(room),
        tree_(session.snapshot().trees()[sets.front().topology]),
        search_(session),
        nodes_(session, room.unit.workers, mode) {}

  void judge() {
    room_.fits = try_in(DomainId(), room_.place);
    if (!room_.fits) room_.failure = search_.failure();
    std::span<const NodeId> all = session_.snapshot().all_nodes().node_order();
    room_.nodes = static_cast<int64_t>(all.size());
    room_.left_out = nodes_.among(all);
    count();
    sum_up_levels();
    list_domains();
    for (FlavorDomain& domain : room_.domains) settle(domain);
    if (std::any_of(room_.domains.begin(), room_.domains.end(), is_short)) find_shortages();
    describe_part();
    if (!room_.fits && mode_ == FitMode::Now) find_help();
  }

 private:
  static bool is_short(const FlavorDomain& domain) { return !domain.fits; }
  const WorkloadUnit& unit() const { return room_.unit; }
  int64_t needed() const { return unit().workers.count; }
  PodClassId pod_class() const { return unit().workers.pod_class; }

  bool try_in(DomainId within, WorkloadPlace& place) {
    Statement::Checkpoint start = session_.statement().checkpoint();
    bool placed = search_.place(workload_, sets_, mode_, place, within);
    session_.statement().rollback(start);
    return placed;
  }

  DomainCounts counts_of(const FlavoredPodSet& set, FitMode mode) {
    bool sums = session_.config().placement_profile == PlacementProfile::Kueue &&
                !ends_in_nodes(session_.cluster(), set.topology);
    if (sums) return summed_counts(session_, set, mode);
    bool known = set.pod_set == unit().workers.pod_set && mode == mode_;
    return {tree_, known ? nodes_.fits() : LeftOutNodes(session_, set, mode).fits()};
  }

  void count() {
    pods_ = counts_of(unit().workers, mode_);
    bool leaving = mode_ == FitMode::Now && session_.fits().anything_leaving();
    later_ = leaving ? counts_of(unit().workers, FitMode::Future) : pods_;
    if (unit().leader) leaders_ = counts_of(*unit().leader, mode_);
    if (!unit().segments.empty()) whole_ = DomainCounts(tree_, pods_, unit().segments);
  }

  void sum_up_levels() {
    for (int level = -1; level < tree_.level_count(); ++level) {
      LevelRoom& at = room_.levels.emplace_back();
      IdRange domains = tree_.level(level);
      at.level = level;
      at.domains = domains.size();
      for (uint32_t id = domains.first; id < domains.last; ++id) {
        DomainId domain(id);
        at.able += pods_[domain] >= needed() ? 1 : 0;
        if (!at.best.valid() || pods_[domain] > at.pods) at.best = domain;
        at.pods = pods_[at.best];
      }
    }
  }

  // Deepest level that is listed.
  int finest() const {
    if (unit().mode != KueueMode::Unconstrained) return unit().level;
    return unit().segments.empty() ? 0 : unit().segments.back().level;
  }

  void list_domains() {
    int coarsest = unit().mode == KueueMode::Required ? unit().level : -1;
    for (int level = finest(); level >= coarsest; --level) {
      IdRange domains = tree_.level(level);
      for (uint32_t id = domains.first; id < domains.last; ++id) {
        FlavorDomain& found = room_.domains.emplace_back();
        found.domain = DomainId(id);
        found.pods = pods_[found.domain];
        found.later_pods = later_[found.domain];
        if (leaders_) found.leaders = (*leaders_)[found.domain];
        found.segments = segments_in(found.domain);
        found.left_out = nodes_.among(tree_.nodes(found.domain));
      }
    }
  }

  SegmentFit segments_in(DomainId domain) const {
    if (!whole_) return {};
    int64_t size = unit().segments.front().size;
    return {static_cast<int32_t>(size), (*whole_)[domain] / size, (needed() + size - 1) / size};
  }

  // Decides by count and, where the count does not decide, by the search.
  void settle(FlavorDomain& found) {
    bool leader = !unit().leader || found.leaders >= unit().leader->count;
    found.fits = found.pods >= needed() && leader;
    if (!found.fits) return;
    bool even = found.segments.takes >= found.segments.needed;
    bool exact = session_.fits().exact(pod_class());
    if (even && exact && !unit().leader && unit().segments.size() < 2) return;
    if (trials_-- > 0) {
      WorkloadPlace place;
      found.fits = try_in(found.domain, place);
    } else {
      found.proved = false;
    }
  }

  // Each resource by itself, on the nodes that could take such pods at all.
  void find_shortages() {
    std::span<const NodeId> order = tree_.node_order();
    const auto& columns = session_.snapshot().state().columns(mode_);
    std::span<const ResourceAmount> requests =
        session_.cluster().pod_classes()[pod_class()].requests.items();
    for (const ResourceAmount& item : requests) {
      std::vector<int64_t> sums = {0};
      for (NodeId node : order) {
        bool counts = nodes_.is_usable(node);
        int32_t fit = fit_count(columns[item.resource][node], item.amount, kMostPodsPerNode);
        sums.push_back(sums.back() + (counts ? fit : 0));
      }
      for (FlavorDomain& found : room_.domains) {
        if (found.fits) continue;
        IdRange range = tree_.node_range(found.domain);
        int64_t missing = needed() - (sums[range.last] - sums[range.first]);
        if (missing <= 0) continue;
        found.shortages.push_back({item.resource, saturating_product(item.amount, missing)});
      }
    }
    for (FlavorDomain& found : room_.domains) {
      bool unknown = mode_ == FitMode::Now && !found.fits && found.shortages.empty();
      if (unknown && found.pods < needed()) find_narrowest(found);
    }
  }

  // Every resource suffices by itself, but they are not free on the same nodes.
  void find_narrowest(FlavorDomain& found) {
    std::vector<NodeId> usable;
    for (NodeId node : tree_.nodes(found.domain)) {
      if (nodes_.is_usable(node)) usable.push_back(node);
    }
    auto shortage = narrowest_resource(session_, pod_class(), usable, needed());
    if (shortage) found.shortages.push_back(*shortage);
  }

  void describe_part() {
    const Topology& topology = session_.cluster().topologies()[unit().workers.topology];
    DemandPart& part = room_.part;
    part.topology.topology = session_.cluster().vocabulary().strings.find(topology.name);
    if (unit().mode != KueueMode::Unconstrained) {
      StrId level = topology.levels[static_cast<size_t>(unit().level)].label;
      bool required = unit().mode == KueueMode::Required;
      (required ? part.topology.required : part.topology.preferred) = level;
    }
    part.rows.push_back({pod_class(), needed(), {}});
    part.segments = unit().layers;
    part.by_count = unit().leader.has_value() || !session_.fits().exact(pod_class());
  }

  void find_help() {
    DemandExplanation gang = as_gang();
    for (size_t i = 0; i < room_.domains.size(); ++i) {
      room_.domains[i].remedy = remedy_for(session_, gang, gang.domains[i]);
    }
    room_.help = help_for(session_, gang, 0);
  }

  DemandExplanation as_gang() const {
    DemandExplanation gang;
    gang.parts.push_back(room_.part);
    for (const FlavorDomain& found : room_.domains) {
      DomainJudgement judgement{.domain = {unit().workers.topology, found.domain},
                                .allocatable_pods = found.pods,
                                .later_pods = found.later_pods,
                                .needed = needed(),
                                .first_shortage = static_cast<uint32_t>(gang.shortages.size()),
                                .shortages = static_cast<uint32_t>(found.shortages.size()),
                                .fits = found.fits,
                                .proved = found.proved};
      gang.shortages.insert(gang.shortages.end(), found.shortages.begin(), found.shortages.end());
      gang.domains.push_back(judgement);
    }
    for (int level = 0; level < tree_.level_count(); ++level) {
      LevelSize& size = gang.levels.emplace_back();
      size.topology = unit().workers.topology;
      size.level = level;
      IdRange domains = tree_.level(level);
      for (uint32_t id = domains.first; id < domains.last; ++id) {
        auto nodes = static_cast<int64_t>(tree_.nodes(DomainId(id)).size());
        size.nodes = std::max(size.nodes, nodes);
      }
    }
    return gang;
  }

  Session& session_;
  const Workload& workload_;
  std::span<const FlavoredPodSet> sets_;
  FitMode mode_;
  FlavorRoom& room_;
  const TopologyTree& tree_;
  WorkloadSearch search_;
  LeftOutNodes nodes_;
  DomainCounts pods_;
  DomainCounts later_;
  std::optional<DomainCounts> leaders_;
  std::optional<DomainCounts> whole_;  // pods in whole segments
  int trials_ = kTrials;
};

}  // namespace

FlavorRoom judge_room(Session& session, const Workload& workload,
                      std::span<const FlavoredPodSet> sets, FitMode mode) {
  FlavorRoom room;
  std::optional<UnitError> error;
  std::vector<WorkloadUnit> units = workload_units(session.cluster(), workload, sets, error);
  room.unit = units.front();
  if (error) {
    room.error = error->text;
    return room;
  }
  RoomJudge(session, workload, sets, mode, room).judge();
  return room;
}

}  // namespace trellis
