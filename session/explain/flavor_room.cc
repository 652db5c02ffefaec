#include "session/explain/flavor_room.h"

#include <algorithm>
#include <optional>

#include "session/explain/domain_judge.h"
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
    describe_part();
    JudgeRules rules{.prove = [&](const DomainJudgement& judgement) { return prove(judgement); },
                     .counts = [&](const AskedRow& row, FitMode mode) { return count(row, mode); },
                     .left_out = &nodes_};
    judge_domains(session_, 0, rules, room_.demand);
    sum_up_levels();
    room_.details = look_into(session_, room_.demand, &nodes_);
    room_.help = help_for(session_, room_.demand);
    room_.preferences = placement_groups(session_, room_.demand.parts.front().rows, mode_);
  }

 private:
  const WorkloadUnit& unit() const { return room_.unit; }
  PodClassId pod_class() const { return unit().workers.pod_class; }

  bool try_in(DomainId within, WorkloadPlace& place) {
    Statement::Checkpoint start = session_.statement().checkpoint();
    bool placed = search_.place(workload_, sets_, mode_, place, within);
    session_.statement().rollback(start);
    return placed;
  }

  // Where counts do not decide, the search does.
  Proof prove(const DomainJudgement& judgement) {
    SegmentFit segments = room_.demand.segments_of(judgement);
    bool even = segments.takes >= segments.needed;
    bool exact = session_.fits().exact(pod_class());
    if (even && exact && !unit().leader && unit().segments.size() < 2) return Proof::Fits;
    if (trials_-- <= 0) return Proof::Unknown;
    WorkloadPlace place;
    return try_in(judgement.domain.domain, place) ? Proof::Fits : Proof::FitsNot;
  }

  DomainCounts count(const AskedRow& row, FitMode mode) {
    bool worker = row.pod_class == pod_class();
    const FlavoredPodSet& set = worker ? unit().workers : *unit().leader;
    bool sums = session_.config().placement_profile == PlacementProfile::Kueue &&
                !ends_in_nodes(session_.cluster(), set.topology);
    if (sums) return summed_counts(session_, set, mode);
    bool known = worker && mode == mode_;
    return {tree_, known ? nodes_.fits() : LeftOutNodes(session_, set, mode).fits()};
  }

  void sum_up_levels() {
    const AskedRow& workers = room_.demand.parts.front().rows.front();
    DomainCounts pods = count(workers, mode_);
    for (int level = -1; level < tree_.level_count(); ++level) {
      LevelRoom& at = room_.levels.emplace_back();
      IdRange domains = tree_.level(level);
      at.level = level;
      at.domains = domains.size();
      for (uint32_t id = domains.first; id < domains.last; ++id) {
        DomainId domain(id);
        at.able += pods[domain] >= workers.pods ? 1 : 0;
        if (!at.best.valid() || pods[domain] > at.pods) at.best = domain;
        at.pods = pods[at.best];
      }
    }
  }

  void describe_part() {
    const Topology& topology = session_.cluster().topologies()[unit().workers.topology];
    DemandPart& part = room_.demand.parts.emplace_back();
    part.topology = constraint_of(session_.cluster(), unit());
    int finest = unit().segments.empty() ? 0 : unit().segments.back().level;
    if (unit().mode != KueueMode::Unconstrained) finest = unit().level;
    part.finest = topology.levels[static_cast<size_t>(finest)].label;
    part.rows.push_back({pod_class(), unit().workers.count, {}});
    part.led = unit().leader.has_value();
    if (part.led) part.rows.push_back({unit().leader->pod_class, unit().leader->count, {}});
    part.segments = unit().layers;
    part.by_count = part.led || !session_.fits().exact(pod_class());
    part.mode = mode_;
  }

  Session& session_;
  const Workload& workload_;
  std::span<const FlavoredPodSet> sets_;
  FitMode mode_;
  FlavorRoom& room_;
  const TopologyTree& tree_;
  WorkloadSearch search_;
  LeftOutNodes nodes_;
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
