#include "actions/defragmentation/move_plan.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace trellis {
namespace {

constexpr int64_t kMostTrials = 16384;
constexpr int64_t kMostOfPhase = 1024;  // trials of single gangs, or of sets, in a step
constexpr size_t kMostBounds = 4096;    // gangs that are looked at in a step
constexpr size_t kFewGangs = 6;         // of which every set of up to kMostOfSet is tried
constexpr size_t kMostOfSet = 4;
constexpr size_t kMostScopes = 64;   // of a level
constexpr size_t kMostPrefix = 12;   // gangs of a set where they are many
constexpr size_t kMostReduced = 64;  // moves of a plan that are tried to be left out

class Planner {
 public:
  Planner(Session& session, const PlanLimits& limits, MovePlan& plan)
      : session_(session),
        limits_(limits),
        plan_(plan),
        disruptions_(session),
        gauge_(session),
        sets_(session, gauge_) {}

  void run() {
    plan_.before = gauge_.read();
    plan_.worth_unit = std::max<int64_t>(1, gauge_.pods());
    if (gauge_.pods() > 0) {
      for (const MovableGang& gang : plan_.movable.gangs) offer(gang);
      while (std::optional<PlacedSet> next = best_set()) {
        if (!take(*std::move(next))) break;
      }
      leave_out();
    }
    plan_.after = gauge_.read();
  }

 private:
  using Gangs = MoveSets::Gangs;

  void begin_phase() { most_trials_ = std::min(kMostTrials, sets_.trials() + kMostOfPhase); }
  bool out_of_trials() {
    bool out = sets_.trials() >= most_trials_;
    plan_.cut = plan_.cut || out;
    return out;
  }

  void offer(const MovableGang& gang) {
    if (allowed({&gang})) {
      left_.push_back(&gang);
    } else {
      note_blocked();
    }
  }

  void note_blocked() {
    auto& others = plan_.movable.others;
    auto known = std::ranges::find(others, ReasonCode::DisruptionBudgetBlocks, &VerdictCount::code);
    if (known == others.end()) {
      known = others.insert(known, {.code = ReasonCode::DisruptionBudgetBlocks});
    }
    ++known->nodes;
  }

  bool allowed(const Gangs& gangs) const {
    std::vector<VictimUnit> units = units_;
    for (const MovableGang* gang : gangs) units.push_back({gang->gang, true, gang->pods});
    return disruptions_.allow(units);
  }

  static int64_t moved_by(const Gangs& gangs) {
    int64_t moved = 0;
    for (const MovableGang* gang : gangs) moved += gang->gpu_milli;
    return moved;
  }

  bool within_limits(const Gangs& gangs) const {
    return moved_by(gangs) <= limits_.moved_milli - moved_ && allowed(gangs);
  }

  // Whether so much gain for so many GPUs is enough.
  bool is_enough(int64_t gain, int64_t moved) const {
    return gain > 0 && static_cast<double>(gain) >= limits_.min_gain * static_cast<double>(moved) *
                                                        static_cast<double>(plan_.worth_unit);
  }

  // Whether a set of so many gangs with so much gain goes before the best one so far.
  bool beats(int64_t gain, size_t gangs, int64_t moved) const {
    if (!is_enough(gain, moved)) return false;
    if (!best_) return true;
    int64_t own = gain * static_cast<int64_t>(best_->size());
    int64_t other = best_->gain * static_cast<int64_t>(gangs);
    return own != other ? own > other : moved < best_->moved_milli;
  }

  bool worth_trying(const Gangs& gangs) {
    return !out_of_trials() && within_limits(gangs) &&
           beats(sets_.bound(gangs), gangs.size(), moved_by(gangs));
  }

  std::optional<PlacedSet> best_set() {
    best_.reset();
    begin_phase();
    try_singles();
    begin_phase();
    try_scopes();
    return std::move(best_);
  }

  // Those that could gain most first.
  void try_singles() {
    std::vector<std::pair<int64_t, const MovableGang*>> bounds;
    for (const MovableGang* gang : left_) {
      if (bounds.size() == kMostBounds) break;
      if (within_limits({gang})) bounds.emplace_back(sets_.bound({gang}), gang);
    }
    std::ranges::stable_sort(bounds, std::ranges::greater(),
                             [](const auto& one) { return one.first; });
    for (const auto& [bound, gang] : bounds) {
      if (out_of_trials() || (best_ && bound < best_->gain)) return;
      if (beats(bound, 1, gang->gpu_milli)) try_places({gang});
    }
  }

  void try_places(const Gangs& gangs) {
    try_off(gangs, {});
    try_off(gangs, sets_.nodes_to_keep(gangs));
    size_t before = 0;
    for (size_t level = gauge_.level_count(); level-- > 0;) {
      MoveSets::Nodes around = sets_.nodes_around(gangs, level);
      if (around.size() > before) try_off(gangs, around);
      before = std::max(before, around.size());
    }
  }

  void try_off(const Gangs& gangs, const MoveSets::Nodes& off) {
    if (out_of_trials()) return;
    int64_t moved = moved_by(gangs);
    std::optional<PlacedSet> set =
        sets_.search(gangs, off, [&](int64_t gain) { return beats(gain, gangs.size(), moved); });
    if (set) best_ = std::move(set);
  }

  void try_scopes() {
    if (left_.size() <= kFewGangs) return try_subsets(left_);
    std::map<NodeId, Gangs> on_node;
    for (const MovableGang* gang : left_) {
      for (NodeId node : gang->nodes) on_node[node].push_back(gang);
    }
    std::vector<Gangs> scopes;
    for (NodeId node : session_.snapshot().all_nodes().node_order()) {
      auto found = on_node.find(node);
      if (found != on_node.end()) scopes.push_back(std::move(found->second));
    }
    try_sets_in(std::move(scopes));
    for (size_t level = gauge_.level_count(); level-- > 0;) try_sets_in(domains_of(level));
  }

  std::vector<Gangs> domains_of(size_t level) const {
    const TopologyTree& tree = session_.snapshot().tree(gauge_.topology_of(level));
    std::map<DomainId, Gangs> inside;
    for (const MovableGang* gang : left_) {
      for (NodeId node : gang->nodes) {
        if (!tree.contains(node)) continue;
        DomainId domain = tree.ancestor(tree.domain_of(node), gauge_.depth_of(level));
        if (!domain.valid()) continue;
        Gangs& known = inside[domain];
        if (known.empty() || known.back() != gang) known.push_back(gang);
      }
    }
    std::vector<Gangs> scopes;
    for (auto& [domain, gangs] : inside) scopes.push_back(std::move(gangs));
    return scopes;
  }

  // Of the scopes with the fewest GPUs to move. A set of two or more gains for each of them half of
  // what all together could gain at most.
  void try_sets_in(std::vector<Gangs> scopes) {
    std::erase_if(scopes, [](const Gangs& gangs) { return gangs.size() < 2; });
    std::ranges::stable_sort(scopes, {}, moved_by);
    if (scopes.size() > kMostScopes) scopes.resize(kMostScopes);
    for (const Gangs& gangs : scopes) {
      if (out_of_trials()) return;
      if (!beats(sets_.bound(gangs), 2, moved_by({gangs[0], gangs[1]}))) continue;
      if (gangs.size() <= kFewGangs) {
        try_subsets(gangs);
      } else {
        try_prefixes(gangs);
      }
    }
  }

  void try_set(const Gangs& gangs) {
    if (worth_trying(gangs)) try_places(gangs);
  }

  // The smallest first. REQUIRES: at most kFewGangs gangs.
  void try_subsets(const Gangs& gangs) {
    for (size_t size = 2; size <= std::min(kMostOfSet, gangs.size()); ++size) {
      for (uint32_t set = 1; set < uint32_t{1} << gangs.size(); ++set) {
        Gangs chosen;
        for (size_t i = 0; i < gangs.size(); ++i) {
          if ((set >> i & 1U) != 0) chosen.push_back(gangs[i]);
        }
        if (chosen.size() == size) try_set(chosen);
      }
    }
  }

  // The gangs with the fewest GPUs, more and more of them.
  void try_prefixes(const Gangs& gangs) {
    for (size_t size = 2; size <= std::min(kMostPrefix, gangs.size()); ++size) {
      try_set(Gangs(gangs.begin(), gangs.begin() + static_cast<std::ptrdiff_t>(size)));
    }
  }

  // False: beside the sets that were taken, it cannot be carried out or would not gain enough.
  bool take(PlacedSet set) {
    std::vector<PlacedSet> all = plan_.sets;
    all.push_back(std::move(set));
    if (!replace(all)) return false;
    for (const GangMove& move : all.back().moves) {
      units_.push_back({move.gang->gang, true, move.gang->pods});
      std::erase(left_, move.gang);
    }
    moved_ += all.back().moved_milli;
    plan_.sets = std::move(all);
    return true;
  }

  // Gives up moves without which the room is worth as much. The gains of the sets are read again.
  void leave_out() {
    std::vector<GangMove> all = moves_of(plan_.sets);
    if (all.size() < 2 || all.size() > kMostReduced) return;
    for (size_t i = all.size(); i-- > 0;) {
      const MovableGang* gang = all[i].gang;
      std::vector<PlacedSet> without = plan_.sets;
      for (PlacedSet& set : without) {
        std::erase_if(set.moves, [&](const GangMove& move) { return move.gang == gang; });
      }
      std::erase_if(without, [](const PlacedSet& set) { return set.moves.empty(); });
      try_instead(std::move(without));
    }
  }

  // Takes the other sets instead of the plan's where they are worth as much, and each gains enough.
  void try_instead(std::vector<PlacedSet> other) {
    int64_t before = gauge_.worth();
    if (!replace(other)) return;
    if (gauge_.worth() < before) {
      session_.statement().rollback();
      make(plan_.sets);
      return;
    }
    plan_.sets = std::move(other);
  }

  // Makes these sets instead of the plan's, which are made again where that fails.
  bool replace(std::vector<PlacedSet>& sets) {
    session_.statement().rollback();
    if (stand_together(sets) && make(sets) && promises_hold(session_)) return true;
    session_.statement().rollback();
    make(plan_.sets);
    return false;
  }

  // Whether the gangs of all sets have their places once all have left. A gang with terms about
  // other pods was placed while those of later sets were still where they leave from.
  bool stand_together(const std::vector<PlacedSet>& sets) {
    std::vector<GangMove> all = moves_of(sets);
    Statement::Checkpoint start = session_.statement().checkpoint();
    bool placed = std::ranges::none_of(all, [&](const GangMove& move) { return linked(move); }) ||
                  sets_.carry_out(all);
    session_.statement().rollback(start);
    return placed;
  }

  bool linked(const GangMove& move) const {
    return std::ranges::any_of(move.pods, [&](const PodMove& pod) {
      return session_.fits().order_matters(session_.snapshot().key(pod.pod).pod_class);
    });
  }

  static std::vector<GangMove> moves_of(const std::vector<PlacedSet>& sets) {
    std::vector<GangMove> all;
    for (const PlacedSet& set : sets) all.insert(all.end(), set.moves.begin(), set.moves.end());
    return all;
  }

  bool make(std::vector<PlacedSet>& sets) {
    return std::ranges::all_of(sets, [&](PlacedSet& set) { return make_set(set); });
  }

  bool make_set(PlacedSet& set) {
    int64_t before = gauge_.worth();
    if (!sets_.carry_out(set.moves)) return false;
    set.gain = gauge_.worth() - before;
    set.moved_milli = 0;
    for (const GangMove& move : set.moves) set.moved_milli += move.gang->gpu_milli;
    return is_enough(set.gain, set.moved_milli);
  }

  Session& session_;
  PlanLimits limits_;
  MovePlan& plan_;
  DisruptionLimits disruptions_;
  RoomGauge gauge_;
  MoveSets sets_;
  Gangs left_;                     // that may still move
  std::vector<VictimUnit> units_;  // that move
  int64_t moved_ = 0;              // GPUs, in thousandths
  int64_t most_trials_ = 0;        // at the end of the phase
  std::optional<PlacedSet> best_;
};

}  // namespace

int64_t MovePlan::moved_milli() const {
  int64_t moved = 0;
  for (const PlacedSet& set : sets) moved += set.moved_milli;
  return moved;
}

MovePlan plan_moves(Session& session, const PlanLimits& limits) {
  MovePlan plan;
  plan.movable = find_movable_gangs(session);
  Planner(session, limits, plan).run();
  return plan;
}

}  // namespace trellis
