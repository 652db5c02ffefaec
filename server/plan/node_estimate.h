// A first guess of the nodes that waiting gangs need, by counts: the cycle judges it, not this.
//
// A gang, or a part of it that a domain must hold, gets its nodes in the domain where what it lacks
// there costs least; other pods get the nodes that cost least for each pod. Pods of several gangs
// share nodes. Room that is there counts for one gang only.
// Cost: for each part of a gang O(offers + domains of its level).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "server/plan/plan_demand.h"
#include "session/explain/demand_part.h"

namespace trellis {

class NodeEstimate {
 public:
  // `session`: of a cycle with the nodes of `counts`. All outlive this object.
  NodeEstimate(Session& session, const NodeMarket& market, const DemandRows& rows,
               const NodeCounts& counts);

  // Adds nodes for a gang that waits; false: no number of nodes would do.
  bool add(GangId gang);
  NodeCounts counts() const;

 private:
  // The offers in one domain.
  struct Domain {
    DomainId existing;  // kNone: no node is in it
    std::vector<uint32_t> offers;
    bool used = false;  // its room counted for a gang
  };
  using Level = std::pair<TopologyId, int>;

  struct Fill {
    int64_t price_micro = 0;
    int64_t nodes = 0;
    std::vector<std::pair<uint32_t, double>> shares;  // nodes of an offer, in parts
  };

  bool add_part(const DemandPart& part);
  bool add_anywhere(const DemandPart& part);
  std::vector<Domain>& domains_of(const Level& level);
  int64_t row_of(PodClassId pod_class) const;
  int64_t left(uint32_t offer) const;
  bool is_cheaper(uint32_t a, uint32_t b, size_t row) const;
  std::optional<Fill> fill(std::span<const ClassPods> missing,
                           std::span<const uint32_t> offers) const;
  bool fill_row(ClassPods missing, std::span<const uint32_t> offers, Fill& fill) const;
  void take(const Fill& fill);

  Session& session_;
  const NodeMarket& market_;
  const DemandRows& rows_;
  const NodeCounts& base_;
  std::vector<double> shares_;  // by offer
  std::vector<uint32_t> all_offers_;
  std::vector<int64_t> room_used_;  // by row: on nodes that are there, anywhere
  std::map<Level, std::vector<Domain>> domains_;
};

}  // namespace trellis
