#include "server/debug/topology_columns.h"

#include <algorithm>
#include <string>
#include <vector>

namespace trellis {
namespace {

// The resources that some node has, by name.
std::vector<ResourceId> resources_of(const Session& session) {
  const ResourceTable& table = session.cluster().vocabulary().resources;
  const NodeState& state = session.snapshot().state();
  std::vector<ResourceId> resources;
  for (uint32_t i = 0; i < state.allocatable.size(); ++i) {
    const NodeState::Column& column = state.allocatable[ResourceId(i)];
    if (std::any_of(column.begin(), column.end(), [](int64_t amount) { return amount > 0; })) {
      resources.emplace_back(i);
    }
  }
  std::sort(resources.begin(), resources.end(),
            [&](ResourceId a, ResourceId b) { return table.name(a) < table.name(b); });
  return resources;
}

template <class Rows, class Amount>
void write_usage(DocumentWriter& out, const Session& session, std::string_view key,
                 const std::vector<ResourceId>& resources, const Rows& rows, Amount amount) {
  const ResourceTable& table = session.cluster().vocabulary().resources;
  out.begin_object(key);
  for (ResourceId resource : resources) {
    out.begin_array(table.name(resource));
    for (auto row : rows) write_amount(out, table, resource, amount(resource, row));
    out.end_array();
  }
  out.end_object();
}

// The resources of which some row has an amount.
template <class Rows, class Amount>
std::vector<ResourceId> present(std::vector<ResourceId> resources, const Rows& rows,
                                Amount amount) {
  std::erase_if(resources, [&](ResourceId resource) {
    return std::none_of(rows.begin(), rows.end(),
                        [&](auto row) { return amount(resource, row) != 0; });
  });
  return resources;
}

void write_node_usage(DocumentWriter& out, const Session& session, std::span<const NodeId> nodes) {
  std::vector<ResourceId> resources = resources_of(session);
  write_usage(out, session, "available", resources, nodes, [&](ResourceId resource, NodeId node) {
    return measure_usage(session, resource, node).available;
  });
  auto unavailable = [&](ResourceId resource, NodeId node) {
    return measure_usage(session, resource, node).unavailable;
  };
  write_usage(out, session, "unavailable", present(resources, nodes, unavailable), nodes,
              unavailable);
  write_usage(out, session, "allocated", resources, nodes, [&](ResourceId resource, NodeId node) {
    return measure_usage(session, resource, node).allocated;
  });
}

void write_names(DocumentWriter& out, const Session& session, std::span<const NodeId> nodes) {
  const IndexedVector<NodeId, Node>& records = session.cluster().nodes();
  out.begin_array("names");
  for (NodeId node : nodes) out.text(records[node].name);
  out.end_array();
  out.begin_array("closed");
  for (NodeId node : nodes) out.integer(is_closed(records[node]) ? 1 : 0);
  out.end_array();
}

// The domains directly above the rows, and for each row the index of its domain among them.
void write_parents(DocumentWriter& out, const CycleView& view, const TopologyRows& rows) {
  const TopologyTree& tree = view.session().snapshot().trees()[rows.topology];
  const StringTable& strings = view.cluster().vocabulary().strings;
  std::vector<DomainId> above;
  for (DomainId domain : rows.domains) above.push_back(tree.parent(domain));
  for (NodeId node : rows.nodes) above.push_back(tree.domain_of(node));
  std::vector<int64_t> places(tree.domain_count(), -1);
  std::vector<DomainId> parents;
  for (DomainId domain : above) {
    if (!domain.valid() || places[domain.value] >= 0) continue;
    places[domain.value] = static_cast<int64_t>(parents.size());
    parents.push_back(domain);
  }
  out.begin_array("parents");
  for (DomainId parent : parents) {
    out.begin_array();
    for (StrId value : tree.path(parent)) out.text(strings.view(value));
    out.end_array();
  }
  out.end_array();
  out.begin_array("parent");
  for (DomainId domain : above) out.integer(domain.valid() ? places[domain.value] : -1);
  out.end_array();
}

void write_domain_columns(DocumentWriter& out, CycleView& view, const TopologyRows& rows) {
  const Session& session = view.session();
  const TopologyTree& tree = session.snapshot().trees()[rows.topology];
  const StringTable& strings = view.cluster().vocabulary().strings;
  out.begin_array("names");
  for (DomainId domain : rows.domains) {
    bool root = domain == tree.root();
    out.text(root ? std::string_view(view.cluster().topologies()[rows.topology].name)
                  : strings.view(tree.value(domain)));
  }
  out.end_array();
  out.begin_array("nodeCounts");
  for (DomainId domain : rows.domains) out.integer(tree.node_range(domain).size());
  out.end_array();
  const DomainUsage& usage = view.usage(rows.topology);
  std::vector<ResourceId> resources = resources_of(session);
  write_usage(
      out, session, "available", resources, rows.domains,
      [&](ResourceId resource, DomainId domain) { return usage.available[resource][domain]; });
  auto unavailable = [&](ResourceId resource, DomainId domain) {
    return usage.unavailable[resource][domain];
  };
  write_usage(out, session, "unavailable", present(resources, rows.domains, unavailable),
              rows.domains, unavailable);
  write_usage(
      out, session, "allocated", resources, rows.domains,
      [&](ResourceId resource, DomainId domain) { return usage.allocated[resource][domain]; });
}

}  // namespace

void write_amount(DocumentWriter& out, const ResourceTable& resources, ResourceId resource,
                  int64_t amount) {
  Unit unit = resources.unit(resource);
  bool milli = unit == Unit::MilliCpu || unit == Unit::MilliGpu;
  if (milli && amount % kMilli != 0) return out.real(static_cast<double>(amount) / kMilli);
  out.integer(milli ? amount / kMilli : amount);
}

void write_node_columns(DocumentWriter& out, const Session& session,
                        std::span<const NodeId> nodes) {
  write_names(out, session, nodes);
  write_node_usage(out, session, nodes);
}

void write_columns(DocumentWriter& out, CycleView& view, const TopologyRows& rows,
                   std::span<const PendingClass> pending) {
  out.field("level", rows.level);
  write_parents(out, view, rows);
  if (rows.level == "node") {
    write_node_columns(out, view.session(), rows.nodes);
  } else {
    write_domain_columns(out, view, rows);
  }
  out.begin_object("allocatablePods");
  for (const PendingClass& entry : pending) {
    out.begin_array(entry.gang);
    if (!rows.domains.empty()) {
      const DomainCounts& counts =
          view.session().fits().domain_counts(rows.topology, entry.pod_class, FitMode::Now);
      for (DomainId domain : rows.domains) out.integer(counts[domain]);
    }
    for (NodeId node : rows.nodes) {
      out.integer(view.session().fits().node_fit(node, entry.pod_class, FitMode::Now));
    }
    out.end_array();
  }
  out.end_object();
}

}  // namespace trellis
