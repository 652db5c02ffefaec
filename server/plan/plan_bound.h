// What no plan can do without: conditions that every sufficient set of nodes meets, and a lower
// bound on its price.
//
// The conditions: each class of pods has room for as many as must be placed; of each resource there
// is as much as they request; and each gang that one domain must hold has a domain that takes its
// pods, class by class. The bound on the price is the largest of
//  - the linear program over the resources: the cheapest amounts of the shapes, parts of nodes
//    allowed, that have what is missing of each resource (computed as its dual, so that rounding
//    leaves it a lower bound);
//  - of one class alone, and of one gang alone, the price of the nodes that it lacks.
// It is rounded up to a multiple of what all prices are multiples of.
// Cost: O(classes x nodes + gangs x domains), once; may_suffice() O(offers x classes + different
// demands of gangs x domains).
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "server/plan/plan_demand.h"

namespace trellis {

class PlanBound {
 public:
  // REQUIRES: the session has no decisions, and the cluster no nodes of the plan. `market` and
  // `rows` outlive this object.
  PlanBound(Session& session, const NodeMarket& market, const DemandRows& rows,
            std::span<const GangId> gangs);

  bool may_suffice(const NodeCounts& counts) const;
  int64_t price_micro() const { return price_micro_; }

 private:
  struct Domain {
    std::vector<int64_t> room;     // by row
    std::vector<uint32_t> offers;  // in it
  };
  using Level = std::pair<TopologyId, int>;

  void collect_demands(const Session& session, std::span<const GangId> gangs);
  void collect_domains(Session& session, const Level& level);
  void measure_resources(Session& session);
  bool takes(const Domain& domain, const GangDemand& demand, const NodeCounts& counts) const;
  double price_of_class(size_t row, int64_t missing, std::span<const uint32_t> offers) const;
  double price_of_gang(const GangDemand& demand) const;
  double price_by_resources() const;
  int64_t rounded(double price) const;

  const NodeMarket& market_;
  const DemandRows& rows_;
  std::vector<int64_t> needed_;  // by row
  std::vector<int64_t> room_;    // the same: on the nodes that are there
  std::vector<ResourceId> resources_;
  std::vector<int64_t> missing_;     // by entry of resources_
  std::vector<GangDemand> demands_;  // that one domain must hold, different ones
  std::map<Level, std::vector<Domain>> domains_;
  std::vector<uint32_t> all_offers_;
  int64_t price_micro_ = 0;
};

}  // namespace trellis
