#include "session/placement/search_row.h"

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <utility>

#include "session/fits/node_ranking.h"
#include "session/placement/linked_fill.h"
#include "session/placement/placement_context.h"

namespace trellis {
namespace {

// Every node takes all it can: nothing to choose.
size_t fill_up(PlacementContext& context, const SearchRow& row, std::span<const NodeId> nodes,
               const IndexedVector<NodeId, int32_t>& fits, FitMode mode) {
  size_t placed = 0;
  for (NodeId node : nodes) {
    for (int32_t left = fits[node]; left > 0; --left) {
      if (!context.statement().place(row.pods[placed], node, mode, left - 1)) break;
      ++placed;
    }
  }
  return placed;
}

}  // namespace

std::vector<SearchRow> hardest_first(PlacementContext& context, std::span<const SearchRow> rows,
                                     FitMode mode, SearchBudget& budget) {
  constexpr size_t kKept = 32;  // so many classes' counts stay cached, whatever the cluster's size
  constexpr size_t kCountedAtOnce = 8;
  if (rows.size() > kKept) {
    budget.spend(rows.size() * context.cluster().nodes().size() / kCountedAtOnce);
  }
  std::vector<std::pair<int64_t, size_t>> order;
  for (size_t row = 0; row < rows.size(); ++row) {
    order.emplace_back(context.fits().total(rows[row].pod_class, mode), row);
  }
  std::sort(order.begin(), order.end());
  std::vector<SearchRow> sorted;
  for (const auto& [total, row] : order) sorted.push_back(rows[row]);
  return sorted;
}

size_t fill_nodes(PlacementContext& context, const SearchRow& row, std::span<const NodeId> nodes,
                  FitMode mode, SearchBudget& budget) {
  FitCache& fits = context.fits();
  if (!fits.plain(row.pod_class)) return LinkedFill(context, row, nodes, mode, budget).run();
  budget.spend(nodes.size());
  const auto& node_fits = fits.node_fits(row.pod_class, mode);
  int64_t total = 0;
  for (NodeId node : nodes) total += node_fits[node];
  if (total <= static_cast<int64_t>(row.pods.size())) {
    return fill_up(context, row, nodes, node_fits, mode);
  }
  boost::container::small_vector<double, 32> kept(nodes.size());
  std::span<double> scores(kept.data(), kept.size());
  fits.score(row.pod_class, mode, nodes, scores);
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (node_fits[nodes[i]] <= 0) scores[i] = NodeRanking::kUnfit;
  }
  NodeRanking ranking;
  ranking.build(scores);
  size_t placed = 0;
  while (placed < row.pods.size()) {
    uint32_t best = ranking.best();
    if (best == NodeRanking::kNone) break;
    NodeId node = nodes[best];
    double score = NodeRanking::kUnfit;
    int64_t followers = static_cast<int64_t>(row.pods.size() - placed) - 1;
    if (context.statement().place(row.pods[placed], node, mode, followers)) {
      ++placed;
      if (fits.fit_now(row.pod_class, mode, node) > 0) {
        fits.score(row.pod_class, mode, {&node, 1}, {&score, 1});
      }
    }
    ranking.update(best, score);
  }
  return placed;
}

}  // namespace trellis
