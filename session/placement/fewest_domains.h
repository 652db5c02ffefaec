// Brings a gang with subgroups together: into the lowest domain that holds it, and there into the
// fewest domains of the level that the whole gang prefers.
//
// The search places unit after unit (unit_search.h), so that one may open a domain that another
// choice of the units before it would have spared. Here the pods of all units are first placed as
// if they were one unit: that ends in the fewest domains there are. Then each unit is placed again
// inside these domains, as its own constraint asks.
// Words: the *gang* is unit 0 and all below; its *parts* are the domains of its preferred level
// that its pods are in.
// Guarantees: the pods keep a place, at no higher level and in no more parts than before. Where no
// unit is bound to a domain below the level that is found, no place has fewer parts, unless half of
// the budget's work was too little to try all of them.
// Cost: nothing where the gang prefers no level or is in one part; else what half of the budget
// allows.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "session/placement/kept_places.h"
#include "session/placement/placement_context.h"
#include "session/placement/placement_unit.h"
#include "session/placement/search_budget.h"

namespace trellis {

class FewestDomains {
 public:
  // The units' pods, and nothing else, were placed since `before`. `mode`: the only one to place
  // in; unset: now, else promised.
  FewestDomains(PlacementContext& context, SearchBudget& budget, std::optional<FitMode> mode,
                Statement::Checkpoint before)
      : context_(context), budget_(budget), mode_(mode), before_(before) {}

  void improve(std::span<const PlacementUnit> units);

 private:
  // Where the gang is.
  struct Span {
    DomainId around;  // the lowest domain with all of it, at or above the preferred level
    std::vector<DomainId> parts;
    FitMode mode = FitMode::Now;
  };
  // A unit with pods, and how it is to be placed inside the parts.
  struct Turn {
    const PlacementUnit* unit = nullptr;
    int level = 0;       // of the domains that it is divided among
    bool bound = false;  // to one of them
    double need = 0;     // the part of what the cluster takes
  };

  bool applies();
  bool span_of(const std::vector<KeptPlace>& places, Span& span) const;
  bool is_better(const Span& a, const Span& b) const;
  bool place_as_one(SearchBudget& budget);
  bool is_bound(const PlacementUnit& unit, const Span& span) const;
  bool place_inside(const Span& span, SearchBudget& budget);
  std::vector<Turn> turns(const Span& span);
  bool place_unit(const Turn& turn, const Span& span, SearchBudget& budget);

  PlacementContext& context_;
  SearchBudget& budget_;
  std::optional<FitMode> mode_;
  Statement::Checkpoint before_;
  std::span<const PlacementUnit> units_;
  TopologyId topology_;
  const TopologyTree* tree_ = nullptr;
  int preferred_ = -1;  // level of the gang
};

}  // namespace trellis
