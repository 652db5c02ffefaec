#include "framework/quota_arithmetic.h"

namespace trellis {
namespace {

int64_t amount_of(std::span<const QuotaAmount> amounts, QuotaCellId cell) {
  for (const QuotaAmount& amount : amounts) {
    if (amount.cell == cell) return amount.amount;
  }
  return 0;
}

}  // namespace

int64_t available(const QuotaTree& tree, QuotaUsage usage, QuotaNodeId node, QuotaCellId cell) {
  const bool of_queue = tree.queue(node).valid();
  int64_t own = 0;                        // local quota that is free, on the way up
  int64_t bound = QuotaTree::kUnlimited;  // on what comes from further up
  for (QuotaNodeId parent = tree.parent(node); parent.valid(); parent = tree.parent(node)) {
    int64_t used = usage[tree.index(node, cell)];
    int64_t local = tree.local_quota(node, cell);
    int64_t free = std::max<int64_t>(0, local - used);
    own = add_to_sum(own, free);
    bound = std::min(add_to_sum(bound, -free), tree.subtree_quota(node, cell) - local -
                                                   used_above(used, local) +
                                                   tree.borrowing_limit(node, cell));
    node = parent;
  }
  int64_t at_root = tree.subtree_quota(node, cell) - usage[tree.index(node, cell)];
  int64_t all = own + std::min(bound, at_root);
  return of_queue ? std::max<int64_t>(0, all) : all;
}

CoveringSubtree covering_subtree(const QuotaTree& tree, QuotaUsage usage, QuotaNodeId node,
                                 QuotaAmount added) {
  const bool alone = !tree.parent(node).valid();
  if (alone || !borrows_with(tree, usage, node, added)) return {0, !alone};
  while (true) {
    int64_t local = tree.local_quota(node, added.cell);
    added.amount -= std::max<int64_t>(0, local - usage[tree.index(node, added.cell)]);
    node = tree.parent(node);
    bool at_root = !tree.parent(node).valid();
    if (at_root) return {tree.height(node), false};
    if (!borrows_with(tree, usage, node, added)) return {tree.height(node), true};
  }
}

QuotaShare quota_share(const QuotaTree& tree, QuotaUsage usage, QuotaNodeId node,
                       std::span<const QuotaAmount> added) {
  QuotaShare share{0, tree.weight(node), false};
  QuotaNodeId parent = tree.parent(node);
  if (!parent.valid()) return share;
  int64_t borrowed = 0;  // of one resource: its cells are adjacent
  for (uint32_t i = 0; i < tree.cell_count(); ++i) {
    QuotaCellId cell(i);
    int64_t used = usage[tree.index(node, cell)] + amount_of(added, cell);
    borrowed = add_to_sum(borrowed, std::max<int64_t>(0, used - tree.subtree_quota(node, cell)));
    bool last =
        i + 1 == tree.cell_count() || tree.resource(QuotaCellId(i + 1)) != tree.resource(cell);
    if (!last || borrowed == 0) continue;
    share.borrowing = true;
    int64_t lendable = tree.potential_of_resource(parent, cell);
    if (lendable > 0) {
      double ratio = static_cast<double>(borrowed) * 1000.0 / static_cast<double>(lendable);
      share.ratio = std::max(share.ratio, ratio);
    }
    borrowed = 0;
  }
  return share;
}

}  // namespace trellis
