// Shows topologies: as a document, for programs to read, and as trees of domains, each domain with
// a bar of its used and free amount.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "framework/resources.h"
#include "server/document/document_writer.h"
#include "server/text/style.h"
#include "server/view/bar.h"
#include "session/cluster/cluster.h"
#include "session/explain/topology_report.h"
#include "session/record/record.h"

namespace trellis {

// The field "topologies" of the current object.
void write_topologies(DocumentWriter& out, const ResourceTable& resources,
                      const std::vector<TopologyReport>& topologies);

void write_domain(DocumentWriter& out, const ResourceTable& resources, const DomainReport& domain);

// {"cpu":"4","memory":"8Gi"}, by name.
void write_resources(DocumentWriter& out, const ResourceTable& resources, const ResourceList& list);

// By name, or siblings with most free, or most used, first.
enum class DomainOrder : uint8_t { Name, Free, Used };

// Which domains are drawn.
struct TopologyView {
  std::string level;   // only domains of this level: a label, or its last part; "": all, as a tree
  int64_t depth = -1;  // levels below the root; -1: all
  DomainOrder order = DomainOrder::Name;
};

// Counts GPUs, or CPUs where a topology holds no GPU. Single nodes (the level
// kubernetes.io/hostname) are drawn only where there are few of them.
std::string topology_tree(const std::vector<TopologyReport>& topologies, Glyphs glyphs,
                          Colours colours, const TopologyView& view = {});

// One line for a cluster without a topology.
std::string cluster_line(const Cluster& cluster, const CycleRecord& record, Glyphs glyphs,
                         Colours colours);

// Gangs with subgroups, as trees: the domain of each subgroup, and its number of placed pods. ""
// when no gang has subgroups.
std::string subgroup_trees(const Cluster& cluster, const CycleRecord& record, Glyphs glyphs,
                           Colours colours);

}  // namespace trellis
