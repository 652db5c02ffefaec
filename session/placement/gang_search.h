// The gang search: places a number of a gang's pods, all or none, in the session's statement.
//
// It asks FeasibleNodes for groups of nodes, tries them in order with checkpoint and rollback, and
// keeps the first that holds. Equal pods are placed by count, exactly. Pods of different sizes are
// placed greedily first, then by a bounded search that backtracks; parts of a group (domains of the
// preferred level) are tried in small sets first, so that as few as possible are used.
// Guarantees: NoFit is proved; a search that ran out of limits.search_budget says BudgetExhausted.
// Cost: equal pods O(pods x log nodes of the group); else up to search_budget steps.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "framework/plugin.h"
#include "session/placement/gang_rows.h"
#include "session/placement/search_row.h"
#include "session/session.h"

namespace trellis {

enum class SearchResult : uint8_t { Placed, NoFit, BudgetExhausted };

class GangSearch {
 public:
  explicit GangSearch(Session& session) : session_(session) {}

  // Places `need` of `pods` (waiting pods of the gang, in order); on anything but Placed the
  // statement is as it was. Of pods that are not equal the earlier ones are preferred.
  SearchResult place(GangId gang, std::span<const PodId> pods, int64_t need);
  // The same for one pod of a gang whose pods with a node stand on `placed`.
  SearchResult place_one(GangId gang, PodId pod, std::span<const NodeId> placed);

 private:
  void refill_budget();
  bool place_rows(GangId gang, std::span<const SearchRow> rows, std::span<const NodeId> placed);
  bool try_group(std::span<const SearchRow> rows, const NodeGroup& group);
  bool try_cluster(std::span<const SearchRow> rows);
  bool fill_parts(const SearchRow& row, const NodeGroup& group);
  bool fill_cluster(const SearchRow& row, FitMode mode);

  Session& session_;
  SearchBudget budget_;
  std::vector<GangRow> gang_rows_;
};

}  // namespace trellis
