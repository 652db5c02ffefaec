#include "session/placement/linked_miss.h"

#include "session/placement/linked_search.h"

namespace trellis {
namespace {

constexpr int64_t kWorkEach = 100'000;

bool place_first(PlacementContext& context, const SearchRow& row, std::span<const NodeId> nodes,
                 size_t pods) {
  NodeGroup group;
  group.mode = context.fits().anything_leaving() ? FitMode::Future : FitMode::Now;
  group.exact = false;
  group.parts.push_back({nodes, 0});
  SearchRow some{row.pod_class, row.pods.first(pods)};
  SearchBudget budget(context.snapshot(), kWorkEach);
  return LinkedSearch(context, budget).place({&some, 1}, group);
}

}  // namespace

int64_t place_most(PlacementContext& context, const SearchRow& row, std::span<const NodeId> nodes) {
  Statement::Checkpoint start = context.statement().checkpoint();
  size_t low = 0;                 // known to fit
  size_t high = row.pods.size();  // not known to fit
  while (low < high) {
    size_t middle = low + (high - low + 1) / 2;
    bool fits = place_first(context, row, nodes, middle);
    context.statement().rollback(start);
    if (fits) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  if (low > 0 && !place_first(context, row, nodes, low)) return 0;
  return static_cast<int64_t>(low);
}

}  // namespace trellis
