#include "session/placement/linked_search.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <numeric>

namespace trellis {
namespace {

uint64_t mixed(uint64_t value) {
  value ^= value >> 30;
  value *= 0xbf58476d1ce4e5b9ULL;
  value ^= value >> 27;
  value *= 0x94d049bb133111ebULL;
  return value ^ (value >> 31);
}

uint64_t combine(uint64_t hash, uint64_t value) {
  return mixed(hash + 0x9e3779b97f4a7c15ULL + mixed(value));
}

std::vector<NodeId> all_of(std::span<const GroupPart> parts) {
  std::vector<NodeId> nodes;
  for (const GroupPart& part : parts) {
    nodes.insert(nodes.end(), part.nodes.begin(), part.nodes.end());
  }
  return nodes;
}

}  // namespace

// Whether the row needs pods of the other.
bool LinkedSearch::needs(const SearchRow& row, const SearchRow& other) const {
  if (other.pod_class == row.pod_class) return false;
  return std::any_of(context_.hooks().pod_links.begin(), context_.hooks().pod_links.end(),
                     [&](const auto& links) {
                       return links.point->meets_affinity(row.pod_class, other.pod_class);
                     });
}

// Rows that fewest nodes can take first; a row that requires affinity to another after that one.
void LinkedSearch::order_rows(std::span<const SearchRow> rows) {
  budget_.spend(kVerdictWork * rows.size() * rows.size());
  rows_ = hardest_first(context_, rows, mode_, budget_);
  std::vector<size_t> needed(rows_.size(), 0);  // rows before it that are not in order yet
  std::vector<std::vector<size_t>> needed_by(rows_.size());
  for (size_t i = 0; i < rows_.size(); ++i) {
    for (size_t j = 0; j < rows_.size(); ++j) {
      if (!needs(rows_[i], rows_[j])) continue;
      ++needed[i];
      needed_by[j].push_back(i);
    }
  }
  std::vector<SearchRow> ordered;
  std::vector<bool> done(rows_.size(), false);
  while (ordered.size() < rows_.size()) {
    size_t next = rows_.size();
    for (size_t i = rows_.size(); i-- > 0;) {
      if (!done[i] && needed[i] == 0) next = i;
    }
    // The rows need each other: they stay in the order they have.
    if (next == rows_.size()) {
      next = static_cast<size_t>(std::find(done.begin(), done.end(), false) - done.begin());
    }
    done[next] = true;
    for (size_t other : needed_by[next]) --needed[other];
    ordered.push_back(rows_[next]);
  }
  rows_ = std::move(ordered);
  note_order();
}

void LinkedSearch::note_order() {
  any_order_ = std::none_of(rows_.begin(), rows_.end(), [&](const SearchRow& row) {
    return context_.fits().order_matters(row.pod_class);
  });
}

bool LinkedSearch::enough_room(std::span<const NodeId> nodes) {
  budget_.spend(nodes.size() + rows_.size());
  return std::all_of(rows_.begin(), rows_.end(), [&](const SearchRow& row) {
    const auto& fits = context_.fits().node_fits(row.pod_class, mode_);
    int64_t needed = static_cast<int64_t>(row.pods.size());
    for (NodeId node : nodes) {
      needed -= fits[node];
      if (needed <= 0) return true;
    }
    return needed <= 0;
  });
}

bool LinkedSearch::place(std::span<const SearchRow> rows, const NodeGroup& group) {
  constexpr size_t kPlaceWork = 400;  // a try by itself, whatever it examines
  budget_.spend(kPlaceWork);
  mode_ = group.mode;
  ruled_out_ = false;
  order_rows(rows);
  std::span<const GroupPart> parts(group.parts.data(), group.parts.size());
  std::vector<NodeId> joined;
  std::span<const NodeId> nodes = parts.front().nodes;
  if (parts.size() > 1) {
    joined = all_of(parts);
    nodes = joined;
  }
  if (!enough_room(nodes)) return false;
  if (parts.size() > 1) {
    for (const GroupPart& part : parts) {
      if (enough_room(part.nodes) && fill({&part, 1})) return true;
      if (!budget_.spend(1)) return false;
    }
  }
  ruled_out_ = false;
  if (fill(parts)) return true;
  if (ruled_out_ || !enough_values(nodes)) return false;
  open_to_.clear();
  orders_.clear();
  for (size_t row = 0; row < rows_.size(); ++row) orders_.push_back(order_for(row, nodes));
  return backtrack();
}

bool LinkedSearch::arrange(std::span<const BoundRow> rows, FitMode mode) {
  mode_ = mode;
  if (!have_room(rows)) return false;
  rows_.clear();
  for (const BoundRow& bound : rows) rows_.push_back(bound.row);
  note_order();
  open_to_ = who_may_use(rows, budget_);
  orders_.clear();
  for (size_t row = 0; row < rows.size(); ++row) {
    orders_.push_back(order_for(row, rows[row].nodes));
  }
  return !budget_.exhausted() && backtrack();
}

// Whether each row by itself finds enough room on its nodes.
bool LinkedSearch::have_room(std::span<const BoundRow> rows) {
  return std::ranges::all_of(rows, [&](const BoundRow& bound) {
    budget_.spend(bound.nodes.size());
    const auto& fits = context_.fits().node_fits(bound.row.pod_class, mode_);
    int64_t needed = static_cast<int64_t>(bound.row.pods.size());
    for (NodeId node : bound.nodes) needed -= fits[node];
    return needed <= 0;
  });
}

// Whether keys that set a row's pods apart have at least as many values as the row has pods, and
// the domains to spread a single row over have room.
bool LinkedSearch::enough_values(std::span<const NodeId> nodes) {
  FitCache& fits = context_.fits();
  budget_.spend(nodes.size() * (rows_.size() + 1));
  if (rows_.size() == 1) {
    const SearchRow& row = rows_.front();
    std::vector<int32_t> counts;
    for (NodeId node : nodes) counts.push_back(fits.node_fit(node, row.pod_class, mode_));
    for (const auto& links : context_.hooks().pod_links) {
      int64_t most = links.point->most_alone(row.pod_class, nodes, counts);
      if (most < static_cast<int64_t>(row.pods.size())) return false;
    }
  }
  for (const SearchRow& row : rows_) {
    std::vector<StrId> keys;
    for (const auto& links : context_.hooks().pod_links) {
      links.point->exclusive_keys(row.pod_class, keys);
    }
    for (StrId key : keys) {
      const KeyValues& values = fits.node_values().of(key);
      std::vector<bool> seen(static_cast<size_t>(values.count), false);
      int64_t room = 0;
      for (NodeId node : nodes) {
        int32_t fit = fits.node_fit(node, row.pod_class, mode_);
        int32_t value = values.of_node[node];
        if (fit <= 0) continue;
        if (value == KeyValues::kNone) {
          room += fit;
        } else if (!seen[static_cast<size_t>(value)]) {
          seen[static_cast<size_t>(value)] = true;
          ++room;
        }
      }
      if (room < static_cast<int64_t>(row.pods.size())) return false;
    }
  }
  return true;
}

std::vector<StrId> LinkedSearch::binding_keys(size_t row) const {
  std::vector<StrId> keys;
  for (const auto& links : context_.hooks().pod_links) {
    links.point->binding_keys(rows_[row].pod_class, mode_, keys);
  }
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

size_t LinkedSearch::first_bound() const {
  for (size_t row = 0; row < rows_.size(); ++row) {
    if (rows_[row].pods.size() > 1 && !binding_keys(row).empty()) return row;
  }
  return rows_.size();
}

// Whether no other row can lead the row's pods to a second site.
bool LinkedSearch::stands_alone(size_t row) const {
  return std::none_of(rows_.begin(), rows_.end(),
                      [&](const SearchRow& other) { return needs(rows_[row], other); });
}

// On false the statement is as it was.
bool LinkedSearch::fill(std::span<const GroupPart> parts) {
  size_t bound = first_bound();
  if (bound < rows_.size()) return fill_bound(bound, binding_keys(bound), parts);
  Statement::Checkpoint start = context_.statement().checkpoint();
  if (fill_rows(rows_, parts)) return true;
  context_.statement().rollback(start);
  return false;
}

// Each part takes what it can, rows in order; repeated while that helps, because the pods of one
// row may open nodes to another.
bool LinkedSearch::fill_rows(std::vector<SearchRow> left, std::span<const GroupPart> parts) {
  size_t placed = 1;
  while (placed > 0) {
    placed = 0;
    size_t waiting = 0;
    for (const GroupPart& part : parts) {
      for (SearchRow& row : left) {
        if (row.pods.empty()) continue;
        if (!budget_.go_on(0)) return false;
        size_t count = fill_nodes(context_, row, part.nodes, mode_, budget_);
        row.pods = row.pods.subspan(count);
        placed += count;
      }
    }
    for (const SearchRow& row : left) waiting += row.pods.size();
    if (waiting == 0) return true;
  }
  return false;
}

bool LinkedSearch::fill_bound(size_t bound, std::span<const StrId> keys,
                              std::span<const GroupPart> parts) {
  std::vector<NodeId> joined;
  std::span<const NodeId> nodes = parts.front().nodes;
  if (parts.size() > 1) {
    joined = all_of(parts);
    nodes = joined;
  }
  Sites found = sites_of(bound, keys, nodes);
  // The groups stay the same whatever is placed.
  found.ranking = &found.own;
  if (found.own.groups() == 0) {
    found.ranking = &context_.fits().linked_ranking(rows_[bound].pod_class, mode_);
  }
  std::vector<Site>& sites = found.sites;
  int64_t needed = static_cast<int64_t>(rows_[bound].pods.size());
  std::erase_if(sites, [&](const Site& site) { return site.fit < needed; });
  if (sites.empty() && stands_alone(bound)) ruled_out_ = true;
  auto worse = [](const Site& a, const Site& b) {
    return a.best != b.best ? a.best < b.best : a.first > b.first;
  };
  std::make_heap(sites.begin(), sites.end(), worse);
  Statement::Checkpoint start = context_.statement().checkpoint();
  std::vector<SearchRow> others;
  for (size_t row = 0; row < rows_.size(); ++row) {
    if (row != bound) others.push_back(rows_[row]);
  }
  while (!sites.empty() && budget_.spend(found.of_group.size())) {
    std::pop_heap(sites.begin(), sites.end(), worse);
    Site site = sites.back();
    sites.pop_back();
    std::vector<NodeId> here;
    for (uint32_t group = 0; group < found.of_group.size(); ++group) {
      if (found.of_group[group] != site.number) continue;
      for (uint32_t member : found.ranking->members(group)) here.push_back(nodes[member]);
    }
    size_t count = fill_nodes(context_, rows_[bound], here, mode_, budget_);
    if (count == rows_[bound].pods.size() && fill_rows(others, parts)) return true;
    context_.statement().rollback(start);
  }
  return false;
}

LinkedSearch::Sites LinkedSearch::sites_of(size_t row, std::span<const StrId> keys,
                                           std::span<const NodeId> nodes) {
  FitCache& fits = context_.fits();
  PodClassId pod_class = rows_[row].pod_class;
  std::span<const NodeId> everything = context_.snapshot().all_nodes().node_order();
  bool whole = nodes.data() == everything.data() && nodes.size() == everything.size();
  Sites found;
  budget_.spend((whole ? 1 : kRankWork) * nodes.size());
  if (!whole) found.own = fits.rank_linked(pod_class, mode_, nodes);
  const LinkedRanking& ranking = whole ? fits.linked_ranking(pod_class, mode_) : found.own;
  const NodeValues& values = fits.node_values();
  absl::flat_hash_map<uint64_t, uint32_t> numbers;  // by the values of the keys; never iterated
  found.of_group.assign(ranking.groups(), UINT32_MAX);
  for (uint32_t group = 0; group < ranking.groups(); ++group) {
    uint32_t best = ranking.best_in(group);
    if (best == LinkedRanking::kNone) continue;
    if (!fits.link_verdict(pod_class, mode_, nodes[best]).passes()) continue;
    uint64_t hash = 0;
    for (StrId key : keys) {
      hash = combine(hash, static_cast<uint32_t>(values.of(key).of_node[nodes[best]]));
    }
    auto [at, fresh] = numbers.try_emplace(hash, static_cast<uint32_t>(found.sites.size()));
    if (fresh) found.sites.push_back({at->second, NodeRanking::kUnfit, best, 0});
    Site& site = found.sites[at->second];
    double score = ranking.best_score(group);
    if (score > site.best || (score == site.best && best < site.first)) {
      site.best = score;
      site.first = best;
    }
    site.fit += ranking.fit(group);
    found.of_group[group] = site.number;
  }
  return found;
}

std::vector<NodeId> LinkedSearch::order_for(size_t row, std::span<const NodeId> nodes) {
  FitCache& fits = context_.fits();
  budget_.spend(2 * nodes.size());
  std::vector<NodeId> open;
  for (NodeId node : nodes) {
    if (fits.node_fit(node, rows_[row].pod_class, mode_) > 0) open.push_back(node);
  }
  std::vector<double> scores(open.size());
  fits.score(rows_[row].pod_class, mode_, open, scores);
  std::vector<size_t> order(open.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return scores[a] > scores[b]; });
  std::vector<NodeId> sorted;
  for (size_t index : order) sorted.push_back(open[index]);
  return sorted;
}

// Nodes are alike for what is left to place when they have the same free columns, the same fits,
// and the same values of the links' keys.
uint64_t LinkedSearch::signature(size_t row, NodeId node) {
  const NodeState& state = context_.snapshot().state();
  FitCache& fits = context_.fits();
  uint64_t hash = row;
  for (const NodeState::Column& column : state.columns(mode_)) {
    hash = combine(hash, static_cast<uint64_t>(column[node]));
  }
  for (FitMode mode : {FitMode::Now, FitMode::Future}) {
    for (int64_t device : state.devices(node, mode)) {
      hash = combine(hash, static_cast<uint64_t>(device));
    }
  }
  for (const SearchRow& other : rows_) {
    hash = combine(hash, static_cast<uint64_t>(fits.fit_now(other.pod_class, mode_, node)));
  }
  for (StrId key : keys_) {
    // For a key whose values are single nodes, each node is a case of its own.
    hash = combine(hash, static_cast<uint32_t>(fits.node_values().of(key).of_node[node]));
  }
  return open_to_.empty() ? hash : combine(hash, open_to_[node.value]);
}

// Moves the frame to its next untried step that works, and takes it; false: no such step.
bool LinkedSearch::advance(Frame& frame, std::span<const size_t> placed) {
  FitCache& fits = context_.fits();
  while (frame.next.row < rows_.size()) {
    size_t row = frame.next.row;
    const SearchRow& pods = rows_[row];
    bool done = placed[row] == pods.pods.size();
    if (done || frame.next.node == orders_[row].size()) {
      // With nothing to gain from another order, one row is finished before the next begins.
      bool only = any_order_ && !done;
      frame.next = {only ? rows_.size() : row + 1, 0};
      continue;
    }
    if (!budget_.spend(kVerdictWork + rows_.size())) return false;
    size_t index = frame.next.node++;
    NodeId node = orders_[row][index];
    if (fits.fit_now(pods.pod_class, mode_, node) <= 0) continue;
    if (!fits.link_verdict(pods.pod_class, mode_, node).passes()) continue;
    if (!frame.tried.insert(signature(row, node)).second) continue;
    // The same pods on the same nodes are one state, in whatever order they were placed.
    uint64_t state = frame.state + mixed(combine(row + 1, node.value));
    if (dead_ends_.contains(state)) continue;
    if (!context_.statement().place(pods.pods[placed[row]], node, mode_, 0)) continue;
    frame.taken = {row, index};
    return true;
  }
  return false;
}

// Depth first over the pods, by orders_; each pod has a frame, each frame a checkpoint.
bool LinkedSearch::backtrack() {
  keys_.clear();
  dead_ends_.clear();
  for (const SearchRow& row : rows_) {
    for (StrId key : context_.fits().link_keys(row.pod_class)) keys_.push_back(key);
  }
  std::sort(keys_.begin(), keys_.end());
  keys_.erase(std::unique(keys_.begin(), keys_.end()), keys_.end());
  size_t pods = 0;
  for (const SearchRow& row : rows_) pods += row.pods.size();
  bool chose_devices = false;
  Statement& statement = context_.statement();
  std::vector<size_t> placed(rows_.size(), 0);
  std::vector<Frame> frames;
  frames.push_back({{}, statement.checkpoint(), 0, {}, {}});
  while (!frames.empty()) {
    if (advance(frames.back(), placed)) {
      Frame& frame = frames.back();
      ++placed[frame.taken.row];
      if (frames.size() == pods) return true;
      PodClassId taken = rows_[frame.taken.row].pod_class;
      chose_devices = chose_devices || context_.cluster().pod_classes()[taken].gpu_share.active();
      NodeId node = orders_[frame.taken.row][frame.taken.node];
      uint64_t state = frame.state + mixed(combine(frame.taken.row + 1, node.value));
      frames.push_back({{}, statement.checkpoint(), state, {}, {}});
      continue;
    }
    if (budget_.exhausted()) {
      statement.rollback(frames.front().before);
      return false;
    }
    dead_ends_.insert(frames.back().state);
    frames.pop_back();
    if (frames.empty()) break;
    statement.rollback(frames.back().before);
    --placed[frames.back().taken.row];
  }
  if (chose_devices) budget_.give_up();  // other choices of devices were not tried
  return false;
}

}  // namespace trellis
