// Searches for victims that make room for a gang: domain by domain, the cheapest first.
//
// Order: fewest gangs, then the lowest priority, then the youngest (victim_set.h). Where only few
// gangs may be moved, every set of them is tried, so that no set is missed and the choice is the
// best there is. Else victims are gathered inside each domain that the gang may be in
// (scope_victims.h), and the cheapest sets are tried. At last all gangs that may be moved are tried
// together, for consolidation also without those that their nodes would not take again
// (returning_units.h), and those that are not in the gang's way are given back, one by one where
// few are left.
// Guarantees: on Moved the session's statement holds the evictions and the placements that they
// enable; else it is as it was. For consolidation NoFit is proved: no moves of the gangs that may
// be moved let the gang in. Cost: O(pods in the examined domains) plus the trials. Both take their
// work from limits.search_budget; when either has used it up, the answer is BudgetExhausted.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "actions/victims/move_trial.h"
#include "actions/victims/node_victims.h"
#include "actions/victims/scope_victims.h"

namespace trellis {

struct MoveSearchResult {
  enum class Outcome : uint8_t { Moved, NoFit, BudgetExhausted } outcome = Outcome::NoFit;
  int64_t trials = 0;                  // sets of victims that were tried
  ReasonCode code = ReasonCode::None;  // of the last trial that failed
  Reason kept_back;                    // why a place was kept from it; code None: none was
};

class VictimSearch {
 public:
  // `kept`: the appointments that are heeded.
  VictimSearch(Session& session, VictimPool& pool, DisruptionLimits& limits, KeptStarts& kept)
      : session_(session),
        pool_(pool),
        limits_(limits),
        set_(session, pool),
        finder_(session, pool, set_),
        gathering_(session, pool, set_),
        trial_(session, pool, set_, limits, kept) {}

  MoveSearchResult run(const MoveRequest& request);
  // To be called when the result of the last search was committed. Returns its victims.
  std::vector<GangId> settle();

 private:
  struct Choice {
    VictimCost cost;
    size_t scope = 0;
    auto operator<=>(const Choice&) const = default;
  };

  bool try_all_sets(const std::vector<GangId>& gangs);
  bool try_nodes();
  NodeOffers& offers();
  bool try_scopes();
  bool try_everything();
  bool try_together(std::vector<VictimUnit>& units);
  bool try_fewer(std::vector<VictimUnit> units);
  bool try_units(std::span<const VictimUnit> units);
  std::vector<VictimUnit> units_of(std::span<const GangId> gangs);
  std::vector<Scope> scopes() const;
  std::vector<Scope> domain_scopes() const;
  std::vector<Choice> price(std::span<const Scope> scopes);
  bool gather(const Scope& scope);
  bool is_single() const;
  void forget();

  using OffersKey = std::tuple<QueueId, int32_t, PodClassId>;

  Session& session_;
  VictimPool& pool_;
  DisruptionLimits& limits_;
  VictimSet set_;
  NodeVictimFinder finder_;
  std::map<OffersKey, NodeOffers> offers_;  // for single pods
  ScopeVictims gathering_;
  MoveTrial trial_;
  MoveRequest request_;
  Statement::Checkpoint start_;
  int64_t nodes_left_ = 0;
  bool ruled_out_ = false;  // not even all gangs that may be moved make room
  MoveSearchResult result_;
};

}  // namespace trellis
