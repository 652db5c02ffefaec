#include "plugins/topology/topology_groups.h"

#include <algorithm>

#include "topology/tree.h"

namespace trellis {
namespace {

// Where pods differ, counts are only bounds. The bounds of this many rows are enough, and this many
// rows' counts stay cached at once.
constexpr size_t kMostCountedRows = 16;

}  // namespace

void TopologyGroups::begin(const GroupQuery& query, TopologyId topology,
                           const ResolvedLevels& levels) {
  query_ = &query;
  topology_ = topology;
  tree_ = &(*view_.trees)[topology];
  levels_ = levels;
  read_scope();
  foreign_counts_.clear();
  counted_.reset();
  int deepest = tree_->level_count() - 1;
  deepest_group_ = tree_->deepest_is_node() ? deepest - 1 : deepest;
  if (query.preferred_above.valid()) {
    std::string_view word = view_.vocabulary->strings.view(query.preferred_above);
    auto level = find_level((*view_.topologies)[topology], word, view_.vocabulary->strings);
    deepest_group_ = std::max(deepest_group_, level.value_or(-1));
  }
  read_segments();
  set_levels();
  choose_scopes();
  cursor_ = {first_level_, query.mode.value_or(FitMode::Now), 0};
  if (!scopes_.empty()) candidates_.begin(cursor_.level, scopes_.front());
  looked_at_ = static_cast<int64_t>(query.placed.size() + query.near.size());
}

void TopologyGroups::read_segments() {
  segments_.clear();
  const Topology& topology = (*view_.topologies)[topology_];
  const StringTable& strings = view_.vocabulary->strings;
  for (const SegmentLayer& layer : query_->segments) {
    StrId word = layer.preferred.valid() ? layer.preferred : layer.required;
    if (!word.valid()) continue;
    if (auto level = find_level(topology, strings.view(word), strings)) {
      segments_.push_back({*level, layer.size});
    }
  }
}

void TopologyGroups::read_scope() {
  own_scope_ = DomainId();
  foreign_.clear();
  auto read = [&](ScopeDomain scope) {
    if (scope.topology == topology_) {
      own_scope_ = scope.domain;
    } else {
      foreign_.push_back(scope);
    }
  };
  if (query_->scope.valid()) read({query_->scope_topology, query_->scope});
  for (const ScopeDomain& scope : query_->around) read(scope);
}

void TopologyGroups::set_levels() {
  int scope_level = own_scope_.valid() ? tree_->level_of(own_scope_) : -1;
  bool asks = levels_.preferred >= 0 || levels_.required >= 0 || !segments_.empty();
  first_level_ = levels_.preferred >= 0 ? levels_.preferred : tree_->level_count() - 1;
  if (!asks) first_level_ = scope_level;
  first_level_ = std::max(first_level_, scope_level);
  last_level_ = std::max(levels_.required, scope_level);
}

// Pods of a gang that partly runs stay in the required domains where it runs, fullest first. No
// node outside of them is allowed, even where the scope lies outside.
void TopologyGroups::choose_scopes() {
  DomainId all = own_scope_.valid() ? own_scope_ : tree_->root();
  scopes_.clear();
  std::vector<DomainId> near;
  for (std::span<const NodeId> nodes : {query_->placed, query_->near}) {
    for (NodeId node : nodes) {
      if (tree_->contains(node)) near.push_back(tree_->domain_of(node));
    }
  }
  closeness_ = Closeness(*tree_, near);
  std::vector<DomainId> homes;
  if (levels_.required >= 0) homes = home_domains(*tree_, query_->placed, levels_.required);
  for (DomainId home : homes) {
    if (covers(*tree_, all, home)) {
      scopes_.push_back(home);
    } else if (covers(*tree_, home, all)) {
      scopes_.push_back(all);
    }
  }
  std::stable_sort(scopes_.begin(), scopes_.end(), [&](DomainId a, DomainId b) {
    return closeness_.of(*tree_, a) > closeness_.of(*tree_, b);
  });
  bool bound = levels_.required >= 0 && !query_->placed.empty();
  if (!bound) scopes_.push_back(all);
}

const DomainCounts& TopologyGroups::counts_of(size_t row) {
  if (!foreign_.empty()) return foreign_counts_[row];
  return view_.counts->domain_counts(topology_, query_->rows[row].pod_class, cursor_.mode);
}

// The counts of only the nodes inside the foreign scopes. Cost: O(nodes) a row and mode.
void TopologyGroups::load_foreign_counts() {
  foreign_counts_.clear();
  const TopologyTree& scope_tree = (*view_.trees)[foreign_.front().topology];
  for (const GangRow& row : query_->rows) {
    if (foreign_counts_.size() == kMostCountedRows) break;
    looked_at_ += static_cast<int64_t>(view_.nodes->size());
    IndexedVector<NodeId, int32_t> fit(view_.nodes->size(), 0);
    for (NodeId node : scope_tree.nodes(foreign_.front().domain)) {
      if (!inside_scope(node)) continue;
      fit[node] = view_.counts->node_fit(node, row.pod_class, cursor_.mode);
    }
    foreign_counts_.emplace_back(*tree_, fit);
  }
}

void TopologyGroups::load_counts() {
  bool fresh = counted_ != cursor_.mode;
  counted_ = cursor_.mode;
  if (!foreign_.empty() && fresh) load_foreign_counts();
  looked_at_ += static_cast<int64_t>(query_->rows.size());
  demands_.clear();
  size_t rows = std::min(query_->rows.size(), kMostCountedRows);
  for (size_t row = 0; row < rows; ++row) {
    demands_.push_back({&counts_of(row), query_->rows[row].count});
  }
  // The row of which the cluster takes the fewest pods leads.
  auto hardest = std::min_element(demands_.begin(), demands_.end(),
                                  [&](const RowDemand& a, const RowDemand& b) {
                                    return (*a.counts)[tree_->root()] < (*b.counts)[tree_->root()];
                                  });
  std::rotate(demands_.begin(), hardest, hardest + 1);
  pods_ = demands_.front();
  if (segments_.empty()) return;
  load_whole_counts(query_->rows[static_cast<size_t>(hardest - demands_.begin())], fresh);
  int64_t in_whole = pods_.pods - pods_.pods % segments_.front().size;
  if (in_whole > 0) demands_.insert(demands_.begin(), {whole_, in_whole});
}

// Of the leading row.
void TopologyGroups::load_whole_counts(const GangRow& row, bool fresh) {
  if (foreign_.empty()) {
    whole_ = &view_.counts->whole_counts(topology_, row.pod_class, cursor_.mode, segments_);
    return;
  }
  if (fresh) foreign_whole_ = DomainCounts(*tree_, *pods_.counts, segments_);
  whole_ = &foreign_whole_;
}

DomainQuery TopologyGroups::query() const {
  return {tree_,
          demands_,
          view_.config->placement_strategy.domain,
          &closeness_,
          query_->balanced ? 1 : 0,
          levels_.preferred};
}

// Goes to the next scope, mode or level; false after the last.
bool TopologyGroups::advance() {
  if (++cursor_.scope == scopes_.size()) {
    cursor_.scope = 0;
    bool future = !query_->mode && cursor_.mode == FitMode::Now && view_.counts->anything_leaving();
    cursor_.mode = future ? FitMode::Future : query_->mode.value_or(FitMode::Now);
    if (!future && --cursor_.level < last_level_) return false;
  }
  looked_at_ += candidates_.looked_at();
  candidates_.begin(cursor_.level, scopes_[cursor_.scope]);
  return true;
}

bool TopologyGroups::next(NodeGroup& group) {
  if (scopes_.empty() || cursor_.level < last_level_) return false;
  load_counts();
  while (true) {
    if (auto found = candidates_.next(query())) {
      if (make_group(found->domain, group)) return true;
      continue;
    }
    FitMode mode = cursor_.mode;
    if (!advance()) return false;
    if (cursor_.mode != mode) load_counts();
  }
}

bool TopologyGroups::make_group(DomainId domain, NodeGroup& group) {
  group.topology = topology_;
  group.domain = domain;
  group.mode = cursor_.mode;
  group.exact = query_->rows.size() == 1 && view_.counts->exact(query_->rows.front().pod_class);
  group.parts.clear();
  picked_nodes_.clear();
  if (!query_->divided) return true;
  looked_at_ += tree_->node_range(domain).size();
  int level = tree_->level_of(domain);
  // Pods are divided among single nodes only where the gang prefers that level; else scores choose
  // the nodes.
  int split = levels_.preferred >= 0 ? levels_.preferred : deepest_group_;
  DomainParts parts;
  if (!group.exact) {
    parts = {{domain, false, 0, 0}};
    if (level < split) parts = ordered_parts(query(), domain, split);
  } else if (!segments_.empty() && level < segments_.back().level) {
    DomainQuery plain = query();
    plain.rows = {&pods_, 1};
    parts = divide_segments({plain, whole_, segments_}, domain);
    if (parts.empty()) return false;
    divide_further(parts, deepest_group_);
  } else {
    parts = plain_parts(domain, split);
    divide_further(parts, deepest_group_);
  }
  for (const DomainPart& part : parts) group.parts.push_back(as_group_part(part));
  return true;
}

DomainParts TopologyGroups::plain_parts(DomainId domain, int split) const {
  DomainQuery plain = query();
  plain.rows = {&pods_, 1};
  if (tree_->level_of(domain) < split) return divide(plain, domain, split);
  return {{domain, false, (*pods_.counts)[domain], pods_.pods}};
}

// Divides parts down to the level `bottom`, a level at a time.
void TopologyGroups::divide_further(DomainParts& parts, int bottom) const {
  int level = bottom;
  for (const DomainPart& part : parts) level = std::min(level, tree_->level_of(part.domain));
  for (; level < bottom; ++level) {
    DomainParts finer;
    for (const DomainPart& part : parts) {
      if (part.own_nodes_only || tree_->level_of(part.domain) != level) {
        finer.push_back(part);
        continue;
      }
      RowDemand share{pods_.counts, part.pods};
      DomainQuery inside = query();
      inside.rows = {&share, 1};
      for (const DomainPart& child : divide(inside, part.domain, level + 1)) {
        finer.push_back(child);
      }
    }
    parts = std::move(finer);
  }
}

GroupPart TopologyGroups::as_group_part(const DomainPart& part) {
  auto nodes = part.own_nodes_only ? tree_->own_nodes(part.domain) : tree_->nodes(part.domain);
  if (!foreign_.empty()) nodes = pick_inside_scope(nodes);
  return {nodes, part.pods};
}

// Whether the node is in all foreign scopes.
bool TopologyGroups::inside_scope(NodeId node) const {
  return std::ranges::all_of(foreign_, [&](const ScopeDomain& scope) {
    const TopologyTree& tree = (*view_.trees)[scope.topology];
    IdRange range = tree.node_range(scope.domain);
    uint32_t position = tree.position(node);
    return position >= range.first && position < range.last;
  });
}

std::span<const NodeId> TopologyGroups::pick_inside_scope(std::span<const NodeId> nodes) {
  std::vector<NodeId>& picked = picked_nodes_.emplace_back();
  for (NodeId node : nodes) {
    if (inside_scope(node)) picked.push_back(node);
  }
  return picked;
}

}  // namespace trellis
