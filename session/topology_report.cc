#include "session/topology_report.h"

#include <algorithm>

#include "session/explain/room.h"
#include "session/scheduler.h"

namespace trellis {
namespace {

struct PendingClass {
  std::string gang;
  PodClassId pod_class;
};

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

void add_node(const NodeState& state, NodeId node, DomainReport& report) {
  for (uint32_t i = 0; i < state.now.size(); ++i) {
    ResourceId resource(i);
    int64_t free = free_amount(state, resource, node, FitMode::Now);
    report.available.add(resource, free);
    report.allocated.add(resource, state.allocatable[resource][node] - free);
  }
}

TopologyReport report_of(Session& session, TopologyId id,
                         const std::vector<PendingClass>& pending) {
  const Cluster& cluster = session.cluster();
  const StringTable& strings = cluster.vocabulary().strings;
  const TopologyTree& tree = session.snapshot().trees()[id];
  const NodeState& state = session.snapshot().state();
  TopologyReport report;
  report.name = cluster.topologies()[id].name;
  for (const TopologyLevel& level : cluster.topologies()[id].levels) {
    report.levels.emplace_back(strings.view(level.label));
  }
  for (uint32_t i = 0; i < tree.domain_count(); ++i) {
    DomainId domain(i);
    DomainReport& row = report.domains.emplace_back();
    int level = tree.level_of(domain);
    row.id = i;
    row.depth = level + 1;
    row.name = level < 0 ? report.name : std::string(strings.view(tree.value(domain)));
    if (level >= 0) {
      row.level = report.levels[static_cast<size_t>(level)];
      row.parent = tree.parent(domain).value;
    }
    for (StrId value : tree.path(domain)) row.path.emplace_back(strings.view(value));
    row.nodes = tree.node_range(domain).size();
    for (NodeId node : tree.own_nodes(domain)) {
      add_node(state, node, row);
      if (tree.incomplete(node)) report.incomplete_nodes.push_back(cluster.nodes()[node].name);
    }
    IdRange children = tree.children(domain);
    for (uint32_t child = children.first; child < children.last; ++child) {
      row.available.add(report.domains[child].available);
      row.allocated.add(report.domains[child].allocated);
    }
    for (const PendingClass& entry : pending) {
      const DomainCounts& counts = session.fits().domain_counts(id, entry.pod_class, FitMode::Now);
      row.allocatable_pods.push_back({entry.gang, counts[domain]});
    }
  }
  std::sort(report.incomplete_nodes.begin(), report.incomplete_nodes.end());
  return report;
}

}  // namespace

std::vector<TopologyReport> report_topologies(Scheduler& scheduler) {
  Session& session = scheduler.session();
  std::vector<PendingClass> pending = pending_classes(session);
  std::vector<TopologyReport> reports;
  for (uint32_t i = 0; i < scheduler.cluster().topologies().size(); ++i) {
    reports.push_back(report_of(session, TopologyId(i), pending));
  }
  std::sort(reports.begin(), reports.end(),
            [](const TopologyReport& a, const TopologyReport& b) { return a.name < b.name; });
  return reports;
}

}  // namespace trellis
