#include "tests/support/zones.h"

#include <utility>

#include "framework/numa.h"

namespace trellis::test {

void report_zones(World& world, NodeId node, const std::vector<int64_t>& cores,
                  const std::vector<int64_t>& free, ZoneTrust trust) {
  std::vector<NumaZoneRecord> zones;
  for (size_t i = 0; i < cores.size(); ++i) {
    NumaZoneRecord& zone = zones.emplace_back();
    zone.name = "node-" + std::to_string(i);
    zone.resources = {{kCpu, cores[i] * kMilli, cores[i] * kMilli, free[i] * kMilli}};
  }
  NumaAttributes attributes{
      {}, {{"topologyManagerPolicy", "single-numa-node"}, {"topologyManagerScope", "pod"}}};
  Node reported = world.cluster.nodes()[node];
  reported.left.clear();
  reported.zones = trust;
  reported.numa = SharedValue(make_numa_topology(std::move(attributes), zones));
  world.cluster.upsert(std::move(reported));
}

SharedValue<PodDemand> zone_demand(int64_t cores) {
  return SharedValue(PodDemand{
      Qos::Guaranteed, {{ContainerKind::App, {{kCpu, cores * kMilli}}}}, {}, {}, StrId()});
}

SharedValue<PodContainers> in_zone(World& world, int64_t zone) {
  return SharedValue(PodContainers{{world.str("main")}, {{zone}}, 0});
}

PodId zoned_gang(World& world, const std::string& name, const ZonedGang& args) {
  world.gang(name, {.min_member = 1, .count = 0, .priority = args.priority});
  PodArgs pod_args{.cpu = static_cast<double>(args.cores), .node = args.node};
  Pod pod = make_pod(world.cluster.vocabulary(), name + "-0", name, pod_args);
  PodSpec spec = make_pod_spec(world.cluster.vocabulary(), pod_args);
  spec.demand = zone_demand(args.cores);
  pod.containers = args.zone >= 0 ? in_zone(world, args.zone)
                                  : SharedValue(PodContainers{{world.str("main")}, {}, 0});
  return world.cluster.upsert(std::move(pod), std::move(spec));
}

}  // namespace trellis::test
