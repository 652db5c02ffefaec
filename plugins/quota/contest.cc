#include "plugins/quota/contest.h"

#include <algorithm>

namespace trellis {

bool fits(const QuotaTree& tree, QuotaUsage usage, const Contest& contest, Borrowing borrowing) {
  return std::all_of(contest.amounts.begin(), contest.amounts.end(), [&](QuotaAmount amount) {
    if (borrowing == Borrowing::Forbidden && borrows_with(tree, usage, contest.node, amount)) {
      return false;
    }
    return amount.amount <= available(tree, usage, contest.node, amount.cell);
  });
}

bool within_quota(const QuotaTree& tree, QuotaUsage usage, QuotaNodeId node,
                  std::span<const QuotaCellId> cells) {
  return std::none_of(cells.begin(), cells.end(), [&](QuotaCellId cell) {
    return borrows_with(tree, usage, node, {cell, 0});
  });
}

Sides sides(const QuotaTree& tree, QuotaNodeId a, QuotaNodeId b) {
  while (true) {
    for (QuotaNodeId at = a; tree.parent(at).valid(); at = tree.parent(at)) {
      if (tree.parent(at) == tree.parent(b)) return {at, b};
    }
    b = tree.parent(b);
  }
}

void QuotaTrial::change(QuotaNodeId node, std::span<const QuotaAmount> amounts, int64_t times) {
  for (const QuotaAmount& amount : amounts) {
    add_usage(tree_, usage_, node, amount.cell, times * amount.amount,
              [](int64_t& cell, int64_t value) { cell = value; });
  }
}

}  // namespace trellis
