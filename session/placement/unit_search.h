// Places all units of a gang, or none: choices of domains with bounded backtracking.
//
// Words: a step either enters a unit (chooses the domain that is to hold it and all below) or fills
// it (places its own pods). Steps go down the tree of units; where that leaves a choice, pods that
// are bound to the smallest domains go first: of those the largest number bound to the same domain,
// then the largest number. If a step finds nothing, the search goes back to the step before and
// tries its next choice; equal units before it are skipped, because another choice of theirs leaves
// as much. When all choices are used up, the unit that came last to no place goes first, each unit
// once. All pods are placed in one mode: now, or promised.
//
// Guarantees: on false the statement is as it was; where pods differ, or equal units compete with
// others, a place may still exist.
//
// Cost: O(units x depth) to read their structure; a step as much as its candidates' enumeration
// (plugins' FeasibleNodes) and its pods; where nothing is found, at most one search more than there
// are units, within one budget.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "framework/plugin.h"
#include "session/placement/placement_context.h"
#include "session/placement/placement_unit.h"
#include "session/placement/pod_rows.h"

namespace trellis {

// Where the search came furthest.
struct UnitFailure {
  size_t unit = 0;  // that found no place
  TopologyId scope_topology;
  DomainId scope;  // the domain that its place had to be in; kNone: anywhere
};

class UnitSearch {
 public:
  // `mode`: the only one to place in; unset: now, else promised.
  UnitSearch(PlacementContext& context, SearchBudget& budget, std::optional<FitMode> mode)
      : context_(context), budget_(budget), mode_(mode) {}

  void set_mode(std::optional<FitMode> mode) { mode_ = mode; }
  bool place(std::span<const PlacementUnit> units);
  const UnitFailure& failure() const { return failure_; }
  // Whether a search that did not place proves that no arrangement exists: not even the first pods
  // to fill had a place anywhere.
  bool proved() const { return !filled_; }

 private:
  enum class StepKind : uint8_t { Enter, Fill };
  struct Step {
    size_t unit = 0;
    StepKind kind = StepKind::Fill;
  };
  // Units of equal pods, each bound to a domain of one level.
  struct UnitsBelow {
    PodClassId pod_class;
    TopologyId topology;
    int level = 0;
    int64_t units = 0;
    int64_t least = 0;  // pods of a unit
    int64_t most = 0;
  };
  // A step that is being tried. Its address must not change, because the groups refer to the query.
  struct Frame {
    std::vector<GangRow> rows;
    std::vector<UnitsBelow> below;  // of a step that enters
    GroupQuery query;
    std::vector<ScopeDomain> around;  // of the query
    std::vector<GangRow> all_rows;    // with the pods that are placed later
    GroupQuery whole;                 // the query for all of them
    bool narrowed = false;            // the query is about the domain that takes them
    TopologyId outer_topology;        // its scope otherwise
    DomainId outer;
    std::unique_ptr<NodeGroups> groups;  // nullptr: anywhere
    int64_t paid_for = 0;                // of what the groups looked at
    std::vector<FitMode> modes;          // with nullptr: those still to try, the next last
    Statement::Checkpoint before;
    NodeGroup chosen;
    std::vector<NodeGroup> passed;  // taken from `groups` and not tried to the end, the next last
    bool fewest = false;            // the group with the fewest parts was looked for
    TopologyConstraint constraint;
  };

  bool place_in_order();
  bool has_home(size_t unit) const;
  void plan_steps();
  void enter_above(size_t unit, std::vector<bool>& entered);
  void gather_rows(const Step& step, std::vector<GangRow>& rows);
  void begin(size_t step);
  void start_near();
  void set_near(size_t step);
  void set_scope(size_t step);
  bool add_later(const Step& step, std::vector<GangRow>& rows) const;
  void narrow(const Step& step, Frame& frame);
  void ask_groups(Frame& frame, const GroupQuery& query);
  bool try_next(size_t step);
  bool next_group(Frame& frame);
  std::vector<UnitsBelow> units_below(size_t above);
  bool holds(const UnitsBelow& below, const NodeGroup& group);
  bool may_enter(const Frame& frame);
  bool fill(size_t step);
  void use_fewest_parts(const PlacementUnit& unit, Frame& frame);
  size_t step_to_retry(size_t failed);
  bool alike(const Step& a, const Step& b) const;
  void note_failure(size_t step);

  PlacementContext& context_;
  SearchBudget& budget_;
  std::optional<FitMode> mode_;
  std::span<const PlacementUnit> units_;
  UnitTree tree_;              // of several units
  std::vector<size_t> first_;  // units that go before all others, the last of them before the rest
  std::vector<Step> steps_;
  // Of gangs to be near to, then of the gang's pods that run, then of those placed, step by step.
  std::vector<NodeId> near_;
  std::vector<size_t> near_end_;                // by step: the size of near_ when it began
  std::vector<std::unique_ptr<Frame>> frames_;  // by step
  std::vector<int32_t> entered_by_;             // by unit: the step that enters it; -1: none does
  bool one_home_ = false;  // one unit is to be filled, and its running pods determine the domain
  bool filled_ = false;    // some step that fills had a place
  size_t furthest_ = 0;    // steps that were taken at once
  UnitFailure failure_;
};

}  // namespace trellis
