#include "session/placement/search_row.h"

#include <vector>

#include "session/placement/node_ranking.h"
#include "session/session.h"

namespace trellis {

size_t fill_nodes(Session& session, const SearchRow& row, std::span<const NodeId> nodes,
                  FitMode mode) {
  FitCache& fits = session.fits();
  const auto& node_fits = fits.node_fits(row.pod_class, mode);
  std::vector<double> scores(nodes.size());
  fits.score(row.pod_class, nodes, scores);
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
    if (session.statement().place(row.pods[placed], node, mode)) {
      ++placed;
      if (fits.fit_now(row.pod_class, mode, node) > 0) {
        fits.score(row.pod_class, {&node, 1}, {&score, 1});
      }
    }
    ranking.update(best, score);
  }
  return placed;
}

}  // namespace trellis
