#include "plugins/quota/tournament.h"

#include <cmath>

namespace trellis {

Tournament::Entrant Tournament::rise(const QuotaTree& tree, QuotaUsage usage, QuotaNodeId node,
                                     std::span<const WorkloadTurn> turns) {
  Entrant entrant{entrants_[node].turn, 0, 0, 0};
  if (!tree.parent(node).valid()) return entrant;
  const WorkloadTurn& turn = turns[entrant.turn];
  std::span<QuotaAmount> arrived(amounts_.data() + first_amount_[entrant.turn],
                                 turn.amounts.size());
  QuotaShare share = quota_share(tree, usage, node, arrived);
  entrant.share = share.weighted();
  entrant.unweighted = std::isinf(entrant.share) ? share.ratio : 0;
  for (size_t i = 0; i < arrived.size(); ++i) {
    bool borrows = turn.amounts[i].amount > 0 && borrows_with(tree, usage, node, arrived[i]);
    entrant.borrows |= static_cast<int64_t>(borrows);
    arrived[i].amount = rises(tree, usage, node, arrived[i]);
  }
  return entrant;
}

}  // namespace trellis
