#include "session/explain/topology_report.h"

#include <algorithm>

#include "session/cycle/scheduler.h"
#include "session/cycle/session.h"
#include "session/explain/room.h"

namespace trellis {

NodeUsage measure_usage(const Session& session, ResourceId resource, NodeId node) {
  const Node& record = session.cluster().nodes()[node];
  if (is_mere_bound(record, resource)) return {};
  const NodeState& state = session.snapshot().state();
  int64_t free = free_amount(state, resource, node, FitMode::Now);
  NodeUsage usage{.allocated = state.allocatable[resource][node] - free};
  bool closed = is_closed(record);
  (closed ? usage.unavailable : usage.available) = free;
  return usage;
}

DomainUsage measure_usage(const Session& session, TopologyId topology) {
  const TopologyTree& tree = session.snapshot().trees()[topology];
  size_t domains = tree.domain_count();
  DomainUsage usage;
  auto add = [](int64_t& sum, int64_t amount) { sum = add_to_sum(sum, amount); };
  for (uint32_t i = 0; i < session.snapshot().state().now.size(); ++i) {
    ResourceId resource(i);
    DomainUsage::Column available(domains);
    DomainUsage::Column unavailable(domains);
    DomainUsage::Column allocated(domains);
    // Children come before their parents.
    for (uint32_t d = 0; d < domains; ++d) {
      DomainId domain(d);
      for (NodeId node : tree.own_nodes(domain)) {
        NodeUsage of_node = measure_usage(session, resource, node);
        add(available[domain], of_node.available);
        add(unavailable[domain], of_node.unavailable);
        add(allocated[domain], of_node.allocated);
      }
      DomainId parent = tree.parent(domain);
      if (!parent.valid()) continue;
      add(available[parent], available[domain]);
      add(unavailable[parent], unavailable[domain]);
      add(allocated[parent], allocated[domain]);
    }
    usage.available.push_back(std::move(available));
    usage.unavailable.push_back(std::move(unavailable));
    usage.allocated.push_back(std::move(allocated));
  }
  return usage;
}

// One gang for each class that waits, the first by name.
std::vector<PendingClass> pending_classes(const Session& session) {
  const Cluster& cluster = session.cluster();
  std::vector<PendingClass> classes;
  for (GangId gang : cluster.gangs_by_name()) {
    for (PodId pod : session.waiting_pods(gang)) {
      PodClassId pod_class = cluster.pods()[pod].pod_class;
      bool known = std::any_of(classes.begin(), classes.end(), [&](const PendingClass& other) {
        return other.pod_class == pod_class;
      });
      if (known) continue;
      const Gang& record = cluster.gangs()[gang];
      std::string name(cluster.vocabulary().strings.view(record.name_space));
      classes.push_back({name + "/" + record.name, pod_class});
    }
  }
  return classes;
}

TopologyReport report_head(const Session& session, TopologyId topology) {
  const Cluster& cluster = session.cluster();
  const TopologyTree& tree = session.snapshot().trees()[topology];
  TopologyReport report;
  report.name = cluster.topologies()[topology].name;
  for (const TopologyLevel& level : cluster.topologies()[topology].levels) {
    report.levels.emplace_back(cluster.vocabulary().strings.view(level.label));
  }
  for (NodeId node : tree.node_order()) {
    if (tree.incomplete(node)) report.incomplete_nodes.push_back(cluster.nodes()[node].name);
  }
  std::sort(report.incomplete_nodes.begin(), report.incomplete_nodes.end());
  return report;
}

DomainReport report_domain(Session& session, TopologyId topology, DomainId domain,
                           const DomainUsage& usage, std::span<const PendingClass> pending) {
  const Topology& record = session.cluster().topologies()[topology];
  const StringTable& strings = session.cluster().vocabulary().strings;
  const TopologyTree& tree = session.snapshot().trees()[topology];
  DomainReport row;
  int level = tree.level_of(domain);
  row.id = domain.value;
  row.depth = level + 1;
  row.name = level < 0 ? record.name : std::string(strings.view(tree.value(domain)));
  if (level >= 0) {
    row.level = strings.view(record.levels[static_cast<size_t>(level)].label);
    row.parent = tree.parent(domain).value;
  }
  for (StrId value : tree.path(domain)) row.path.emplace_back(strings.view(value));
  row.nodes = tree.node_range(domain).size();
  for (uint32_t i = 0; i < usage.available.size(); ++i) {
    ResourceId resource(i);
    row.available.set(resource, usage.available[resource][domain]);
    row.unavailable.set(resource, usage.unavailable[resource][domain]);
    row.allocated.set(resource, usage.allocated[resource][domain]);
  }
  for (const PendingClass& entry : pending) {
    const DomainCounts& counts =
        session.fits().domain_counts(topology, entry.pod_class, FitMode::Now);
    row.allocatable_pods.push_back({entry.gang, counts[domain]});
  }
  return row;
}

std::vector<TopologyReport> report_topologies(Scheduler& scheduler) {
  Session& session = scheduler.session();
  std::vector<PendingClass> pending = pending_classes(session);
  std::vector<TopologyReport> reports;
  for (uint32_t i = 0; i < scheduler.cluster().topologies().size(); ++i) {
    TopologyId topology(i);
    if (!scheduler.cluster().alive(topology)) continue;
    TopologyReport& report = reports.emplace_back(report_head(session, topology));
    DomainUsage usage = measure_usage(session, topology);
    for (uint32_t domain = 0; domain < session.snapshot().trees()[topology].domain_count();
         ++domain) {
      report.domains.push_back(report_domain(session, topology, DomainId(domain), usage, pending));
    }
  }
  std::sort(reports.begin(), reports.end(),
            [](const TopologyReport& a, const TopologyReport& b) { return a.name < b.name; });
  return reports;
}

}  // namespace trellis
