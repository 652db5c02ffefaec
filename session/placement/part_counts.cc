#include "session/placement/part_counts.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>

#include "framework/resources.h"

namespace trellis {

PartCounts::PartCounts(PlacementContext& context, std::span<const SearchRow> rows,
                       const NodeGroup& group, SearchBudget& budget) {
  for (const SearchRow& row : rows) {
    const auto& fits = context.fits().node_fits(row.pod_class, group.mode);
    Demand& counted = demands_.emplace_back();
    counted.needed = static_cast<int64_t>(row.pods.size());
    for (const GroupPart& part : group.parts) {
      budget.spend(part.nodes.size());
      int64_t sum = 0;
      for (NodeId node : part.nodes) sum += fits[node];
      counted.room.push_back(sum);
    }
  }
  rows_ = rows.size();
  if (rows_ > 1) add_resources(context, rows, group, budget);
}

// What all rows together request, and what the nodes have free that take a pod of some row.
void PartCounts::add_resources(PlacementContext& context, std::span<const SearchRow> rows,
                               const NodeGroup& group, SearchBudget& budget) {
  std::map<ResourceId, int64_t> needed;
  for (const SearchRow& row : rows) {
    for (const ResourceAmount& item :
         context.cluster().pod_classes()[row.pod_class].requests.items()) {
      int64_t& sum = needed[item.resource];
      sum = add_to_sum(sum, saturating_product(item.amount, static_cast<int64_t>(row.pods.size())));
    }
  }
  for (const auto& [resource, amount] : needed) {
    demands_.push_back({amount, std::vector<int64_t>(group.parts.size(), 0)});
  }
  const auto& columns = context.snapshot().state().columns(group.mode);
  for (size_t part = 0; part < group.parts.size(); ++part) {
    budget.spend(group.parts[part].nodes.size());
    for (NodeId node : group.parts[part].nodes) {
      bool open = std::ranges::any_of(rows, [&](const SearchRow& row) {
        return context.fits().node_fit(node, row.pod_class, group.mode) > 0;
      });
      if (!open) continue;
      size_t at = rows_;
      for (const auto& [resource, amount] : needed) {
        int64_t& sum = demands_[at++].room[part];
        sum = add_to_sum(sum, std::max<int64_t>(0, columns[resource][node]));
      }
    }
  }
}

size_t PartCounts::fewest(std::span<const Demand> demands) {
  size_t fewest = 0;
  for (const Demand& demand : demands) {
    std::vector<int64_t> room = demand.room;
    std::sort(room.begin(), room.end(), std::greater<>());
    size_t used = 0;
    int64_t left = demand.needed;
    for (; left > 0 && used < room.size(); ++used) left -= room[used];
    fewest = std::max(fewest, left > 0 ? room.size() + 1 : used);
  }
  return fewest;
}

std::vector<size_t> PartCounts::largest_first() const {
  const Demand* scarcest = &demands_.front();
  size_t most = 0;
  for (const Demand& demand : demands_) {
    size_t used = fewest({&demand, 1});
    if (used > most) scarcest = &demand;
    most = std::max(most, used);
  }
  std::vector<size_t> parts(scarcest->room.size());
  std::iota(parts.begin(), parts.end(), size_t{0});
  std::ranges::stable_sort(parts, std::ranges::greater(),
                           [&](size_t part) { return scarcest->room[part]; });
  return parts;
}

bool PartCounts::take_all(std::span<const size_t> parts) const {
  return std::all_of(demands_.begin(), demands_.end(), [&](const Demand& demand) {
    int64_t sum = 0;
    for (size_t part : parts) sum = add_to_sum(sum, demand.room[part]);
    return sum >= demand.needed;
  });
}

}  // namespace trellis
