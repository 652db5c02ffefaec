#include "actions/victims/node_offers.h"

#include <algorithm>

namespace trellis {
namespace {

constexpr int64_t kMostCompared = 4096;

}  // namespace

void NodeOffers::follow_changes(const PlacementContext& context) {
  const ChangeLog& changes = context.snapshot().changes();
  auto touched = changes.since(read_to_);
  if (entries_.empty() || !touched) {
    entries_.assign(context.cluster().nodes().size(), {});
  } else {
    for (NodeId node : *touched) entries_[node].known = false;
  }
  read_to_ = changes.end();
}

std::vector<NodeOffers::Offer> NodeOffers::best(const PlacementContext& context,
                                                NodeVictimFinder& finder, size_t most,
                                                int64_t& nodes_left) {
  follow_changes(context);
  std::span<const NodeId> nodes = context.snapshot().all_nodes().node_order();
  std::vector<Offer> offers;
  int64_t compared = 0;
  for (uint32_t i = 0; i < nodes.size() && compared < kMostCompared; ++i) {
    Entry& entry = entries_[nodes[i]];
    if (!entry.known) {
      if (nodes_left-- <= 0) break;
      std::optional<NodeVictims> victims = finder.find(pod_class_, nodes[i]);
      entry.known = true;
      entry.possible = victims.has_value();
      if (victims) entry.cost = victims->cost;
    }
    if (!entry.possible) continue;
    ++compared;
    Offer offer{entry.cost, i};
    if (offers.size() == most && offers.back() <= offer) continue;
    if (offers.size() == most) offers.pop_back();
    offers.insert(std::upper_bound(offers.begin(), offers.end(), offer), offer);
  }
  // find() may try evictions on a node and rolls them back: these changes need not be read.
  read_to_ = context.snapshot().changes().end();
  return offers;
}

}  // namespace trellis
