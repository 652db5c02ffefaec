#include "session/placement/pod_rows.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <utility>

#include "session/fits/node_ranking.h"
#include "session/placement/linked_fill.h"
#include "session/placement/placement_context.h"

namespace trellis {

std::vector<RowPods> group_rows(const Snapshot& snapshot, std::span<const PodId> pods) {
  std::vector<RowPods> rows;
  absl::flat_hash_map<uint32_t, size_t> index;  // of rows by class, once there are several
  size_t last = 0;
  for (PodId pod : pods) {
    PodClassId pod_class = snapshot.key(pod).pod_class;
    // Equal pods are mostly adjacent.
    if (rows.empty()) {
      rows.push_back({pod_class, {}});
    } else if (rows[last].pod_class != pod_class) {
      index.emplace(rows[last].pod_class.value, last);
      last = index.try_emplace(pod_class.value, rows.size()).first->second;
      if (last == rows.size()) rows.push_back({pod_class, {}});
    }
    rows[last].pods.push_back(pod);
  }
  return rows;
}

std::vector<std::vector<int64_t>> row_choices(std::span<const RowPods> rows, int64_t need,
                                              size_t most) {
  std::vector<int64_t> sizes;
  for (const RowPods& row : rows) sizes.push_back(static_cast<int64_t>(row.pods.size()));
  auto fill_from = [&](std::vector<int64_t>& counts, size_t first, int64_t left) {
    for (size_t i = first; i < sizes.size(); ++i) {
      counts[i] = std::min(left, sizes[i]);
      left -= counts[i];
    }
    return left == 0;
  };
  std::vector<std::vector<int64_t>> choices;
  std::vector<int64_t> counts(sizes.size(), 0);
  if (!fill_from(counts, 0, need)) return choices;
  choices.push_back(counts);
  while (choices.size() < most) {
    // The next in descending order: lowers the last count whose loss the rows after it can take.
    bool found = false;
    int64_t after = 0;  // what the rows after it give
    int64_t room = 0;   // and what they have
    for (size_t i = sizes.size(); i-- > 0 && !found;) {
      found = counts[i] > 0 && after < room;
      if (found) {
        --counts[i];
        fill_from(counts, i + 1, after + 1);
      }
      after += counts[i];
      room += sizes[i];
    }
    if (!found) break;
    choices.push_back(counts);
  }
  return choices;
}

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
