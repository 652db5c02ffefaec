#include "session/placement/gang_search.h"

#include <algorithm>
#include <numeric>

#include "session/placement/mixed_search.h"
#include "session/placement/node_ranking.h"

namespace trellis {
namespace {

// Choices of which pods make up the minimum, when they differ and not all are needed.
constexpr size_t kMostChoices = 256;

}  // namespace

SearchResult GangSearch::place(GangId gang, std::span<const PodId> pods, int64_t need) {
  refill_budget();
  std::vector<RowPods> grouped = group_rows(session_.snapshot(), pods);
  std::vector<NodeId> placed = session_.placed_nodes(gang);
  std::vector<SearchRow> rows;
  auto choices = row_choices(grouped, need, grouped.size() == 1 ? 1 : kMostChoices);
  for (const std::vector<int64_t>& counts : choices) {
    rows.clear();
    for (size_t i = 0; i < grouped.size(); ++i) {
      if (counts[i] == 0) continue;
      rows.push_back(
          {grouped[i].pod_class, std::span(grouped[i].pods).first(static_cast<size_t>(counts[i]))});
    }
    if (place_rows(gang, rows, placed)) return SearchResult::Placed;
    if (budget_.exhausted) return SearchResult::BudgetExhausted;
  }
  // With more choices than were looked at, nothing is proved.
  return choices.size() < kMostChoices ? SearchResult::NoFit : SearchResult::BudgetExhausted;
}

SearchResult GangSearch::place_one(GangId gang, PodId pod, std::span<const NodeId> placed) {
  refill_budget();
  SearchRow row{session_.snapshot().key(pod).pod_class, {&pod, 1}};
  if (place_rows(gang, {&row, 1}, placed)) return SearchResult::Placed;
  return budget_.exhausted ? SearchResult::BudgetExhausted : SearchResult::NoFit;
}

void GangSearch::refill_budget() {
  budget_.left = session_.config().limits.search_budget;
  budget_.exhausted = false;
}

bool GangSearch::place_rows(GangId gang, std::span<const SearchRow> rows,
                            std::span<const NodeId> placed) {
  gang_rows_.clear();
  for (const SearchRow& row : rows) {
    gang_rows_.push_back({StrId(), row.pod_class, static_cast<int32_t>(row.pods.size())});
  }
  FeasibleNodes* feasible = session_.hooks().feasible_nodes;
  if (feasible == nullptr || !feasible->begin(gang, gang_rows_, placed)) return try_cluster(rows);
  NodeGroup group;
  while (feasible->next(group)) {
    if (try_group(rows, group)) return true;
    if (!budget_.spend()) return false;
  }
  return false;
}

// No topology: the whole cluster, now if possible.
bool GangSearch::try_cluster(std::span<const SearchRow> rows) {
  FitCache& fits = session_.fits();
  for (FitMode mode : {FitMode::Now, FitMode::Future}) {
    if (mode == FitMode::Future && !fits.anything_leaving()) break;
    bool enough = std::all_of(rows.begin(), rows.end(), [&](const SearchRow& row) {
      return fits.total(row.pod_class, mode) >= static_cast<int64_t>(row.pods.size());
    });
    if (!enough) continue;
    if (rows.size() == 1 && fits.plain(rows.front().pod_class)) {
      if (fill_cluster(rows.front(), mode)) return true;
      continue;
    }
    NodeGroup all;
    all.mode = mode;
    all.exact = false;
    all.parts.push_back({session_.snapshot().all_nodes().node_order(), 0});
    if (try_group(rows, all)) return true;
  }
  return false;
}

bool GangSearch::try_group(std::span<const SearchRow> rows, const NodeGroup& group) {
  if (!group.exact) return MixedSearch(session_, budget_).place(rows, group);
  Statement::Checkpoint start = session_.statement().checkpoint();
  if (fill_parts(rows.front(), group)) return true;
  session_.statement().rollback(start);
  return false;
}

bool GangSearch::fill_parts(const SearchRow& row, const NodeGroup& group) {
  std::span<const PodId> left = row.pods;
  for (const GroupPart& part : group.parts) {
    size_t count = std::min(left.size(), static_cast<size_t>(part.pods));
    left = left.subspan(
        fill_nodes(session_, {row.pod_class, left.first(count)}, part.nodes, group.mode));
  }
  return left.empty();
}

// Over all nodes the kept ranking serves: what one pod changes is a node, not the cluster.
bool GangSearch::fill_cluster(const SearchRow& row, FitMode mode) {
  Statement& statement = session_.statement();
  Statement::Checkpoint start = statement.checkpoint();
  std::span<const NodeId> order = session_.snapshot().all_nodes().node_order();
  int64_t followers = static_cast<int64_t>(row.pods.size());
  for (PodId pod : row.pods) {
    --followers;
    uint32_t best = session_.fits().ranking(row.pod_class, mode).best();
    if (best == NodeRanking::kNone || !statement.place(pod, order[best], mode, followers)) {
      statement.rollback(start);
      return false;
    }
  }
  return true;
}

}  // namespace trellis
