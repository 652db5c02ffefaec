#include "session/placement/mixed_search.h"

#include <algorithm>
#include <numeric>
#include <unordered_set>

#include "session/placement/node_ranking.h"

namespace trellis {

bool MixedSearch::place(std::span<const SearchRow> rows, const NodeGroup& group) {
  mode_ = group.mode;
  rows_.assign(rows.begin(), rows.end());
  FitCache& fits = session_.fits();
  std::stable_sort(rows_.begin(), rows_.end(), [&](const SearchRow& a, const SearchRow& b) {
    return fits.total(a.pod_class, mode_) < fits.total(b.pod_class, mode_);
  });

  Statement& statement = session_.statement();
  Statement::Checkpoint start = statement.checkpoint();
  size_t parts_used = fill_in_order(group);
  if (parts_used == 1) return true;
  statement.rollback(start);
  bool greedy_found = parts_used > 0;
  size_t most = greedy_found ? parts_used - 1 : group.parts.size();
  for (size_t parts = 1; parts <= most && !budget_.exhausted; ++parts) {
    if (try_sets_of(parts, group)) return true;
  }
  if (!greedy_found) return false;
  budget_.exhausted = false;  // only a smaller set was not found in time
  return fill_in_order(group) > 0;
}

// Each part takes what it can, rows in order. The number of parts used; 0, and nothing placed, when
// they do not hold all.
size_t MixedSearch::fill_in_order(const NodeGroup& group) {
  Statement::Checkpoint start = session_.statement().checkpoint();
  std::vector<SearchRow> left = rows_;
  size_t used = 0;
  for (const GroupPart& part : group.parts) {
    size_t placed = 0;
    for (SearchRow& row : left) {
      if (row.pods.empty()) continue;
      size_t count = fill_nodes(session_, row, part.nodes, mode_);
      row.pods = row.pods.subspan(count);
      placed += count;
    }
    if (placed > 0) ++used;
  }
  bool all =
      std::all_of(left.begin(), left.end(), [](const SearchRow& row) { return row.pods.empty(); });
  if (all) return used;
  session_.statement().rollback(start);
  return 0;
}

bool MixedSearch::holds_by_count(std::span<const NodeId> nodes) {
  return std::all_of(rows_.begin(), rows_.end(), [&](const SearchRow& row) {
    const auto& fits = session_.fits().node_fits(row.pod_class, mode_);
    int64_t sum = 0;
    for (NodeId node : nodes) sum += fits[node];
    return sum >= static_cast<int64_t>(row.pods.size());
  });
}

// All sets of that many parts, early parts first.
bool MixedSearch::try_sets_of(size_t parts, const NodeGroup& group) {
  std::vector<size_t> chosen(parts);
  std::iota(chosen.begin(), chosen.end(), size_t{0});
  std::vector<NodeId> nodes;
  while (budget_.spend()) {
    nodes.clear();
    for (size_t index : chosen) {
      const GroupPart& part = group.parts[index];
      nodes.insert(nodes.end(), part.nodes.begin(), part.nodes.end());
    }
    if (holds_by_count(nodes) && backtrack(nodes)) return true;
    size_t at = parts;
    while (at > 0 && chosen[at - 1] == group.parts.size() - parts + at - 1) --at;
    if (at == 0) return false;
    ++chosen[at - 1];
    for (size_t next = at; next < parts; ++next) chosen[next] = chosen[next - 1] + 1;
  }
  return false;
}

std::vector<NodeId> MixedSearch::order_for(size_t row, std::span<const NodeId> nodes) {
  FitCache& fits = session_.fits();
  std::vector<double> scores(nodes.size());
  fits.score(rows_[row].pod_class, mode_, nodes, scores);
  std::vector<size_t> order(nodes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return scores[a] > scores[b]; });
  std::vector<NodeId> sorted;
  for (size_t index : order) {
    if (fits.node_fit(nodes[index], rows_[row].pod_class, mode_) > 0) {
      sorted.push_back(nodes[index]);
    }
  }
  return sorted;
}

uint64_t MixedSearch::signature(NodeId node) {
  uint64_t hash = 0x9e3779b97f4a7c15ULL;
  auto mix = [&](int64_t value) {
    hash ^= static_cast<uint64_t>(value) + 0x9e3779b97f4a7c15ULL + (hash << 6) + (hash >> 2);
    hash *= 0xff51afd7ed558ccdULL;
  };
  const NodeState& state = session_.snapshot().state();
  for (const NodeState::Column& column : state.columns(mode_)) mix(column[node]);
  mix(state.future[kGpu][node]);
  for (FitMode mode : {FitMode::Now, FitMode::Future}) {
    for (int64_t device : state.devices(node, mode)) mix(device);
  }
  for (const SearchRow& row : rows_) {
    mix(session_.fits().fit_now(row.pod_class, mode_, node));
  }
  return hash;
}

// The devices that a pod of the row may be given, the ones to prefer last; one empty choice for a
// pod that shares no GPU.
std::vector<GpuGrant> MixedSearch::device_choices(size_t row, NodeId node) {
  PodClassId pod_class = rows_[row].pod_class;
  if (!session_.cluster().pod_classes()[pod_class].gpu_share.active()) return {GpuGrant()};
  const DeviceGranter* granter = session_.hooks().device_granter;
  if (granter == nullptr) return {};
  GpuChoices choices = granter->choices(pod_class, mode_, node);
  choices_cut_ = choices_cut_ || !choices.all;
  std::reverse(choices.grants.begin(), choices.grants.end());
  return std::move(choices.grants);
}

// Depth first over the pods, hardest row first; a frame a pod, a checkpoint a frame.
bool MixedSearch::backtrack(std::span<const NodeId> nodes) {
  std::vector<Item> items;
  std::vector<std::vector<NodeId>> orders;
  for (size_t row = 0; row < rows_.size(); ++row) {
    for (PodId pod : rows_[row].pods) items.push_back({pod, row});
    orders.push_back(order_for(row, nodes));
  }
  struct Frame {
    size_t next = 0;  // index into the row's order
    Statement::Checkpoint before;
    std::unordered_set<uint64_t> tried;  // signatures; only asked, never iterated
    std::vector<GpuGrant> devices;       // choices not tried yet on the last node; the last is next
  };
  Statement& statement = session_.statement();
  std::vector<Frame> frames;
  frames.push_back({0, statement.checkpoint(), {}, {}});
  while (!frames.empty()) {
    size_t depth = frames.size() - 1;
    Frame& frame = frames.back();
    const Item& item = items[depth];
    const std::vector<NodeId>& order = orders[item.row];
    bool placed = false;
    while (!placed && (frame.next < order.size() || !frame.devices.empty())) {
      if (!budget_.spend()) {
        statement.rollback(frames.front().before);
        return false;
      }
      if (frame.devices.empty()) {
        NodeId node = order[frame.next++];
        if (session_.fits().fit_now(rows_[item.row].pod_class, mode_, node) <= 0) continue;
        if (!frame.tried.insert(signature(node)).second) continue;
        frame.devices = device_choices(item.row, node);
        if (frame.devices.empty()) continue;
      }
      statement.place_on(item.pod, order[frame.next - 1], mode_, frame.devices.back());
      frame.devices.pop_back();
      placed = true;
    }
    if (!placed) {
      frames.pop_back();
      if (!frames.empty()) statement.rollback(frames.back().before);
      continue;
    }
    if (depth + 1 == items.size()) return true;
    // Equal pods go to nodes in order, so that no arrangement is tried twice.
    size_t first = items[depth + 1].row == item.row ? frame.next - 1 : 0;
    frames.push_back({first, statement.checkpoint(), {}, {}});
  }
  if (choices_cut_) budget_.exhausted = true;  // not all was tried
  return false;
}

}  // namespace trellis
