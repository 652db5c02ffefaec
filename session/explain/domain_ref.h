// A domain by its ids, and by its names.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "framework/ids.h"
#include "session/cycle/session.h"

namespace trellis {

// kNone topology: the whole cluster.
struct DomainRef {
  TopologyId topology;
  DomainId domain;
  bool operator==(const DomainRef&) const = default;
};

struct DomainName {
  std::string topology;           // "" for the cluster
  std::string level;              // label; "" for the root and the cluster
  std::vector<std::string> path;  // values, coarsest first
};

DomainName name_of(const Session& session, DomainRef domain);

// Whether the domain is of the level kubernetes.io/hostname.
bool is_node(const Session& session, DomainRef domain);

// The nodes in the order of the topology; for the cluster, all nodes by name.
std::span<const NodeId> nodes_of(const Session& session, DomainRef domain);

// The domain of that path; kNone when there is none. An empty path is the root.
DomainId find_domain(const Session& session, TopologyId topology,
                     std::span<const std::string_view> path);

}  // namespace trellis
