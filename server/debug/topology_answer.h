// /debug/topology: the rows of a tree that were asked for, as objects, as columns or as a table.
#pragma once

#include <string>
#include <vector>

#include "server/debug/cycle_view.h"
#include "server/http/http_message.h"

namespace trellis {

// Which rows: what is below `parent`, on `level`.
struct TopologyRows {
  TopologyId topology;
  DomainId parent;                // the root: all of it
  std::vector<DomainId> domains;  // by id
  std::vector<NodeId> nodes;      // in the order of the topology; only at level `node`
  std::string level;              // label, "root", "node"; "" for rows of several levels
};

struct RowChoice {
  std::string level;                // as it was asked for; "": not at all
  std::vector<std::string> parent;  // likewise
};

// `error` says what there is none of.
TopologyRows choose_rows(const CycleView& view, TopologyId topology, const RowChoice& choice,
                         std::string& error);

HttpResponse answer_topologies(CycleView& view, const HttpRequest& request);
HttpResponse answer_topology(CycleView& view, const HttpRequest& request);

}  // namespace trellis
