#include "actions/backfill/reserved_nodes.h"

#include <algorithm>
#include <string>

#include "framework/sort_unique.h"

namespace trellis {
namespace {

bool has_labels(const Node& node, const Labels& labels) {
  return std::ranges::all_of(labels, [&](const Label& label) {
    return find_label(node.labels, label.key) == label.value;
  });
}

template <class Names, class Name>
bool contains(const Names& names, const Name& name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

ReservedNodes::ReservedNodes(const PlacementContext& context) : context_(context) {
  const Cluster& cluster = context.cluster();
  for (const auto& [name, reservation] : cluster.reservations()) {
    if (reservation.to <= context.now()) continue;
    Kept& kept = kept_.emplace_back();
    kept.reservation = &reservation;
    for (const std::string& node : reservation.nodes) {
      if (NodeId id = cluster.find_node(node); id.valid()) kept.nodes.push_back(id);
    }
    for (uint32_t i = 0; !reservation.domain.empty() && i < cluster.nodes().size(); ++i) {
      NodeId id(i);
      if (cluster.alive(id) && has_labels(cluster.nodes()[id], reservation.domain)) {
        kept.nodes.push_back(id);
      }
    }
    sort_unique(kept.nodes);
  }
}

bool ReservedNodes::may_use(GangId id, const Reservation& reservation) const {
  if (!id.valid()) return false;
  const Cluster& cluster = context_.cluster();
  const Gang& gang = cluster.gangs()[id];
  if (gang.queue && contains(reservation.queues, *gang.queue)) return true;
  if (contains(reservation.name_spaces, gang.name_space)) return true;
  if (reservation.gangs.empty()) return false;
  std::string name(cluster.vocabulary().strings.view(gang.name_space));
  return contains(reservation.gangs, name + "/" + std::string(gang.name));
}

}  // namespace trellis
