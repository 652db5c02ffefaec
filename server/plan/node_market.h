// What a plan may buy: nodes of each shape, in each place where they would differ.
//
// Words: a *place* is the domains of the topologies that a new node would be in. An *offer* is a
// shape in a place. Places differ only in levels that the question asks about: where nothing asks
// about a level, all places are one.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "framework/selectors.h"
#include "server/plan/node_shape.h"
#include "session/cluster/cluster.h"

namespace trellis {

struct NodeOffer {
  uint32_t shape = 0;
  Labels labels;              // of each node, but kubernetes.io/hostname
  ResourceList allocatable;   // of each node
  std::string place;          // `hall/b1/r3`; "": any place will do
  bool makes_domain = false;  // no node is in that place yet
};

struct NodeMarket {
  std::vector<NodeShape> shapes;
  std::vector<NodeOffer> offers;  // by place, those that exist first; then by shape

  const NodeShape& shape_of(size_t offer) const { return shapes[offers[offer].shape]; }
  int64_t price_of(size_t offer) const { return shape_of(offer).price_micro; }
};

// How many nodes of each offer.
using NodeCounts = std::vector<int64_t>;

int64_t price_of(const NodeMarket& market, const NodeCounts& counts);
int64_t sum_of(const NodeCounts& counts);
// Whether no shape is bought more often than it may be.
bool within_limits(const NodeMarket& market, const NodeCounts& counts);

// What DaemonSets take of a node of the shape, where they take most.
ResourceList daemon_requests(const NodeMarket& market, uint32_t shape);

// `asked`: labels of levels that distinguish places; others do not count. A level below these has a
// new domain for the nodes of each place. Cost: O(nodes x levels), and a sort of them.
NodeMarket make_market(std::vector<NodeShape> shapes, std::span<const StrId> asked,
                       Cluster& cluster);

}  // namespace trellis
