// What distinguishes the domains of one level that can hold a gang, and which of two is better.
//
// Words: a row's *demand* is a number of equal pods with their counts; rows[0] leads: left-over is
// counted in its pods. *Anchors* are domains where pods of the gang already are; *closeness* of a
// domain is the number of edges it shares with the paths of the anchors, so that among domains of
// one level more closeness is less distance summed over the anchors.
// Order (docs/design/003-order-of-domains.md): fewest parts that the gang is divided into; then
// closer to the anchors; then what is left over in the domain itself, and in the domains around it,
// from the lowest up: binpack least, spread most; then fewest child domains used; then path.
// Cost: to compare two O(depth); the parts of a domain O(parts).
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "framework/config.h"
#include "framework/ids.h"
#include "topology/domain_counts.h"
#include "topology/tree.h"

namespace trellis {

struct RowDemand {
  const DomainCounts* counts = nullptr;
  int64_t pods = 0;
};

// Anchors, summed up along their paths.
class Closeness {
 public:
  Closeness() = default;
  Closeness(const TopologyTree& tree, std::span<const DomainId> anchors);
  bool empty() const { return weights_.empty(); }
  int64_t of(const TopologyTree& tree, DomainId domain) const;

 private:
  std::vector<std::pair<DomainId, int64_t>> weights_;  // sorted by domain; root left out
};

struct DomainQuery {
  const TopologyTree* tree = nullptr;
  std::span<const RowDemand> rows;  // at least one
  Strategy strategy = Strategy::Binpack;
  const Closeness* closeness = nullptr;  // nullptr: no anchors
  // Above 0: divide() gives parts as even as the fewest domains allow, in multiples of this.
  int64_t even_unit = 0;
  // Above it, domains in which the gang is divided among fewest domains of this level come first.
  int parts_level = -1;
};

struct DomainRank {
  int64_t parts = 0;  // of the query's parts_level; 0: not asked
  int64_t closeness = 0;
  int64_t left_over = 0;
  int64_t children = 0;  // child domains (or nodes) that the demand needs at the least
  DomainId domain;
};

bool holds(const DomainQuery& query, DomainId domain);

// All but the children.
DomainRank rank_of(const DomainQuery& query, DomainId domain);

// Below 0: `a` is better; 0: both are equal but for children and path. REQUIRES: both are of one
// level.
int compare(const DomainQuery& query, const DomainRank& a, const DomainRank& b);

// Fewest children that the leading row needs; nodes that hang on the domain itself count as one
// more child.
int64_t children_needed(const DomainQuery& query, DomainId domain);

// A lower bound on the children that any domain of the level needs.
int64_t children_bound(const DomainQuery& query, int level);

// The pods that nodes on the domain itself take.
int64_t own_count(const TopologyTree& tree, const DomainCounts& counts, DomainId domain);

}  // namespace trellis
