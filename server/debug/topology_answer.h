// Answers /debug/topology: the requested rows of a tree, as objects, as columns or as a table.
#pragma once

#include <string>
#include <vector>

#include "server/debug/cycle_view.h"
#include "server/http/http_message.h"

namespace trellis {

// The domains or nodes below `parent`, on `level`.
struct TopologyRows {
  TopologyId topology;
  DomainId parent;                // the root: the whole topology
  std::vector<DomainId> domains;  // by id
  std::vector<NodeId> nodes;      // in the order of the topology; only at level `node`
  std::string level;              // label, "root", "node"; "" for rows of several levels
};

struct RowChoice {
  std::string level;                // as in the request; "": not given
  std::vector<std::string> parent;  // as in the request; empty: not given
};

// `error` names the level or domain that does not exist.
TopologyRows choose_rows(const CycleView& view, TopologyId topology, const RowChoice& choice,
                         std::string& error);

HttpResponse answer_topologies(CycleView& view, const HttpRequest& request);
HttpResponse answer_topology(CycleView& view, const HttpRequest& request);

}  // namespace trellis
