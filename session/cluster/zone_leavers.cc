#include "session/cluster/zone_leavers.h"

#include <utility>

namespace trellis {

ZonesHeld zones_held(const PodSlot& slot, const IndexedVector<PodClassId, PodSpec>& classes) {
  const SharedValue<PodContainers>& containers = slot.pod.containers;
  bool known = slot.node.valid() && occupies_node(slot.pod.status) && containers &&
               !containers->zones.empty() && classes[slot.pod_class].demand;
  if (!known) return {};
  return {slot.node, classes[slot.pod_class].demand, containers};
}

void add_leaver(Node& node, const ZonesHeld& held) {
  bool lacks_pod = !node.numa || held.containers->bound_after == report_hash(*node.numa);
  if (lacks_pod) return;
  ZoneLeaver leaver{*held.demand, held.containers->zones};
  leaver.demand.zone_group = StrId();
  node.left.push_back(std::move(leaver));
}

void keep_leavers(const Node& before, Node& after) {
  bool same_report = before.numa && before.numa == after.numa;
  if (same_report && after.zones != ZoneTrust::Confirmed) after.left = before.left;
}

}  // namespace trellis
