#include "topology/tree.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>

#include "framework/check.h"

namespace trellis {
namespace {

constexpr uint32_t kMissing = UINT32_MAX;  // sorts last: own nodes follow the children
constexpr uint32_t kNoPosition = UINT32_MAX;

// Ranks of label values in order of text.
absl::flat_hash_map<uint32_t, uint32_t> rank_values(std::vector<StrId> values,
                                                    const StringTable& strings) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  std::sort(values.begin(), values.end(),
            [&](StrId a, StrId b) { return strings.view(a) < strings.view(b); });
  absl::flat_hash_map<uint32_t, uint32_t> ranks;
  ranks.reserve(values.size());
  for (uint32_t rank = 0; rank < values.size(); ++rank) ranks[values[rank].value] = rank;
  return ranks;
}

}  // namespace

// One node with its path: values and their ranks, kMissing from the first label that it lacks.
struct TopologyTree::Sorted {
  NodeId node;
  std::vector<StrId> values;
  std::vector<uint32_t> ranks;
};

TopologyTree::TopologyTree(const Topology& topology, std::span<const NodeId> nodes,
                           const IndexedVector<NodeId, Node>& records, const StringTable& strings) {
  for (const TopologyLevel& level : topology.levels) levels_.push_back(level.label);
  size_t depth = levels_.size();

  std::vector<Sorted> sorted;
  sorted.reserve(nodes.size());
  for (NodeId node : nodes) {
    Sorted entry{node, std::vector<StrId>(depth), std::vector<uint32_t>(depth, kMissing)};
    for (size_t level = 0; level < depth; ++level) {
      entry.values[level] = find_label(records[node].labels, levels_[level]);
      if (!entry.values[level].valid()) break;
    }
    sorted.push_back(std::move(entry));
  }
  for (size_t level = 0; level < depth; ++level) {
    std::vector<StrId> values;
    for (const Sorted& entry : sorted) {
      if (entry.values[level].valid()) values.push_back(entry.values[level]);
    }
    auto ranks = rank_values(std::move(values), strings);
    for (Sorted& entry : sorted) {
      if (entry.values[level].valid()) entry.ranks[level] = ranks[entry.values[level].value];
    }
  }
  std::sort(sorted.begin(), sorted.end(), [&](const Sorted& a, const Sorted& b) {
    if (a.ranks != b.ranks) return a.ranks < b.ranks;
    return records[a.node].name < records[b.node].name;
  });

  position_.assign(records.size(), kNoPosition);
  domain_of_.assign(records.size(), DomainId());
  for (const Sorted& entry : sorted) {
    position_[entry.node] = static_cast<uint32_t>(node_order_.size());
    node_order_.push_back(entry.node);
  }
  add_levels(sorted);
}

void TopologyTree::add_levels(const std::vector<Sorted>& sorted) {
  struct Run {
    StrId value;
    uint32_t parent;  // index in the level above
    IdRange nodes;
  };
  size_t depth = levels_.size();
  uint32_t node_count = static_cast<uint32_t>(sorted.size());
  std::vector<std::vector<Run>> runs(depth);
  for (uint32_t position = 0; position < node_count; ++position) {
    const Sorted& entry = sorted[position];
    bool fresh = position == 0;
    for (size_t level = 0; level < depth && entry.values[level].valid(); ++level) {
      fresh = fresh || entry.values[level] != sorted[position - 1].values[level];
      uint32_t parent = level == 0 ? 0 : static_cast<uint32_t>(runs[level - 1].size() - 1);
      if (fresh) runs[level].push_back({entry.values[level], parent, {position, position}});
      runs[level].back().nodes.last = position + 1;
    }
  }

  size_t total = 1;
  level_range_.resize(depth);
  for (size_t level = depth; level-- > 0;) {
    level_range_[level].first = static_cast<uint32_t>(total - 1);
    total += runs[level].size();
    level_range_[level].last = static_cast<uint32_t>(total - 1);
  }
  parent_.assign(total, DomainId());
  children_.assign(total, IdRange());
  node_range_.assign(total, IdRange());
  level_of_.assign(total, -1);
  value_.assign(total, StrId());
  node_range_[root()] = {0, node_count};

  for (size_t level = 0; level < depth; ++level) {
    for (uint32_t index = 0; index < runs[level].size(); ++index) {
      const Run& run = runs[level][index];
      DomainId id(level_range_[level].first + index);
      DomainId parent = level == 0 ? root() : DomainId(level_range_[level - 1].first + run.parent);
      parent_[id] = parent;
      value_[id] = run.value;
      level_of_[id] = static_cast<int>(level);
      node_range_[id] = run.nodes;
      if (children_[parent].size() == 0) children_[parent].first = id.value;
      children_[parent].last = id.value + 1;
    }
  }
  // Coarse to fine, so that the deepest domain writes last.
  for (NodeId node : node_order_) domain_of_[node] = root();
  for (size_t level = 0; level < depth; ++level) {
    for (uint32_t id = level_range_[level].first; id < level_range_[level].last; ++id) {
      for (NodeId node : nodes(DomainId(id))) domain_of_[node] = DomainId(id);
    }
  }
  deepest_is_node_ = depth > 0 && level_range_.back().size() > 0;
  for (uint32_t id = depth > 0 ? level_range_.back().first : 0;
       deepest_is_node_ && id < level_range_.back().last; ++id) {
    deepest_is_node_ = node_range_[DomainId(id)].size() == 1;
  }
  uint32_t complete = 0;
  if (depth > 0) {
    const IdRange& deepest = level_range_.back();
    for (uint32_t id = deepest.first; id < deepest.last; ++id) {
      complete += node_range_[DomainId(id)].size();
    }
  }
  ragged_ = depth > 0 && complete != node_count;
}

IdRange TopologyTree::level(int level) const {
  if (level < 0) return {root().value, root().value + 1};
  return level_range_[static_cast<size_t>(level)];
}

std::vector<StrId> TopologyTree::path(DomainId domain) const {
  std::vector<StrId> values;
  for (DomainId at = domain; at.valid() && level_of_[at] >= 0; at = parent_[at]) {
    values.push_back(value_[at]);
  }
  std::reverse(values.begin(), values.end());
  return values;
}

DomainId TopologyTree::ancestor(DomainId domain, int level) const {
  if (level_of_[domain] < level) return DomainId();
  while (level_of_[domain] > level) domain = parent_[domain];
  return domain;
}

IdRange TopologyTree::descendants(DomainId domain, int level) const {
  if (level <= level_of_[domain]) {
    if (level < level_of_[domain]) return {};
    return {domain.value, domain.value + 1};
  }
  IdRange all = this->level(level);
  IdRange within = node_range_[domain];
  const IdRange* ranges = node_range_.data();
  auto starts_before = [](const IdRange& range, uint32_t position) {
    return range.first < position;
  };
  auto first = std::lower_bound(ranges + all.first, ranges + all.last, within.first, starts_before);
  auto last = std::lower_bound(first, ranges + all.last, within.last, starts_before);
  return {static_cast<uint32_t>(first - ranges), static_cast<uint32_t>(last - ranges)};
}

std::span<const NodeId> TopologyTree::nodes(DomainId domain) const {
  IdRange range = node_range_[domain];
  return std::span<const NodeId>(node_order_).subspan(range.first, range.size());
}

std::span<const NodeId> TopologyTree::own_nodes(DomainId domain) const {
  std::span<const NodeId> all = nodes(domain);
  IdRange children = children_[domain];
  if (children.size() == 0) return all;
  uint32_t end_of_children = node_range_[DomainId(children.last - 1)].last;
  return all.subspan(end_of_children - node_range_[domain].first);
}

bool TopologyTree::contains(NodeId node) const {
  return position_.contains(node) && position_[node] != kNoPosition;
}

int TopologyTree::distance(DomainId a, DomainId b) const {
  int edges = 0;
  while (level_of_[a] > level_of_[b]) a = parent_[a], ++edges;
  while (level_of_[b] > level_of_[a]) b = parent_[b], ++edges;
  while (a != b) a = parent_[a], b = parent_[b], edges += 2;
  return edges;
}

int TopologyTree::distance(NodeId node, DomainId domain) const {
  bool is_domain = deepest_is_node_ && !incomplete(node);
  return distance(domain_of(node), domain) + (is_domain ? 0 : 1);
}

int TopologyTree::distance(NodeId a, NodeId b) const {
  if (a == b) return 0;
  bool b_is_domain = deepest_is_node_ && !incomplete(b);
  return distance(a, domain_of(b)) + (b_is_domain ? 0 : 1);
}

bool TopologyTree::moves(NodeId node, const Node& record) const {
  if (!contains(node)) return true;
  DomainId at = domain_of(node);
  int deepest = level_of_[at];
  for (int level = 0; level < level_count(); ++level) {
    StrId value = find_label(record.labels, levels_[static_cast<size_t>(level)]);
    if (level > deepest) return value.valid();
    if (value != value_[ancestor(at, level)]) return true;
  }
  return false;
}

void TopologyTree::check_invariants() const {
  require(!parent_.empty() && !parent_[root()].valid(), "the root has no parent");
  for (uint32_t id = 0; id < parent_.size(); ++id) {
    DomainId domain(id);
    IdRange nodes = node_range_[domain];
    require(nodes.first <= nodes.last && nodes.last <= node_order_.size(), "node range");
    if (domain == root()) continue;
    DomainId parent = parent_[domain];
    require(parent > domain, "a parent comes after its children");
    require(level_of_[parent] + 1 == level_of_[domain], "levels step by one");
    IdRange above = node_range_[parent];
    require(above.first <= nodes.first && nodes.last <= above.last, "nodes lie in the parent's");
    IdRange siblings = children_[parent];
    require(siblings.first <= id && id < siblings.last, "children are a range");
  }
  for (uint32_t position = 0; position < node_order_.size(); ++position) {
    NodeId node = node_order_[position];
    require(position_[node] == position, "positions");
    IdRange range = node_range_[domain_of_[node]];
    require(range.first <= position && position < range.last, "a node lies in its domain");
  }
}

std::vector<DomainId> home_domains(const TopologyTree& tree, std::span<const NodeId> nodes,
                                   int level) {
  std::vector<DomainId> domains;
  for (NodeId node : nodes) {
    if (!tree.contains(node)) continue;
    DomainId domain = tree.ancestor(tree.domain_of(node), level);
    if (domain.valid()) domains.push_back(domain);
  }
  std::sort(domains.begin(), domains.end());
  domains.erase(std::unique(domains.begin(), domains.end()), domains.end());
  return domains;
}

bool covers(const TopologyTree& tree, DomainId outer, DomainId inner) {
  return tree.ancestor(inner, tree.level_of(outer)) == outer;
}

}  // namespace trellis
