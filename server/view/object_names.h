// Finds objects by the names of the command line, with an error message for unknown names.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "session/cluster/cluster.h"
#include "session/explain/domain_ref.h"

namespace trellis {

// All names of a kind, in order; `namespace/name` where the kind has namespaces.
std::vector<std::string> pod_names(const Cluster& cluster);
std::vector<std::string> gang_names(const Cluster& cluster);
std::vector<std::string> node_names(const Cluster& cluster);
std::vector<std::string> topology_names(const Cluster& cluster);
std::vector<std::string> queue_names(const Cluster& cluster);
std::vector<std::string> cluster_queue_names(const Cluster& cluster);
std::vector<std::string> workload_names(const Cluster& cluster);

// `the input holds no pod default/trian-0: did you mean default/train-0?`
std::string no_such(std::string_view kind, std::string_view name,
                    const std::vector<std::string>& names);

struct FoundDomain {
  DomainRef domain;
  std::string error;  // empty: found
};

// An empty path is the whole topology.
FoundDomain find_domain_by_name(const Session& session, const std::string& topology,
                                std::span<const std::string> path);

}  // namespace trellis
