// Finds objects by the names of the command line, with an error message for unknown names.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "session/cluster/cluster.h"
#include "session/explain/domain_ref.h"

namespace trellis {

// All names of a kind, in order; `namespace/name` where the kind has namespaces.
std::vector<std::string> pod_names(const Cluster& cluster);
std::vector<std::string> gang_names(const Cluster& cluster);
std::vector<std::string> node_names(const Cluster& cluster);
std::vector<std::string> topology_names(const Cluster& cluster);
// Topologies too: `hall`, `hall/b1`, `hall/b1/r1`.
std::vector<std::string> domain_names(const Session& session);
std::vector<std::string> queue_names(const Cluster& cluster);
std::vector<std::string> cluster_queue_names(const Cluster& cluster);
std::vector<std::string> workload_names(const Cluster& cluster);

struct FoundDomain {
  DomainRef domain;
  std::string error;  // empty: found
};

// An empty path is the whole topology.
FoundDomain find_domain_by_name(const Session& session, const std::string& topology,
                                std::span<const std::string> path);

}  // namespace trellis
